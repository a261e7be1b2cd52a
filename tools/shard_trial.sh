#!/bin/bash
# shard_trial.sh N RUN-ARGUMENT...: runs the same cases whole and as N shards,
# without kept goldens, with a folder for them that is empty and with one that
# is full, and compares the records. Shards run one after the other: the
# slowest is what N machines would take. Uses the build in ASSAY_BUILD.
#
#   tools/shard_trial.sh 8 exp softmax --profile full --subject eager
set -eu
cd "$(dirname "$0")/.."

[ $# -ge 2 ] || { echo "usage: shard_trial.sh N RUN-ARGUMENT..." >&2; exit 2; }
shards=$1
shift
assay=${ASSAY_BUILD:-build/dev-2.11.0}/bin/assay
[ -x "$assay" ] || { echo "$assay is not built" >&2; exit 2; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

now() { date +%s.%N; }
since() { awk -v a="$1" -v b="$(now)" 'BEGIN { printf "%.1f", b - a }'; }

# run NAME ARGUMENT...: prints the seconds. Exit 1 is for the merge to judge.
run() {
  local name=$1 begin status=0
  shift
  begin=$(now)
  "$assay" run "$@" --out "$folder/$name" >"$folder/$name.log" 2>&1 ||
    status=$?
  [ $status -le 1 ] || { tail -n 5 "$folder/$name.log" >&2; exit 1; }
  since "$begin"
}

whole() {
  export ASSAY_GOLDENS=$folder/goldens-whole
  printf 'whole, %s goldens: %s s\n' "$1" "$(run "whole-$1" "${@:2}")"
}

all_shards() {
  export ASSAY_GOLDENS=$folder/goldens-shards
  local times=() i begin
  for i in $(seq "$shards"); do
    times+=("$(run "$1-$i" "${@:2}" --shard "$i/$shards")")
  done
  begin=$(now)
  local dirs=()
  for i in $(seq "$shards"); do dirs+=("$folder/$1-$i"); done
  "$assay" merge "${dirs[@]}" --out "$folder/merged-$1" \
    >"$folder/merge.log" 2>&1 || [ $? = 1 ] ||
    { cat "$folder/merge.log" >&2; exit 1; }
  printf '%s shards, %s goldens: %s s; merge %s s; slowest %s s, sum %s s\n' \
    "$shards" "$1" "${times[*]}" "$(since "$begin")" \
    "$(printf '%s\n' "${times[@]}" | sort -n | tail -n 1)" \
    "$(printf '%s\n' "${times[@]}" | awk '{ s += $1 } END { print s }')"
  tools/same_records.py "$folder/whole-no/results.jsonl" \
    "$folder/merged-$1/results.jsonl"
}

whole no "$@" --no-golden-cache
whole cold "$@"
whole warm "$@"
tools/same_records.py "$folder/whole-no/results.jsonl" \
  "$folder/whole-warm/results.jsonl"
all_shards cold "$@"
all_shards warm "$@"
du -sh "$folder/goldens-shards" | awk '{ print "goldens: " $1 }'
