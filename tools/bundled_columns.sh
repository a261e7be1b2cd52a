#!/bin/bash
# The bundled compiler on every column that a CPU has: AVX2 and AVX-512, g++ and
# clang++, one and two threads, with the same bytes in all of them.
#
#   tools/bundled_columns.sh OUT [OPTION or FILTER of `assay run`]...
#
# OUT is a new folder. The default cases of eight columns take some 70 minutes
# of two cores where no kernel is there yet, and 7 where all are.
set -eu
home=$(cd "$(dirname "$0")/.." && pwd)
[ $# -ge 1 ] || { sed -n '2,9s/^# \{0,1\}//p' "$0" >&2; exit 2; }
out=$1
shift
targets=(cpu-avx2)
if grep -qw avx512f /proc/cpuinfo; then targets+=(cpu-avx512); fi
columns=()
for compiler in g++ clang++; do
  command -v "$compiler" >/dev/null ||
    { echo "bundled_columns: $compiler is not installed" >&2; exit 2; }
  for target in "${targets[@]}"; do
    for threads in '' ,threads=2; do
      columns+=(--subject "bundled{target=$target,compiler=$compiler$threads}")
    done
  done
done
status=0
"$home/assay" run "${columns[@]}" --out "$out" "$@" || status=$?
[ "$status" -le 1 ] || exit "$status"
"$home/tools/same_bytes.py" "$out/results.jsonl" || status=1
exit "$status"
