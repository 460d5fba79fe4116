# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#
# Shared code of the scripts in this directory. Each script is a client: a program that uses
# LevelDB. It defines:
#
#   version, runs    its version, and what is run, for the table
#   needs            the commands that it requires
#   cost             cheap: takes seconds, once it is built; long: takes longer
#   made_of          our files that its build uses
#   prepare          fetches and builds it for the system's LevelDB
#   run_tests        prints a line for each test, as pytest -rA, go test -v or cargo test do
#
# A script ends with `client_main "$@"`. Environment: CLIENT_CACHE, a directory for downloads and
# builds; CLIENT_LIBRARY_PATH, the directory of the libleveldb.so.1d to use, or empty for the
# system's.

cache=${CLIENT_CACHE:?is set by tests/clients/run}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
name=$(basename "$0")
cost=cheap
made_of=()
library_path=()  # directories of libraries that come with the client

# go_module MODULE VERSION FOLDER: makes a writable copy of a Go module.
go_module() {
  local fetch from
  fetch=$(mktemp -d)
  from=$(cd "$fetch" && go mod init fetch >/dev/null 2>&1 &&
    go mod download -json "$1@$2" | sed -n 's/^\t"Dir": "\(.*\)",\?$/\1/p')
  rm -rf "$3" "$fetch"
  cp -r "$from" "$3"
  chmod -R u+w "$3"
  [[ -f $3/go.mod ]] || (cd "$3" && go mod init "$1" && go mod tidy)
}

# debian_programs FOLDER PACKAGE...: unpacks Debian's packages, and the dependencies that this
# system lacks, into FOLDER/usr. Installs nothing.
debian_programs() {
  local folder=$1 package
  shift
  rm -rf "$folder"
  mkdir -p "$folder/packages/partial"
  if ! debian_download "$folder/packages" "$@" >"$folder/apt.log" 2>&1; then
    # The package lists may be absent or too old.
    apt-get update --quiet
    debian_download "$folder/packages" "$@"
  fi
  for package in "$folder"/packages/*.deb; do
    dpkg-deb --extract "$package" "$folder"
  done
  rm -rf "$folder/packages"
}

debian_download() {
  local archives=$1
  shift
  apt-get install --yes --quiet --download-only --no-install-recommends --reinstall \
    -o Debug::NoLocking=1 -o "Dir::Cache::archives=$archives" "$@"
}

# ceph_programs FOLDER: unpacks Ceph's programs, for the clients that share them.
ceph_programs() {
  [[ -f $1/complete ]] && return
  debian_programs "$1" ceph-mon ceph-base ceph-common python3-rados
  touch "$1/complete"
}

# use_debian_programs FOLDER: adds the libraries that debian_programs unpacked to the library path.
use_debian_programs() {
  library_path=("$1"/usr/lib/*-linux-gnu* "$1"/usr/lib/*-linux-gnu*/ceph "$1"/lib/*-linux-gnu*)
}

# Builds formats/store.cc for the system's LevelDB.
build_store_program() {
  c++ -std=c++17 -O2 -Wall -Wextra "$here/formats/store.cc" -lleveldb -o "$1"
}

prepare_once() {
  local stamp
  stamp=$(cat "$0" "$here/common.sh" "${made_of[@]}" | cksum)
  [[ $(cat "$cache/$name.prepared" 2>/dev/null) == "$stamp" ]] && return
  mkdir -p "$cache"
  prepare
  echo "$stamp" >"$cache/$name.prepared"
}

# The dynamic linker logs which libraries each process loads, which proves what was tested.
test_with_library() {
  local loads=$cache/$name.loads path code=0
  rm -rf "$loads"
  mkdir -p "$loads"
  path=$(IFS=: && echo "${CLIENT_LIBRARY_PATH:+$CLIENT_LIBRARY_PATH:}${library_path[*]-}")
  set +e
  (
    set -e
    unset LD_LIBRARY_PATH
    [[ -z ${path%:} ]] || export LD_LIBRARY_PATH=${path%:}
    export LD_DEBUG=files LD_DEBUG_OUTPUT=$loads/process
    run_tests
  )
  code=$?
  set -e
  check_loads "$loads" && return "$code"
}

# Checks that every process loaded the libleveldb under test.
check_loads() {
  local loaded wrong
  loaded=$(find "$1" -type f -exec sed -n 's/.*calling init: \(.*\/libleveldb.*\)/\1/p' {} +)
  wrong=$loaded
  if [[ -n ${CLIENT_LIBRARY_PATH:-} ]]; then
    wrong=$(grep --invert-match --fixed-strings --line-regexp \
      "$CLIENT_LIBRARY_PATH/libleveldb.so.1d" <<<"$loaded" || true)
  else
    wrong=$(grep --invert-match '^/.*/libleveldb\.so\.1d$' <<<"$loaded" || true)
  fi
  if [[ -n $wrong || -z $loaded ]]; then
    echo "test every process loads the library under test ... FAILED"
    echo "loaded: ${wrong:-no libleveldb at all}"
    return 1
  fi
  sort <<<"$loaded" | uniq -c | sed 's/^ *\([0-9]*\) \(.*\)/loaded \1 times: \2/'
}

client_main() {
  case ${1:-} in
    describe) printf '%s\t%s\t%s\t%s\n' "$version" "$needs" "$cost" "$runs" ;;
    prepare) prepare_once ;;
    test) test_with_library ;;
    *) echo "usage: CLIENT_CACHE=FOLDER $0 describe|prepare|test" >&2; exit 2 ;;
  esac
}
