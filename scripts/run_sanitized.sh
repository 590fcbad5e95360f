#!/bin/bash
# run_sanitized.sh BUILD: unit and system tests and fuzz seeds of a sanitized build.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/common.sh
# Leaks inside libraries that never free their own tables are not ours; see the file.
export LSAN_OPTIONS="suppressions=$PWD/scripts/lsan.supp:print_suppressions=0"
export ASAN_OPTIONS="detect_stack_use_after_return=1:allocator_may_return_null=1"
export UBSAN_OPTIONS="print_stacktrace=1:halt_on_error=1"
export TSAN_OPTIONS="suppressions=$PWD/scripts/tsan.supp"
ctest --test-dir "$1" --output-on-failure --no-tests=error -j "$(nproc)" -L '^(unit|system|fuzz_seeds)$'
