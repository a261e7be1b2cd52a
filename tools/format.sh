#!/bin/sh
# tools/format.sh check | fix: clang-format over our C++ and CUDA sources.
# Versions disagree in details; 14, Debian 12's, decides.
set -eu
cd "$(dirname "$0")/.."

if [ -z "${CLANG_FORMAT-}" ]; then
  CLANG_FORMAT=$(command -v clang-format-14 || command -v clang-format) || {
    echo "format: clang-format is not installed" >&2
    exit 2
  }
fi
case ${1-} in
  check) set -- --dry-run --Werror ;;
  fix) set -- -i ;;
  *) echo "usage: tools/format.sh check | fix" >&2; exit 2 ;;
esac
git ls-files -co --exclude-standard -- '*.cc' '*.h' '*.cu' '*.cuh' |
  while read -r file; do [ ! -e "$file" ] || echo "$file"; done |
  xargs "$CLANG_FORMAT" "$@"
