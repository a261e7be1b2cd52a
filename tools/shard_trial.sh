#!/bin/bash
# shard_trial.sh N RUN-ARGUMENT...: runs the same cases whole and as N shards,
# with a folder of goldens that is empty and with one that is full, and compares
# the records. Shards run one after the other: the slowest is what N machines
# would take. Seconds by the clock, and in brackets those that all processes
# computed. Uses the build in ASSAY_BUILD.
#
#   tools/shard_trial.sh 8 exp softmax --profile full --subject eager
set -euo pipefail
cd "$(dirname "$0")/.."

[ $# -ge 2 ] || { echo "usage: shard_trial.sh N RUN-ARGUMENT..." >&2; exit 2; }
shards=$1
shift
assay=${ASSAY_BUILD:-build/dev-2.11.0}/bin/assay
[ -x "$assay" ] || { echo "$assay is not built" >&2; exit 2; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# timed COMMAND...: prints "WALL CPU", the seconds. Exit 1 is for the merge to
# judge.
timed() {
  local status=0 TIMEFORMAT='%R %U %S'
  { time "$@" >"$folder/log" 2>&1; } 2>"$folder/time" || status=$?
  [ $status -le 1 ] || { tail -n 5 "$folder/log" >&2; exit 1; }
  awk '{ printf "%.1f %.1f\n", $1, $2 + $3 }' "$folder/time"
}
run() { timed "$assay" run "${@:2}" --out "$folder/$1"; }

whole() {
  export ASSAY_GOLDENS=$folder/goldens-whole
  run "whole-$1" "${@:2}" |
    awk -v g="$1" '{ print "whole, " g " goldens: " $1 " s (" $2 ")" }'
}

all_shards() {
  export ASSAY_GOLDENS=$folder/goldens-shards
  local i dirs=()
  for i in $(seq "$shards"); do
    run "$1-$i" "${@:2}" --shard "$i/$shards"
  done | awk -v g="$1" -v n="$shards" '
    { each = each " " $1; sum += $1; cpu += $2; if ($1 > most) most = $1
      if ($2 > most_cpu) most_cpu = $2 }
    END { printf "%d shards, %s goldens:%s s; slowest %.1f s (%.1f), ", n, g,
          each, most, most_cpu
          printf "sum %.1f s (%.1f)\n", sum, cpu }'
  for i in $(seq "$shards"); do dirs+=("$folder/$1-$i"); done
  timed "$assay" merge "${dirs[@]}" --out "$folder/merged-$1" |
    awk '{ print "merge: " $1 " s (" $2 ")" }'
  tools/same_records.py "$folder/whole-cold/results.jsonl" \
    "$folder/merged-$1/results.jsonl"
}

whole cold "$@"
whole warm "$@"
tools/same_records.py "$folder/whole-cold/results.jsonl" \
  "$folder/whole-warm/results.jsonl"
all_shards cold "$@"
all_shards warm "$@"
[ ! -d "$folder/goldens-shards" ] ||
  du -sh "$folder/goldens-shards" | awk '{ print "goldens: " $1 }'
