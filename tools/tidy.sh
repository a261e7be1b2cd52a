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
cmake --preset dev-clang -B $build -D ASSAY_TORCH_DIR="${ASSAY_TORCH_DIR-}" \
  >/dev/null
if [ $# = 0 ]; then
  # shellcheck disable=SC2046
  set -- $({
    git log --format= --name-only 2>/dev/null
    git ls-files -co --exclude-standard
  } | grep '\.cc$' | awk '!seen[$0]++')
fi
known=$build/known
grep '"file"' $build/compile_commands.json >$known
end=$(($(date +%s) + seconds))
checked=0 bad=0 left=0
for file; do
  grep -q "/$file\"" $known && [ -e "$file" ] || continue
  if [ "$(date +%s)" -ge $end ]; then
    left=$((left + 1))
  elif clang-tidy -p $build --quiet "$file" 2>$build/log; then
    checked=$((checked + 1))
  else
    bad=$((bad + 1))
    grep -v 'warnings generated' $build/log >&2 || :
  fi
done
echo "clang-tidy: $checked clean, $bad not, $left left for want of time"
[ $bad = 0 ]
