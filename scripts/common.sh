# Shared by the test scripts: the software Vulkan driver as the only device, so that results do not depend on the GPU
# at hand; tests that need a device fail without one instead of being skipped.
shopt -s nullglob
icd_files=(/usr/share/vulkan/icd.d/lvp_icd*.json)
if [ "${#icd_files[@]}" -eq 0 ]; then
  echo "the software Vulkan driver is missing (package mesa-vulkan-drivers); run make setup" >&2
  exit 1
fi
export VK_ICD_FILENAMES="${icd_files[0]}" VK_DRIVER_FILES="${icd_files[0]}"
export UPRES_REQUIRE_DEVICE=1
# Tests must neither use nor fill the user's own cache.
UPRES_CACHE="$(mktemp -d)"
export UPRES_CACHE
trap 'rm -rf "$UPRES_CACHE"' EXIT
