#!/bin/bash
# run_vector_widths.sh BUILD: the device tests with the software driver's other subgroup widths.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/common.sh
for width in 128 256 512; do
  echo "vector width $width"
  LP_NATIVE_VECTOR_WIDTH=$width ctest --test-dir "$1" --output-on-failure --no-tests=error -L device
done
