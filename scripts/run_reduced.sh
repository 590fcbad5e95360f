#!/bin/bash
# run_reduced.sh BUILDS: the builds without pictures, without the CPU device and without both, in the folders no-pictures,
# no-cpu and small of BUILDS, link nothing that they are made to do without, do what is left, and compute what the full
# one (release) computes.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/common.sh
builds="$(realpath "$1")"
full="$builds/release/bin/upres"
cd "$UPRES_CACHE" # temporary, removed at the end
python="$OLDPWD/.venv/bin/python"

without() { # BUILD LIBRARIES
  echo "== $1"
  upres="$builds/$1/bin/upres"
  if ldd "$upres" | grep -E "$2"; then
    echo "$1 links what it is made to do without" >&2
    exit 1
  fi
}

refuses() { # CODE TEXT ARGUMENTS...
  local code=0
  "$upres" "${@:3}" 2>said.txt || code=$?
  if [ "$code" -ne "$1" ] || ! grep -qF "$2" said.txt; then
    echo "upres ${*:3}: exit code $code, expected $1 and \"$2\"; it said:" >&2
    cat said.txt >&2
    exit 1
  fi
}

"$python" - <<'EOF'
import numpy, struct, zlib
generator = numpy.random.default_rng(1)
numpy.save("in.npy", generator.random((1, 1, 37, 53), numpy.float32))
pixels = generator.integers(0, 256, (30, 40, 3), numpy.uint8)
rows = b"".join(b"\0" + row.tobytes() for row in pixels)
chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
open("in.png", "wb").write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 40, 30, 8, 2, 0, 0, 0))
                           + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
EOF
"$full" run espcn_x3 in.npy -o full.npy --device cpu

runs_tensors() { # DEVICE
  "$upres" bench --device "$1" -m espcn_x2 --size 64x48 --runs 2
  "$upres" run espcn_x3 in.npy -o out.npy --device "$1" --overwrite
  "$python" -c "import numpy, sys; d = abs(numpy.load('full.npy') - numpy.load('out.npy')).max(); print('largest difference', d); sys.exit(int(not d <= 1e-4))"
}

without small 'libvips|libdnnl|libgomp'
"$upres" devices
"$upres" doctor --device llvmpipe
runs_tensors llvmpipe
refuses 2 "reads no picture files" in.png

without no-pictures 'libvips'
runs_tensors cpu
refuses 2 "reads no picture files" in.png

without no-cpu 'libdnnl'
runs_tensors llvmpipe
"$full" in.png -o full.png --device cpu --precision fp32
"$upres" in.png -o out.png --device llvmpipe
# One level of 255 everywhere would be 48.1 dB.
"$upres" compare full.png out.png --json |
  "$python" -c "import json, sys; d = json.loads(sys.stdin.read())['psnr_rgb']; print('PSNR', d); sys.exit(int(d is not None and d < 48.1))"
refuses 3 "without the CPU device" in.png -o none.png --device cpu
refuses 3 "without the CPU device" in.png -o none.png
