#!/bin/sh
# Who may include whom. The oracle that sees LibTorch, or the compiler that
# sees the oracle, would still build and would prove nothing. Inside of the
# language and the cases the directions keep the rooms readable one by one.
# Tests may include what helps them.
set -eu
cd "$(dirname "$0")/.."

bad=0
report() {
  printf '%s\n' "$3" "rooms: not allowed in $1/: $2" >&2
  bad=1
}
# must_not ROOM PATTERN REASON: no file of ROOM includes what fits PATTERN, but
# for clauses_test.cc, which compares the compiler's guards with the specs.
must_not() {
  [ -d "$1" ] || { report "$1" "it is no folder (tools/rooms.sh)" ""; return; }
  found=$(find "$1" \( -name '*.h' -o -name '*.cc' -o -name '*.cu' \) \
    ! -name clauses_test.cc \
    -exec grep -HnE "^ *# *include *[<\"]($2)" {} + | sort)
  [ -z "$found" ] || report "$1" "$3" "$found"
}
# only ROOM FOLDER...: of the folders beside it, ROOM includes these alone.
only() {
  room=$1
  shift
  parent=$(dirname "$room")
  allowed=$(printf '|%s' "$(basename "$room")" testing "$@")
  found=$(find "$room" \( -name '*.h' -o -name '*.cc' \) ! -name '*_test.cc' \
    -exec grep -HnE "^ *# *include *\"$parent/[a-z]+/" {} + |
    grep -vE "\"$parent/(${allowed#|})/" | sort) || :
  [ -z "$found" ] || report "$room" "it rests on: ${*:-nothing}" "$found"
}

torch='torch/|ATen/|c10/'
must_not core \
  "$torch|yaml-cpp/|kit/|ptx/|suite/|reference/|compiler/|harness/" \
  "it rests on the standard library alone"
must_not kit "$torch|fmt/|nlohmann/|suite/|reference/|compiler/|harness/" \
  "vendors compile it with the standard library alone"
must_not ptx "$torch|yaml-cpp/|kit/|suite/|reference/|compiler/|harness/" \
  "it knows PTX and nothing else"
must_not suite/language \
  "$torch|kit/|suite/cases|reference/|compiler/|harness/" \
  "what specs say depends on no case and on no answer"
must_not suite/cases "$torch|kit/|reference/|compiler/|harness/" \
  "cases may not depend on who answers them"
must_not reference "$torch|kit/|ptx/|suite/cases|compiler/|harness/" \
  "the oracle knows specs, and is independent of cases and subjects"
must_not compiler "$torch|suite/cases|reference/|harness/" \
  "a compiler may not know the answers"
for room in graph math loops ops nest text library cuda; do
  must_not compiler/$room "suite/" "only derived code is made from specs"
done
must_not ptx "$torch|suite/|reference/|compiler/|harness/" \
  "a machine and a lint for everybody's PTX know nobody"
must_not harness/wire "suite/|reference/" \
  "both sides of the protocol stand on it"
must_not harness/workers "suite/|reference/" \
  "who executes may not know the answers"
must_not harness/subject "suite/|reference/" \
  "a subject is asked, not judged, here"
must_not harness/records "reference/" "what is kept needs no oracle"
must_not harness/report "reference/" "reports say what was judged"

only suite/language/functions
only suite/language/syntax functions
only suite/language/model functions syntax
only suite/language/bind model functions syntax
only suite/language/schema model syntax
only suite/language/lets functions model syntax
only suite/language/sugar functions lets read syntax
only suite/language/format read syntax
only suite/language/nest bind model functions syntax
only suite/language/check bind model functions read syntax
only suite/cases/inputs
only suite/cases/valid inputs
only suite/cases/contexts valid inputs
only suite/cases/invalid valid inputs
only compiler/text/cpp
only compiler/text/cuda
only reference/numbers
only reference/sets numbers
only reference/golden numbers
only reference/plan golden
only reference/elements plan golden sets numbers
only reference/oracle elements plan golden sets numbers
only compiler/math
only compiler/loops math
only compiler/derived graph ops
only compiler/graph math
only compiler/ops graph
only compiler/nest graph
only compiler/blocks graph loops math nest
only compiler/text graph math nest
only compiler/library graph math nest text
only compiler/cuda graph library math nest text
only ptx/text
only ptx/numbers
only ptx/machine numbers text
only ptx/lanes machine
only ptx/decode lanes machine numbers text
only ptx/lint text
only harness/wire
only harness/workers wire subject
only harness/subject wire
only harness/records subject wire
only harness/judge records subject
only harness/report judge records
only harness/goldens judge records subject wire
only harness/run judge records subject
only harness/shard judge records run subject
only harness/sweep judge records subject
only harness/history records
only harness/reduce judge records subject
only harness/fuzz judge records reduce run subject
only harness/recorded judge records report run subject sweep
only harness/faults judge records run subject
only harness/profile faults records
only harness/machine records subject
only harness/certify judge records run subject wire
only harness/commands certify faults fuzz goldens history judge machine \
  profile recorded records reduce report run shard subject sweep
only harness/commands/cases
only harness/commands/certification run
only harness/commands/oracle
only harness/commands/run
only harness/commands/shards run
only harness/commands/specs
[ $bad = 0 ] && echo "rooms: all includes are allowed"
