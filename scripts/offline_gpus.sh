#!/bin/bash
# Runs a program under the Vulkan driver of a GPU that is not here. The drivers' compilers are the real ones; nothing
# can be executed on the GPU, but devices can be opened and kernels compiled.
#
#  scripts/offline_gpus.sh GPU COMMAND...       runs it; GPUs of arm64 want a command built for arm64
#  scripts/offline_gpus.sh --list               the GPUs and the architecture of their commands, one a line
#  scripts/offline_gpus.sh --setup              fetches and unpacks what is missing, nothing else
#  scripts/offline_gpus.sh --toolchain          the CMake toolchain file for commands of arm64
#
# The drivers come from Debian's packages, unpacked into build/offline-gpus; nothing on the system changes. The sources
# are the system's own ones and their backports. OFFLINE_GPUS_DIR names another folder, for a cache that outlives build.
set -euo pipefail
shopt -s nullglob

repository="$(cd "$(dirname "$0")/.." && pwd)"
root="${OFFLINE_GPUS_DIR:-$repository/build/offline-gpus}"
mkdir -p "$root"
root="$(cd "$root" && pwd)"

# name, architecture of the driver, driver, its chip
gpus="navi21 amd64 radeon navi21
navi31 amd64 radeon navi31
gfx1201 amd64 radeon gfx1201
vega10 amd64 radeon vega10
raven amd64 radeon raven
polaris10 amd64 radeon polaris10
adreno630 arm64 freedreno 630
adreno730 arm64 freedreno 730
mali-g610 arm64 panfrost a867
mali-g52 arm64 panfrost 7212"

# What is unpacked for each architecture, beside what they need: drivers, and what building for arm64 needs.
amd64_packages="mesa-vulkan-drivers qemu-user-static"
arm64_packages="mesa-vulkan-drivers mesa-drm-shim libvulkan1 libc6-dev libstdc++-12-dev libexpected-dev libxxhash-dev
  zlib1g-dev libfmt-dev libspdlog-dev nlohmann-json3-dev libcli11-dev libprotobuf-dev libonnx-dev libvulkan-dev spirv-tools"

fail() { echo "offline_gpus: $*" >&2; exit 1; }

# The system's own source of packages and its backports.
write_sources() {
  local site release
  # shellcheck disable=SC2016
  read -r site release < <(apt-get indextargets --format '$(SITE) $(RELEASE)' \
    'Identifier: Packages' 'Component: main' | grep -v -e -security -e -updates -e -backports | sort -u)
  [ -n "${release:-}" ] || fail "apt knows no package source here; run apt-get update"
  printf 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s %s main\n' \
    "$site" "$release" "$site" "$release-backports" >"$root/apt/sources.list"
  echo "$release-backports" >"$root/apt/release"
}

# apt with a state of its own. For the architecture at hand it counts what the system has as there; for the other
# one nothing.
write_apt_configuration() {
  local architecture=$1 folder="$root/apt/$1" status="$root/apt/$1/status"
  mkdir -p "$folder/lists/partial" "$folder/cache/archives/partial"
  : >"$status"
  [ "$architecture" = amd64 ] && status=/var/lib/dpkg/status
  cat >"$folder/apt.conf" <<CONFIGURATION
Dir::State "$folder";
Dir::State::status "$status";
Dir::Cache "$folder/cache";
Dir::Etc::sourcelist "$root/apt/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
APT::Architecture "$architecture";
APT::Architectures {"$architecture";};
APT::Sandbox::User "";
Debug::NoLocking "true";
CONFIGURATION
}

# Links to absolute paths would leave the folder.
make_links_relative() {
  local link target
  find "$1" -type l -lname '/*' | while read -r link; do
    target="$(readlink "$link")"
    ln -sfn "$(realpath -m -s --relative-to="$(dirname "$link")" "$1$target")" "$link"
  done
}

unpack() {
  local architecture=$1 unpacked="$root/$1.part" package
  shift
  export APT_CONFIG="$root/apt/$architecture/apt.conf"
  apt-get update -qq
  apt-get install -qq -y --download-only --no-install-recommends -t "$(cat "$root/apt/release")" "$@" >"$root/apt/$architecture/log" 2>&1 ||
    fail "fetching $architecture packages failed: $(tail -n 5 "$root/apt/$architecture/log")"
  unset APT_CONFIG
  rm -rf "$unpacked"
  mkdir "$unpacked"
  for package in "$root/apt/$architecture/cache/archives/"*.deb; do dpkg -x "$package" "$unpacked"; done
  make_links_relative "$unpacked"
  rm -rf "$root/apt/$architecture" "${root:?}/$architecture"
  mv "$unpacked" "$root/$architecture"
}

