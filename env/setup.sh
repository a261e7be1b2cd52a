# The long steps of ./assay, read by it: Debian packages, Python environments,
# build, tests. All they print goes to standard error, so that standard output
# belongs to the program. Not a program of its own.
# shellcheck shell=sh disable=SC2154

# What each is for: compiler and build, and packing what was built (zstd); the
# oracle (mpfr to arb); specs, command line and records (yaml, CLI11, json,
# fmt); tables of what GPUs give (libzstd); kept goldens (xxhash); pages
# (zlib1g); submissions (archive to openssh, for its signatures); tests and
# benchmarks; the workers (python; its headers are for what torch.compile
# generates).
packages='g++ cmake ninja-build zstd libmpfr-dev libgmp-dev libsleef-dev
  libboost-dev libflint-arb-dev libyaml-cpp-dev libcli11-dev
  nlohmann-json3-dev libfmt-dev libzstd-dev zlib1g-dev libxxhash-dev
  libarchive-dev nettle-dev openssh-client libgtest-dev libgmock-dev
  libbenchmark-dev python3 python3-dev python3-venv ca-certificates'

trap 'say interrupted; exit 3' INT TERM HUP

heading() { say "== $*"; }

# One start does a step, others wait for it and find it done. The lock goes
# with the process that holds it, however that ends.
take_lock() {
  exec 9>"$1"
  flock -n 9 && return
  say "another start is at work; waiting for it"
  flock 9
}
drop_lock() { exec 9>&-; }

missing_packages() {
  for package in $packages; do
    state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) || :
    [ "$state" = installed ] || printf ' %s' "$package"
  done
}

install_packages() {
  [ "${ASSAY_PACKAGES-}" != skip ] || return 0
  if ! { command -v dpkg-query && command -v apt-get; } >/dev/null; then
    say "this is no Debian. Install what these Debian packages hold:"
    # shellcheck disable=SC2086
    say " " $packages
    die "and start again with ASSAY_PACKAGES=skip"
  fi
  missing=$(missing_packages)
  [ -n "$missing" ] || return 0
  as_root=
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null ||
      die "missing Debian packages, and no sudo to install them:$missing"
    as_root=sudo
  fi
  heading "installing Debian packages:$missing"
  # shellcheck disable=SC2086
  if ! $as_root apt-get update >&2 ||
    ! $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y \
      --no-install-recommends -o DPkg::Lock::Timeout=600 $missing >&2; then
    die "the Debian packages could not be installed; see above"
  fi
}

has_package() {
  "$1" -c 'import importlib.util as u, sys
exit(not u.find_spec(sys.argv[1]))' "$2" 2>/dev/null
}

# make_env DIR PACKAGE [PIP-ARGUMENT...]: a venv that has PACKAGE, complete or
# not there at all: the mark is set last, and what has none is made anew.
make_env() {
  dir=$1 wanted=$2
  shift 2
  [ -e "$dir/.complete" ] && has_package "$dir/bin/python" "$wanted" && return
  mkdir -p "$cache"
  take_lock "$cache/.lock"
  if ! [ -e "$dir/.complete" ] || ! has_package "$dir/bin/python" "$wanted"
  then
    install_packages
    heading "preparing a Python environment in $dir"
    rm -rf "$dir"
    /usr/bin/python3 -m venv "$dir" >&2 || die "no venv in $dir; see above"
    if [ -n "${base_env-}" ]; then
      echo "$base_env"/lib/python3*/site-packages \
        >"$(echo "$dir"/lib/python3*/site-packages)/assay-base.pth"
    fi
    "$dir/bin/python" -m pip install --disable-pip-version-check "$@" >&2 ||
      die "pip could not fill $dir; see above"
    has_package "$dir/bin/python" "$wanted" ||
      die "$dir has no $wanted after all"
    : >"$dir/.complete"
  fi
  drop_lock
}

short_hash() { cat "$@" | sha256sum | cut -c1-12; }

torch_lock() {
  lock=$home/env/torch-$1.lock
  [ -e "$lock" ] && return
  known=$(cd "$home/env" && echo torch-*.lock | sed 's/torch-//g;s/\.lock//g')
  die "no pinned environment for torch $1; there is: $known"
}

