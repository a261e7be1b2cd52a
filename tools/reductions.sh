#!/bin/sh
# tools/reductions.sh [FOLDER]: reduces findings of docs/findings.md and
# injected defects, and writes results/reductions.md. Specs and Python files of
# the reduced programs go to FOLDER, out/reductions if none is named.
set -eu
cd "$(dirname "$0")/.."

folder=${1:-out/reductions}
table=results/reductions.md
mkdir -p "$folder"

# A case and who fails it, a line each.
findings='
fmod/B1/f32/39/part1 eager
softmax/C3/bf16/2x3x4/dim=1/transposed eager
erf/B1/bf16/39/part1 eager
attention_half_value_core/2 bundled{defect=skip-guard}
multiply_add/64/f32 bundled{defect=contract-fma}
cast_round_trip/f16/transposed bundled{defect=drop-cast}
bmm/E4/bf16-f32/1x4x4 torch:inductor
cast_round_trip/f16/transposed torch:inductor
multiply_add/129/bf16 torch:inductor
min/C2/u8/17 torch:inductor
erf/C5/f32/129 torch:inductor
f16_overflow_seen/aten.mul.Tensor/7 torch:inductor
'

{
  cat <<'TEXT'
# Reductions of findings

Made by `tools/reductions.sh` with torch 2.11.0 on x86-64 with AVX-512. A row is
what `./assay reduce` leaves of a case: steps, operands and elements of all
operands before and after, the calls that are left, and how many programs were
tried. The failure is that of the reduced program, judged by the oracle, seen in
three runs unless the last column says flaky. A search ends after 150 seconds
([how](../docs/reduce.md)).

| case | subject | failure | steps | operands | elements | calls | trials | |
|---|---|---|---|---|---|---|---|---|
TEXT
  echo "$findings" | while read -r case subject; do
    [ -n "$case" ] || continue
    name=$(printf %s "$case" | tr -c 'a-z0-9\n' _ | cut -c1-60)
    ./assay reduce "$case" --subject "$subject" --timeout 150 --markdown \
      --out "$folder" --name "reduced_$name" </dev/null || [ $? = 1 ] ||
      echo "reductions: $case on $subject did not reduce" >&2
  done
} >"$table.new"
mv "$table.new" "$table"