# Not again for the same packages.
unpack_once() {
  local architecture=$1 packages=$2
  [ "$(cat "$root/$architecture/packages" 2>/dev/null)" = "$packages" ] && return
  echo "offline_gpus: fetching drivers for $architecture into $root (80 MB)" >&2
  mkdir -p "$root/apt"
  write_sources
  write_apt_configuration "$architecture"
  # shellcheck disable=SC2086
  unpack "$architecture" $packages
  echo "$packages" >"$root/$architecture/packages"
}

write_driver() {
  printf '{"file_format_version": "1.0.0", "ICD": {"library_path": "%s", "api_version": "1.3.0"}}\n' "$2" >"$root/$1.json"
}

build_radeon_wrapper() {
  cc -O1 -Wall -Wextra -Werror -shared -fPIC "-DDRIVER=\"$root/amd64/usr/lib/x86_64-linux-gnu/libvulkan_radeon.so\"" \
    -o "$root/radeon_without_budget.so" "$repository/scripts/offline_gpus/hide_memory_budget.c"
}

write_toolchain() {
  cat >"$root/arm64.cmake" <<TOOLCHAIN
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_SYSROOT "$root/arm64")
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
foreach(language C CXX)
  set(CMAKE_\${language}_COMPILER_TARGET aarch64-linux-gnu)
endforeach()
set(CMAKE_C_COMPILER clang)
set(CMAKE_CXX_COMPILER clang++)
foreach(kind EXE SHARED MODULE)
  set(CMAKE_\${kind}_LINKER_FLAGS_INIT -fuse-ld=lld)
endforeach()
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} "$root/arm64/usr/lib/aarch64-linux-gnu/pkgconfig:$root/arm64/usr/share/pkgconfig")
set(ENV{PKG_CONFIG_SYSROOT_DIR} "$root/arm64")
# The compiler of messages runs here.
set(Protobuf_PROTOC_EXECUTABLE /usr/bin/protoc CACHE FILEPATH "")
set(CMAKE_CROSSCOMPILING_EMULATOR "$root/amd64/usr/bin/qemu-aarch64;-L;$root/arm64")
TOOLCHAIN
}

setup() {
  local stamp wanted
  stamp="$root/stamp"
  wanted="$(echo "$root"; cat "${BASH_SOURCE[0]}" "$repository"/scripts/offline_gpus/* | cksum)"
  [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ] && return
  [ "$(dpkg --print-architecture)" = amd64 ] || fail "the drivers are set up on amd64 only"
  exec 9>"$root/lock"
  flock 9  # one sets up, the others wait
  [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ] && return
  unpack_once amd64 "$amd64_packages"
  unpack_once arm64 "$arm64_packages"
  find "$root/amd64/usr/bin" -name 'qemu-*' ! -name 'qemu-aarch64*' -delete
  build_radeon_wrapper
  write_driver radeon "$root/radeon_without_budget.so"
  write_driver freedreno "$root/arm64/usr/lib/aarch64-linux-gnu/libvulkan_freedreno.so"
  write_driver panfrost "$root/arm64/usr/lib/aarch64-linux-gnu/libvulkan_panfrost.so"
  write_toolchain
  echo "$wanted" >"$stamp"
  flock -u 9
}

run_amd64() {
  local chip=$1
  shift
  export RADV_FORCE_FAMILY="$chip"
  export LD_LIBRARY_PATH="$root/amd64/usr/lib/x86_64-linux-gnu${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
  exec "$@"
}

run_arm64() {
  local driver=$1 chip=$2 libraries="$root/arm64/usr/lib/aarch64-linux-gnu" program settings
  shift 2
  program="$(command -v "$1")" || fail "no command $1"
  shift
  settings=(-E "FD_GPU_ID=$chip")
  [ "$driver" = panfrost ] &&
    settings=(-E "PAN_GPU_ID=$chip" -E PAN_I_WANT_A_BROKEN_VULKAN_DRIVER=1 -E MESA_VK_VERSION_OVERRIDE=1.1)
  exec "$root/amd64/usr/bin/qemu-aarch64" -L "$root/arm64" -E "LD_LIBRARY_PATH=$libraries" \
    -E "LD_PRELOAD=$libraries/lib${driver}_noop_drm_shim.so" "${settings[@]}" "$program" "$@"
}

list() { echo "$gpus" | awk '{ print $1, $2 }'; }

case "${1:---help}" in
  --list) list; exit ;;
  --setup) setup; exit ;;
  --toolchain) setup; echo "$root/arm64.cmake"; exit ;;
  -*) sed -n '2,12s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac

gpu=$1
shift
[ $# -gt 0 ] || fail "no command to run under $gpu"
read -r architecture driver chip < <(echo "$gpus" | awk -v gpu="$gpu" '$1 == gpu { print $2, $3, $4 }') ||
  fail "no GPU $gpu; there are: $(list | awk '{ print $1 }' | xargs)"
setup
export VK_DRIVER_FILES="$root/$driver.json" VK_ICD_FILENAMES="$root/$driver.json"
if [ "$architecture" = amd64 ]; then run_amd64 "$chip" "$@"; else run_arm64 "$driver" "$chip" "$@"; fi
