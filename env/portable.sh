# ./assay in a bundle (docs/bundle.md), read by it: finds what the machine has,
# installs and builds nothing, and hands over to the program. Not a program of
# its own.
# shellcheck shell=sh disable=SC2154

# Prints a python's path, its torch folder and the version of that, without
# importing torch, which takes seconds.
torch_probe='import importlib.util as u, os, re, sys
s = u.find_spec("torch")
if s is None or not s.submodule_search_locations:
    sys.exit(1)
folder = s.submodule_search_locations[0]
with open(os.path.join(folder, "version.py")) as f:
    version = re.search("__version__ *= *[^0-9]*([0-9][^+\"\x27]*)", f.read())
print(sys.executable, folder, version[1], sep="\n")'

# Sets python, torch_dir and torch, to nothing where there is no torch.
find_python() {
  for python in ${ASSAY_PYTHON:+"$ASSAY_PYTHON"} python3 python; do
    if found=$("$python" -c "$torch_probe" 2>/dev/null); then
      { read -r python && read -r torch_dir && read -r torch; } <<END
$found
END
      return
    fi
    # Whoever names one means that one.
    [ -z "${ASSAY_PYTHON-}" ] || break
  done
  python=${ASSAY_PYTHON-} torch_dir='' torch=''
}

is_writable() { mkdir -p "$1" 2>/dev/null && [ -w "$1" ]; }

# Compiled kernels, and what Inductor and Triton keep.
find_cache() {
  if [ -n "${ASSAY_CACHE-}" ]; then
    case $ASSAY_CACHE in
      /*) cache=$ASSAY_CACHE ;;
      *) cache=$PWD/$ASSAY_CACHE ;;
    esac
    is_writable "$cache" || die "ASSAY_CACHE=$ASSAY_CACHE cannot be written"
    return
  fi
  for cache in ${XDG_CACHE_HOME:+"$XDG_CACHE_HOME/assay"} \
    ${HOME:+"$HOME/.cache/assay"} "$home/cache"; do
    is_writable "$cache" && return
  done
  die "no folder for compiled kernels can be written: name one in ASSAY_CACHE"
}

# The machine's own C++ library comes first: plugins and torch may need a newer
# one than ours.
starts() { why=$("$home/bin/assay" --version 2>&1); }
find_libraries() {
  starts && return
  LD_LIBRARY_PATH=$home/lib/fallback${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  export LD_LIBRARY_PATH
  starts || die "this machine cannot run the bundle (x86-64, glibc 2.36 or
  later): $why"
}

set_or_unset() {
  if [ -n "$2" ]; then export "$1=$2"; else unset "$1"; fi
}

case $1 in
  test | env | bundle)
    die "'$1' needs the source tree: a bundle neither installs nor builds"
    ;;
esac
find_cache
find_libraries
find_python
export ASSAY_HOME="$home" ASSAY_BUILD="$home" ASSAY_CACHE="$cache"
set_or_unset ASSAY_PYTHON "$python"
set_or_unset ASSAY_TORCH "$torch"
set_or_unset ASSAY_TORCH_DIR "$torch_dir"
# A bundle on a read-only disk leaves results where it is called.
[ -n "${ASSAY_OUT-}" ] || [ -w "$home" ] || export ASSAY_OUT="$PWD/out"
exec "$home/bin/assay" "$@"
