#!/bin/bash
# Formatting, clang-tidy and the include rules.
set -euo pipefail
cd "$(dirname "$0")/.."

echo "clang-format"
git ls-files '*.cpp' '*.h' | xargs clang-format --dry-run -Werror

echo "include rules"
.venv/bin/python tools/check_deps.py .

echo "clang-tidy"
# On the build by clang: it has clang's own flags and every generated header.
cmake --preset asan >/dev/null
cmake --build build/asan -j "$(nproc)"
git ls-files 'src/*.cpp' 'cli/*.cpp' |
  xargs -P "$(nproc)" -n 6 clang-tidy -p build/asan --quiet --warnings-as-errors='*' 2> >(grep -vE 'warnings? generated|Suppressed|Use -header-filter' >&2)
echo "check: all clean"
