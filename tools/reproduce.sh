#!/bin/bash
# reproduce.sh DIR SUBJECT [PYTHON]: prints, for every case that fails in the
# run recorded in DIR, what `assay repro CASE --subject SUBJECT` writes, and
# runs that file with PYTHON, without Assay. A line for each case that the file
# does not show, then the counts. Exit 1 if there is such a case. Uses the build
# in ASSAY_BUILD.
#
#   tools/reproduce.sh out/quick-jax jax ~/.cache/assay/env-jax-*/bin/python
set -euo pipefail
cd "$(dirname "$0")/.."

[ $# -ge 2 ] ||
  { echo "usage: reproduce.sh DIR SUBJECT [PYTHON]" >&2; exit 2; }
records=$1/results.jsonl
subject=$2
python=${3:-${ASSAY_PYTHON:-python3}}
assay=${ASSAY_BUILD:-build/dev-2.11.0}/bin/assay
[ -x "$assay" ] || { echo "$assay is not built" >&2; exit 2; }
[ -r "$records" ] || { echo "$records: no such run" >&2; exit 2; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Prints "shown", or "not shown" with the case and the reason. A file exits with
# 1 if the promise is broken, with 0 if it is kept. Where an exception is not
# what was recorded, one does not show it: the file may be at fault.
reproduce() {
  local class=${1%% *} case=${1#* } file status=0
  file=$(mktemp "$folder/XXXXXX.py")
  "$assay" repro "$case" --subject "$subject" \
    >"$file" 2>"$file.log" </dev/null ||
    { echo "not shown: $case: repro: $(tail -n 1 "$file.log")"; return; }
  "$python" "$file" >"$file.log" 2>&1 </dev/null || status=$?
  if [ $status = 1 ] && ! grep -q '^Traceback' "$file.log" &&
    { [ "$class" = wrong_error ] || ! grep -q '^  raised ' "$file.log"; }; then
    echo shown
  else
    echo "not shown: $case: exit $status: $(tail -n 1 "$file.log")"
  fi
}
export -f reproduce
export folder assay subject python

python3 - "$records" <<'PY' >"$folder/cases"
import json
import sys

failed = ("fail", "crash", "timeout")
with open(sys.argv[1], encoding="utf-8") as records:
    found = {f"{r['class']} {r['case']}" for r in map(json.loads, records)
             if r.get("status") in failed}
print(*sorted(found), sep="\0", end="\0" if found else "")
PY
# shellcheck disable=SC2016
xargs -0 -r -n 1 -P "$(nproc)" bash -c 'reproduce "$1"' reproduce \
  <"$folder/cases" >"$folder/said"
grep -v '^shown$' "$folder/said" || true
total=$(wc -l <"$folder/said")
shown=$(grep -c '^shown$' "$folder/said" || true)
echo "$shown of $total failing cases shown without Assay"
[ "$shown" = "$total" ]
