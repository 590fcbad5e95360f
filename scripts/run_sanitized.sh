#!/bin/bash
# run_sanitized.sh BUILD [OPTION...]: unit, device and system tests and fuzz seeds of a sanitized build; the options are
# ctest's, -R NAME for some of them.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/common.sh
. scripts/sanitizers.sh
ctest --test-dir "$1" --output-on-failure --no-tests=error -j "$(nproc)" -L '^(unit|device|system|fuzz_seeds)$' "${@:2}"
