#!/bin/bash
# clang-tidy, with the short list of .clang-tidy, over the libraries and the command.
set -euo pipefail
cd "$(dirname "$0")/.."
# On the release build: it has every generated header.
make --no-print-directory build
git ls-files 'src/*.cpp' 'cli/*.cpp' |
  xargs -P "$(nproc)" -n 6 clang-tidy -p build/release --quiet --warnings-as-errors='*' 2> >(grep -vE 'warnings? generated|Suppressed|Use -header-filter' >&2)
