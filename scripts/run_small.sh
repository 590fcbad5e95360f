#!/bin/bash
# run_small.sh SMALL RELEASE: the build without pictures and CPU device does its work on the software Vulkan device, and
# computes what the full one computes.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/common.sh
small="$1/bin/upres"
folder="$UPRES_CACHE" # temporary, removed at the end

if ldd "$small" | grep -E 'libvips|libdnnl'; then
  echo "the small build links what it is made to do without" >&2
  exit 1
fi
"$small" devices
"$small" doctor --device llvmpipe
"$small" bench --device llvmpipe -m espcn_x2 --size 64x48 --runs 2

.venv/bin/python -c "import numpy, sys; numpy.save(sys.argv[1], numpy.random.default_rng(1).random((1, 1, 37, 53), numpy.float32))" \
  "$folder/in.npy"
"$small" run espcn_x3 "$folder/in.npy" -o "$folder/small.npy" --device llvmpipe
"$2/bin/upres" run espcn_x3 "$folder/in.npy" -o "$folder/full.npy" --device cpu
.venv/bin/python -c "import numpy, sys; a, b = map(numpy.load, sys.argv[1:]); d = abs(a - b).max(); print('largest difference', d); sys.exit(int(not d <= 1e-4))" \
  "$folder/small.npy" "$folder/full.npy"
