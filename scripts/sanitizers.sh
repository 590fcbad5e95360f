# Sourced after common.sh: what programs with sanitizers need to be told.
# Leaks inside libraries that never free their own tables are not ours; see the file.
export LSAN_OPTIONS="suppressions=$PWD/scripts/lsan.supp:print_suppressions=0"
export ASAN_OPTIONS="verify_asan_link_order=0:detect_stack_use_after_return=1:allocator_may_return_null=1"
export UBSAN_OPTIONS="print_stacktrace=1:halt_on_error=1"
# Archer, which comes with clang's OpenMP and tells the sanitizer where parallel parts begin and end, warns unless it finds the
# first of these, which would make the sanitizer blind for memcpy and its kin; the last one counts.
export TSAN_OPTIONS="ignore_noninstrumented_modules=1:ignore_noninstrumented_modules=no:suppressions=$PWD/scripts/tsan.supp"
# The software Vulkan driver leaves 128 bytes behind when it is unloaded, which LeakSanitizer can then name no more and so
# not suppress: keep it loaded.
driver="$(sed -n 's/.*"library_path": *"\(.*\)".*/\1/p' "$VK_DRIVER_FILES")"
export LD_PRELOAD="$driver"
