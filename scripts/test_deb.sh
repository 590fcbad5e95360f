#!/bin/bash
# test_deb.sh BUILD: the Debian package made in this folder, installed into a root of its own and used from there.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/common.sh
UPRES_DEB="$(ls -t "$PWD/$1"/upres_*.deb | head -1)"
export UPRES_DEB UPRES_SOURCE="$PWD" UPRES_README_CODE="$UPRES_CACHE/code" UPRES_CMAKE=cmake
export CC="${CC:-cc}" CXX="${CXX:-c++}"
.venv/bin/python tools/extract_code.py README.md "$UPRES_README_CODE"
.venv/bin/python -B -m pytest -q -rs -p no:cacheprovider tests/install/test_deb.py
