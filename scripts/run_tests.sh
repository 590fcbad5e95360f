#!/bin/bash
# run_tests.sh BUILD: every test of a build, on the software Vulkan device.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/common.sh
ctest --test-dir "$1" --output-on-failure --no-tests=error -j "$(nproc)"
