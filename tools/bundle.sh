#!/bin/sh
# bundle.sh BUILD FILE.tar.zst: packs what a machine needs that has no packages,
# no source tree and perhaps no network (docs/bundle.md). The same build and
# commit give the same bytes.
set -eu
export LC_ALL=C
# Lists below are lines, so a path may have spaces.
IFS='
'

say() { (IFS=' ' && printf '%s\n' "assay: $*" >&2); }
die() { say "$*"; exit 2; }

[ $# = 2 ] || die "usage: ./assay bundle FILE.tar.zst, or FILE.tar.gz"
home=$(cd "$(dirname "$0")/.." && pwd -P)
build=$1
file=$2
case $file in
  *.tar.zst) packer='zstd -19 -q' ;;
  *.tar.gz) packer='gzip -9n' ;;
  *) die "$file: its name must end in .tar.zst or .tar.gz" ;;
esac
[ ! -e "$file" ] || die "$file is there already: remove it or name another"
folder=$(dirname "$file")
[ -d "$folder" ] || die "$file: there is no folder $folder"
[ -w "$folder" ] || die "$file: the folder $folder cannot be written"
for tool in "${packer%% *}" strip ldd objdump; do
  command -v "$tool" >/dev/null ||
    die "$tool is missing: install the Debian packages zstd and binutils"
done

staging=$(mktemp -d "$build/bundle.XXXXXX") ||
  die "no folder can be made in $build"
draft=$file.$$
clean() { rm -rf "$staging" "$draft"; }
trap clean EXIT
trap 'say interrupted; exit 3' INT TERM HUP
fail() { die "$file was not written: $*"; }

programs=$(ls -1 "$build"/bin/assay "$build"/bin/assay-*-worker \
  "$build"/lib/assay_bundled.so) || fail "$build is not built; ./assay run is"
version=$("$build/bin/assay" --version) || fail "$build/bin/assay does not run"
root=$staging/assay-${version#assay }

# The C library and its parts belong to the system: two of them cannot be in
# one process. LibTorch is not packed: eager's worker finds it where it runs.
libraries() {
  for f in $programs; do ldd "$f"; done |
    sed -n 's/.* => \(\/[^ ]*\) (.*/\1/p' | sort -u |
    grep -v -e /site-packages/ -e /dist-packages/ \
      -e '/lib\(c\|m\|dl\|rt\|pthread\|util\|resolv\)\.so\.[0-9]*$'
}

# Libraries that the system has at least as new are fallbacks only
# (env/portable.sh).
copy_programs() {
  mkdir -p "$root/bin" "$root/lib/fallback"
  for f in $programs; do
    to=$root/bin
    case $f in *.so) to=$root/lib ;; esac
    strip -o "$to/$(basename "$f")" "$f" || fail "strip $f"
  done
  for f in $(libraries); do
    to=$root/lib
    case $f in */libstdc++.so.* | */libgcc_s.so.*) to=$root/lib/fallback ;; esac
    strip --strip-unneeded -o "$to/$(basename "$f")" "$f" || fail "strip $f"
    copy_licence "$f"
  done
}

# Where Debian packed the library, its package says under which terms.
copy_licence() {
  package=$(dpkg-query -S "$(readlink -f "$1")" 2>/dev/null |
    sed -n '1s/[:,].*//p') || return 0
  [ -f "/usr/share/doc/$package/copyright" ] || return 0
  mkdir -p "$root/licenses"
  cp "/usr/share/doc/$package/copyright" "$root/licenses/$package"
}

copy_texts() {
  mkdir -p "$root/results" "$root/harness/workers/python" "$root/env" \
    "$root/kit/python/assay_worker" "$root/harness/workers/jax" \
    "$root/harness/workers/onnxruntime"
  cp "$home/assay" "$home/LICENSE" "$root" &&
    cp "$home/env/portable.sh" "$root/env" &&
    cp -R "$home/specs" "$home/docs" "$root" &&
    cp -R "$home/results/known" "$home/results/costs.json" "$root/results" &&
    cp "$home"/harness/workers/python/*.py "$root/harness/workers/python" &&
    cp "$home"/harness/workers/jax/*.py "$root/harness/workers/jax" &&
    cp "$home"/harness/workers/onnxruntime/*.py \
      "$root/harness/workers/onnxruntime" &&
    cp "$home"/kit/python/assay_worker/*.py \
      "$root/kit/python/assay_worker" &&
    cmake --install "$build" --component kit --prefix "$root" >/dev/null &&
    cp -R "$home/examples" "$root" &&
    cp "$home/docs/bundle.md" "$root/README.md"
}

commit() {
  git -C "$home" rev-parse HEAD 2>/dev/null || { echo unknown && return; }
  [ -z "$(git -C "$home" status --porcelain -uno 2>/dev/null)" ] ||
    echo 'and changes that are not committed'
}

# The newest version of the C library whose symbols anything here needs.
glibc() {
  find "$root/bin" "$root/lib" -type f -exec objdump -T {} + 2>/dev/null |
    grep -o 'GLIBC_[0-9.]*' | sed 's/GLIBC_//' | sort -uV | tail -n 1
}

mkdir "$root"
copy_programs
copy_texts || fail "see above"
{
  printf '%s\n' "$version"
  echo "commit $(commit | paste -sd ' ')"
  echo "glibc $(glibc)"
} >"$root/bundle.txt" || fail "see above"
(cd "$root" && find . -type f ! -name SHA256SUMS -print | sort |
  xargs sha256sum >SHA256SUMS) || fail "see above"

# A clock would make every bundle another.
time=${SOURCE_DATE_EPOCH:-$(git -C "$home" log -1 --format=%ct 2>/dev/null ||
  echo 0)}
tar --create --file "$draft" --use-compress-program "$packer" \
  --directory "$staging" --sort=name --mtime="@$time" --owner=0 --group=0 \
  --numeric-owner --mode='u=rwX,go=rX' --format=gnu "$(basename "$root")" ||
  fail "see above"
[ ! -e "$file" ] || fail "it was written by somebody else meanwhile"
mv "$draft" "$file" || fail "see above"
say "$file: $(du -b "$file" | awk '{ printf "%.1f", $1 / 1048576 }') MiB," \
  "$(find "$root" -type f | wc -l) files," \
  "$(du -sb "$root" | awk '{ printf "%.0f", $1 / 1048576 }') MiB unpacked," \
  "$(sed -n 2p "$root/bundle.txt" | cut -c1-19)"
