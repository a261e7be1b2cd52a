#!/bin/sh
# Prints how long the files of each room are. Limits: in no room a median over
# 200 lines, no file over 600, no line over 80 columns. A table of numbers may
# be longer if its name says so (*_table.*), and so may recorded schemas and
# the list of the quick profile; a line with a link may be wider.
set -eu
cd "$(dirname "$0")/.."

git ls-files -co --exclude-standard -- '*.cc' '*.h' '*.cu' '*.cuh' '*.py' \
  '*.sh' '*.js' '*.css' '*.html' '*.cmake' '*CMakeLists.txt' '*.yaml' \
  assay .ci/run |
  grep -v '^results/' | while read -r file; do
    [ ! -e "$file" ] || echo "$file"
  done | sort | xargs awk '
  FNR == 1 { file = FILENAME }
  {
    lines[file] = FNR
    text = $0
    gsub(/[\200-\277]/, "", text)
    if (length(text) > 80 && text !~ /https?:/ && file !~ /\.yaml$/)
      printf "W %s:%d\n", file, FNR
  }
  END {
    for (file in lines) {
      room = file
      if (!sub(/\/.*/, "", room)) room = "(root)"
      if (file ~ /_table\.|^specs\/(schemas\/|profile\.)/) room = "tables"
      print "F", room, lines[file], file
    }
  }' | sort -k1,1 -k2,2 -k3,3n | awk '
  function row() {
    middle = n % 2 ? size[(n + 1) / 2] : (size[n / 2] + size[n / 2 + 1]) / 2
    printf "%-10s %6d %7d %8.1f %9d  %s\n", room, n, sum, middle, size[n], last
    if (room == "tables") return
    if (middle > 200) bad = bad "over 200 in the median: " room "\n"
    if (size[n] > 600) bad = bad "over 600 lines: " last "\n"
  }
  BEGIN {
    printf "%-10s %6s %7s %8s %9s\n", "room", "files", "lines", "median",
           "longest"
  }
  $1 == "W" { bad = bad "over 80 columns: " $2 "\n"; next }
  $2 != room { if (n) row(); room = $2; n = 0; sum = 0 }
  { size[++n] = $3; sum += $3; last = $4 }
  END { if (n) row(); printf "%s", bad; exit bad != "" }'
