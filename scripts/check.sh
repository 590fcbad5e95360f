#!/bin/bash
# Formatting and the include rules.
set -euo pipefail
cd "$(dirname "$0")/.."

echo "clang-format"
git ls-files '*.cpp' '*.c' '*.h' | xargs clang-format --dry-run -Werror

echo "include rules"
.venv/bin/python tools/check_deps.py .
echo "check: all clean"
