#!/bin/bash
# Formatting, clang-tidy and the include rules.
set -euo pipefail
cd "$(dirname "$0")/.."

echo "clang-format"
git ls-files '*.cpp' '*.h' | xargs clang-format --dry-run -Werror

echo "include rules"
.venv/bin/python tools/check_deps.py .

echo "clang-tidy"
# On the release build: it has every generated header.
make --no-print-directory build
git ls-files 'src/*.cpp' 'cli/*.cpp' |
  xargs -P "$(nproc)" -n 6 clang-tidy -p build/release --quiet --warnings-as-errors='*' 2> >(grep -vE 'warnings? generated|Suppressed|Use -header-filter' >&2)
echo "check: all clean"
