#!/bin/sh
# tools/findings_history.sh SECTION [VERSION,VERSION...]: which releases of
# torch broke and mended the examples of a section of docs/findings.md:
# founding, errors and values of Inductor, or eager. Writes
# results/history/SECTION.md.
set -eu
cd "$(dirname "$0")/.."

# The cases that a section of the page names between backticks.
examples() {
  ./assay list --profile full >"$all"
  awk -v title="$1" '/^## / { on = index($0, title) > 0 } on' \
    docs/findings.md | grep -o '`[^` ]*/[^` ]*`' | tr -d '`' |
    grep -Fx -f - "$all"
}

all=$(mktemp)
trap 'rm -f "$all"' EXIT
subject=torch:inductor
case ${1-} in
  founding)
    cases='bmm/E4/bf16-f32/1x4x4 cast_round_trip attention_half_value
      attention_half_value_core e8m0_encode'
    ;;
  errors) cases=$(examples 'Inductor: error contracts') ;;
  values) cases=$(examples 'Inductor: values') ;;
  eager)
    cases=$(examples Eager)
    subject=torch:eager
    ;;
  *)
    echo "usage: $0 founding|errors|values|eager [VERSION,VERSION...]" >&2
    exit 2
    ;;
esac

table=results/history/$1.md
mkdir -p results/history
{
  cat <<TEXT
# Findings by release of torch: $1

Made by \`tools/findings_history.sh $*\` on one machine (x86-64 with AVX-512).
A cell is the class of the failure, or the status; the last column says which
release broke a case and which mended it ([how](../../docs/reduce.md)).

TEXT
  # shellcheck disable=SC2086
  ./assay history $cases --subject "$subject" ${2:+--versions "$2"} \
    --markdown || [ $? -ne 2 ]
} >"$table.new"
mv "$table.new" "$table"
