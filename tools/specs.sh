#!/bin/sh
# Prints how much the specs say and how often: characters, and the share of
# lines in specs/ops of 30 characters or more, without indentation, that stand
# there verbatim more than once. A result's layout, one word of a closed list at
# the end of its line, is left out. Limits: a tenth of all lines, and 120
# columns.
set -eu
cd "$(dirname "$0")/.."

find specs/ops specs/shared specs/programs -name '*.yaml' | sort | xargs awk '
  {
    text = $0
    gsub(/[\200-\277]/, "", text)
    if (length(text) > 120) {
      printf "over 120 columns: %s:%d\n", FILENAME, FNR
      bad = 1
    }
    room = FILENAME ~ /^specs\/ops\// ? "operations" : "the rest"
    size[room] += length($0) + 1
    if (room != "operations") next
    ++lines
    sub(/^ +/, "", text)
    sub(/ +$/, "", text)
    if (text ~ /^result: /) sub(/ as [a-z_]+(\([^)]*\))?$/, "", text)
    if (length(text) >= 30) ++seen[text]
  }
  END {
    for (text in seen) if (seen[text] > 1) repeated += seen[text]
    share = 100 * repeated / lines
    printf "operations: %d characters, %d lines, %d of them repeated " \
           "(%.1f %%)\n", size["operations"], lines, repeated, share
    printf "shared and programs: %d characters\n", size["the rest"]
    if (share > 10) print "over a tenth of the lines are repeated"
    exit bad || share > 10
  }'
