#!/bin/bash
# fuzz.sh SECONDS: runs every fuzz target for its share of that time, from the seeds that the build makes.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds="$1"
cmake --preset asan >/dev/null
cmake --build build/asan -j "$(nproc)" --target fuzz_targets
shopt -s nullglob
targets=(build/asan/bin/*_fuzz)
if [ "${#targets[@]}" -eq 0 ]; then
  echo "no fuzz target was built" >&2
  exit 1
fi
share=$((seconds / ${#targets[@]}))
for target in "${targets[@]}"; do
  name="$(basename "$target")"
  corpus="build/asan/fuzz/corpus/$name"
  mkdir -p "$corpus" "build/asan/fuzz/found"
  echo "fuzzing $name for $share s"
  "$target" -max_total_time="$share" -timeout=10 -rss_limit_mb=2048 -verbosity=0 -print_final_stats=1 \
    -artifact_prefix="build/asan/fuzz/found/$name-" "$corpus" build/asan/fuzz/seeds/"$name" 2>&1 | grep -E 'ERROR|SUMMARY|number_of_executed|average_exec' ||
    true
  [ "${PIPESTATUS[0]}" -eq 0 ] || exit 1
done
