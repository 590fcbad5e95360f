#!/bin/bash
# fuzz.sh SECONDS: runs the fuzz targets for that time in all, from the seeds that the build makes.
set -euo pipefail
cd "$(dirname "$0")/.."
targets=(fuzz/*_fuzz.cpp)
cmake --preset asan -DUPRES_TEST_DATA="${UPRES_TEST_DATA:-}" -DUPRES_FUZZ_SECONDS=$(($1 / ${#targets[@]})) >/dev/null
cmake --build build/asan -j "$(nproc)" --target fuzz_targets
. scripts/common.sh
. scripts/sanitizers.sh
# The driver's cache of compiled kernels must not grow with every input.
export MESA_SHADER_CACHE_DISABLE=true
ctest --test-dir build/asan --output-on-failure --no-tests=error -L '^fuzz$'
