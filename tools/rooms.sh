#!/bin/sh
# Who may include whom. The oracle that sees LibTorch, or the compiler that
# sees the oracle, would still build and would prove nothing.
set -eu
cd "$(dirname "$0")/.."

bad=0
# must_not ROOM PATTERN REASON: no file of ROOM includes what fits PATTERN.
must_not() {
  [ -d "$1" ] || return 0
  found=$(find "$1" \( -name '*.h' -o -name '*.cc' -o -name '*.cu' \) \
    -exec grep -HnE "^ *# *include *[<\"]($2)" {} + | sort)
  [ -n "$found" ] || return 0
  printf '%s\n' "$found" "rooms: not allowed in $1/: $3" >&2
  bad=1
}

torch='torch/|ATen/|c10/'
must_not core "$torch|yaml-cpp/|suite/|reference/|compiler/|harness/" \
  "it rests on the standard library alone"
must_not suite "$torch|reference/|compiler/|harness/" \
  "cases may not depend on who answers them"
must_not reference "$torch|compiler/|harness/" \
  "the oracle is independent of all subjects"
must_not compiler "$torch|suite/|reference/|harness/" \
  "a compiler may not know the answers"
must_not harness/workers "suite/|reference/" \
  "who executes may not know the answers"
[ $bad = 0 ] && echo "rooms: all includes are allowed"
