# The everyday commands. `make help` lists them.

BUILD       := build/release
JOBS        ?= $(shell nproc)
CTEST       := ctest --output-on-failure --no-tests=error
# Pictures and models of others for the tests; without it those tests report themselves as skipped.
export UPRES_TEST_DATA ?=
PREFIX      ?= /usr/local
DESTDIR     ?=

.PHONY: install deb help all build setup check-setup demo test test-all test-asan test-offline-gpus test-small test-deb check tidy format bench small clean

all: build

help:
	@echo "make setup      install what is missing (Debian packages, Python packages in .venv)"
	@echo "make            build $(BUILD)/bin/upres"
	@echo "make demo       set up, build, enlarge a photograph, measure the result"
	@echo "make test       set up, build, run the tests and the fuzzers (UPRES_TEST_DATA=folder for those on data of others)"
	@echo "make test-asan  unit, device and system tests and fuzz seeds under the address and undefined behaviour sanitizers"
	@echo "make test-offline-gpus  kernels compiled by the drivers of ten GPUs that are not here (fetches the drivers)"
	@echo "make test-small the builds without libvips, without oneDNN and without both, against the full one"
	@echo "make test-deb   the Debian package, installed into a root of its own"
	@echo "make test-all   the above, the thread sanitizer, other vector widths, long fuzzing"
	@echo "make check      formatting, include rules, clang-tidy"
	@echo "make tidy       clang-tidy alone"
	@echo "make format     clang-format every file"
	@echo "make install    command, libraries, headers, manual into PREFIX (/usr/local), below DESTDIR"
	@echo "make deb        build/deb/upres_VERSION_ARCHITECTURE.deb"
	@echo "make bench      this CPU device beside ONNX Runtime"
	@echo "make small      build/small/bin/upres: no libvips, no oneDNN; to carry to a machine with a GPU"

setup:
	@scripts/setup.sh

check-setup:
	@scripts/setup.sh --check

build: check-setup
	@cmake --preset release -DUPRES_TEST_DATA="$(UPRES_TEST_DATA)" >build-configure.log 2>&1 || { cat build-configure.log; rm -f build-configure.log; exit 1; }
	@rm -f build-configure.log
	@cmake --build $(BUILD) -j $(JOBS)

demo: setup
	@$(MAKE) --no-print-directory build
	@.venv/bin/python tools/demo.py --upres $(BUILD)/bin/upres

test: setup
	@$(MAKE) --no-print-directory build
	@scripts/run_tests.sh $(BUILD)
	@scripts/fuzz.sh 60

test-asan: setup
	@cmake --preset asan -DUPRES_TEST_DATA="$(UPRES_TEST_DATA)" >/dev/null
	@cmake --build build/asan -j $(JOBS)
	@scripts/run_sanitized.sh build/asan

test-all: test test-asan test-small test-deb
	@scripts/run_vector_widths.sh $(BUILD)
	@cmake --preset tsan -DUPRES_TEST_DATA="$(UPRES_TEST_DATA)" >/dev/null
	@cmake --build build/tsan -j $(JOBS)
	@scripts/run_sanitized.sh build/tsan
	@scripts/fuzz.sh 1800

check: setup
	@scripts/check.sh
	@scripts/tidy.sh

tidy: setup
	@scripts/tidy.sh

format:
	@git ls-files '*.cpp' '*.c' '*.h' | xargs clang-format -i

bench: setup
	@$(MAKE) --no-print-directory build
	@.venv/bin/python bench/compare_peers.py --program $(BUILD)/bin/bench_cpu_network

install: build
	@DESTDIR="$(DESTDIR)" cmake --install $(BUILD) --prefix "$(PREFIX)"

deb: check-setup
	@cmake --preset deb >/dev/null
	@cmake --build build/deb -j $(JOBS)
	@cd build/deb && cpack -G DEB

small: check-setup
	@cmake --preset small >/dev/null
	@cmake --build build/small -j $(JOBS)

# Nearly all their objects are those of the full build, which ccache knows.
test-small: setup
	@$(MAKE) --no-print-directory small
	@for preset in no-cpu no-pictures; do \
	  cmake --preset $$preset >/dev/null && cmake --build build/$$preset -j $(JOBS) || exit 1; \
	done
	@scripts/run_reduced.sh build

# The tables go into docs/gpu-families.md with TABLE=docs/gpu-families.md.
test-offline-gpus: setup
	@cmake --preset release -DUPRES_TEST_DATA="$(UPRES_TEST_DATA)" >/dev/null
	@cmake --build $(BUILD) -j $(JOBS) --target compile_plans
	@toolchain=$$(scripts/offline_gpus.sh --toolchain) && \
	  cmake -S . --preset offline-gpus-arm64 -DCMAKE_TOOLCHAIN_FILE=$$toolchain >/dev/null
	@cmake --build build/offline-gpus-arm64 -j $(JOBS) --target compile_plans
	@python3 tests/offline_gpu/run.py --amd64 $(BUILD)/bin/compile_plans --arm64 build/offline-gpus-arm64/bin/compile_plans \
	  $(if $(TABLE),--table $(TABLE))

test-deb: setup
	@$(MAKE) --no-print-directory deb
	@scripts/test_deb.sh build/deb

clean:
	@rm -rf build
