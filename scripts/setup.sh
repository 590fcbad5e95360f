#!/bin/bash
# Installs what building and testing need: Debian packages, and Python packages in .venv. With --check it installs
# nothing and fails if something is missing.
set -euo pipefail
cd "$(dirname "$0")/.."

mapfile -t packages < <(grep -v '^#' scripts/packages.txt)
requirements=scripts/requirements.txt
stamp=.venv/installed.txt

missing_packages() {
  local name
  for name in "${packages[@]}"; do
    [ "$(dpkg-query -W -f '${db:Status-Abbrev}' "$name" 2>/dev/null)" = "ii " ] || echo "$name"
  done
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

python_ready() { [ -x .venv/bin/python ] && cmp -s "$requirements" "$stamp"; }

mapfile -t missing < <(missing_packages)
if [ "${1:-}" = "--check" ]; then
  if [ "${#missing[@]}" -gt 0 ]; then
    echo "missing packages: ${missing[*]}; run make setup" >&2
    exit 1
  fi
  python_ready || { echo "the Python packages of $requirements are missing; run make setup" >&2; exit 1; }
  exit 0
fi

if [ "${#missing[@]}" -gt 0 ]; then
  echo "installing Debian packages: ${missing[*]}"
  as_root apt-get update -q
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"
fi

if ! python_ready; then
  echo "installing Python packages into .venv: $(grep -v '^#' "$requirements" | tr '\n' ' ')"
  [ -x .venv/bin/python ] || python3 -m venv .venv
  # Without their dependencies, which the list names: one of them would pull gigabytes that nothing here uses.
  .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps -r "$requirements"
  cp "$requirements" "$stamp"
fi