# torch_env VERSION: sets `dir`.
torch_env() {
  torch_lock "$1"
  make_env "$cache/env-$1-$(short_hash "$lock")" torch --no-deps -r "$lock"
}

# package_env NAME: an environment of its own, without torch. Sets `dir`.
package_env() {
  lock=$home/env/$1.lock
  make_env "$cache/env-$1-$(short_hash "$lock")" "$1" --no-deps -r "$lock"
}

# with_env VERSION REQUIREMENT: the environment of that version and one
# package more. It looks through to the other by a path file rather than hold
# torch a second time. Sets `dir`.
with_env() {
  torch_env "$1"
  base_env=$dir
  more=$home/env/${2%%[=<>]*}.lock
  if [ -e "$more" ] && { [ "${2#*=}" = "$2" ] || grep -qxF "$2" "$more"; }; then
    make_env "$cache/env-$1+${2%%=*}-$(short_hash "$lock" "$more")" torch \
      --no-deps -r "$more"
  else
    say "$2 is not pinned in env/: pip chooses its dependencies"
    tag=$(printf %s "$2" | tr -c 'A-Za-z0-9._\n' -)
    make_env "$cache/env-$1+$tag-$(short_hash "$lock")" torch -c "$lock" "$2"
  fi
}

print_env() {
  case $#,${1-},${2-} in
    1,jax, | 1,onnxruntime,) package_env "$1" ;;
    1,*) torch_env "$1" ;;
    3,*,--with) with_env "$1" "$3" ;;
    *) die "usage: ./assay env TORCH-VERSION [--with PACKAGE[==VERSION]], or
  ./assay env jax, ./assay env onnxruntime" ;;
  esac
  echo "$dir/bin/python"
}

# Sets torch_dir and torch from the environment of $python.
find_torch() {
  torch_dir=$("$python" -c 'import importlib.util as u
s = u.find_spec("torch")
print(s.submodule_search_locations[0] if s else "")') ||
    die "$python does not run"
  [ -n "$torch_dir" ] ||
    die "$python has no torch; install torch 2.10 to 2.15 there"
  torch=$(torch_in "$torch_dir")
  case $torch in
    2.1[0-5].*) ;;
    *) die "$python has torch $torch; Assay needs 2.10 to 2.15" ;;
  esac
}

# All that has to be there before the program can start.
prepare() {
  if [ -n "$own_python" ]; then
    python=$own_python
  else
    torch_env "$version"
    python=$dir/bin/python
  fi
  find_torch
  mkdir -p "$build"
  take_lock "$build.lock"
  ready || build_programs
  drop_lock
  trap - INT TERM HUP
}

# The stamp is as old as the start of the build: a file that is edited while
# the build runs makes the next start build again.
build_programs() {
  printf '%s\n' "$python" "$torch_dir" "$torch" "CXX=${CXX-}" >"$stamp.new"
  if ! [ -e "$build/build.ninja" ] || ! cmp -s "$stamp.new" "$stamp"; then
    install_packages
    heading "configuring $build"
    rm -f "$stamp"
    cmake --fresh -S "$home" --preset "$preset" -B "$build" \
      -D ASSAY_TORCH_DIR="$torch_dir" >&2 || die "configuring failed"
  fi
  heading "building in $build"
  cmake --build "$build" --target programs >&2 || die "the build failed"
  mv "$stamp.new" "$stamp"
}

run_tests() {
  heading "building the tests in $build"
  take_lock "$build.lock"
  cmake --build "$build" >&2 || die "the build failed"
  drop_lock
  log=$build/ctest.log
  rm -f "$log"
  case " $* " in *long*) ;; *) set -- -LE long "$@" ;; esac
  ctest --test-dir "$build" --output-on-failure --no-tests=error -j 2 \
    -O "$log" "$@" || :
  awk '/ tests passed, .* tests failed out of / { f = $4; n = $NF }
       END { printf "%d passed, %d failed\n", n - f, f
             exit n == 0 ? 2 : f > 0 }' "$log"
  exit
}
