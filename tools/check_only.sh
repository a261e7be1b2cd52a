#!/bin/sh
# Runs a compiler on a source for its warnings alone, as CMake's launcher: the
# object is an empty file.
"$@" -fsyntax-only || exit
while [ $# -gt 1 ] && [ "$1" != -o ]; do shift; done
: >"$2"
