#!/bin/sh
# tools/tidy.sh [-t SECONDS] [FILE...]: clang-tidy over the named sources, or
# over all, last changed first, until the time is up.
set -eu
cd "$(dirname "$0")/.."

seconds=100000
if [ "${1-}" = -t ]; then
  seconds=$2
  shift 2
fi
# clang-tidy takes its flags from a configured tree; g++'s would confuse it.
build=build/tidy
cmake --preset dev-clang -B $build -D ASSAY_UNITY=OFF \
  -D ASSAY_TORCH_DIR="${ASSAY_TORCH_DIR-}" >/dev/null
if [ $# = 0 ]; then
  # shellcheck disable=SC2046
  set -- $({
    git log --format= --name-only 2>/dev/null
    git ls-files -co --exclude-standard
  } | grep '\.cc$' | awk '!seen[$0]++')
fi
known=$build/known
grep '"file"' $build/compile_commands.json >$known
logs=$build/logs
rm -rf $logs
mkdir -p $logs

# One line on standard output per file: clean, bad or left.
export build logs end
end=$(($(date +%s) + seconds))
# shellcheck disable=SC2016
verdicts=$(for file; do
  grep -q "/$file\"" $known && [ -e "$file" ] && echo "$file"
done | xargs -P "$(nproc)" -I{} sh -c '
  log=$logs/$(echo {} | tr / _)
  if [ "$(date +%s)" -ge "$end" ]; then
    echo left
  elif clang-tidy -p $build --quiet {} >"$log" 2>/dev/null; then
    echo clean
    rm "$log"
  else
    echo bad
  fi')
find $logs -type f -exec cat {} +
count() { echo "$verdicts" | grep -cx "$1" || :; }
bad=$(count bad)
echo "clang-tidy: $(count clean) clean, $bad not," \
  "$(count left) left for want of time"
[ "$bad" = 0 ]
