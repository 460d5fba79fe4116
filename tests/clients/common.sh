# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#
# What the scripts of this folder have in common. Each is a client, a program that uses LevelDB:
#
#   version, runs    what is fetched, and what is run, for the table
#   needs            the commands without which it cannot be run
#   cost             cheap: seconds, once it is built; long: more
#   made_of          files of ours that it is built of
#   prepare          fetches and builds it for the system's LevelDB
#   run_tests        prints a line for each test, as pytest -rA, go test -v or cargo test do
#
# A script ends with `client_main "$@"`. In the environment: CLIENT_CACHE, a folder to keep things
# in; CLIENT_LIBRARY_PATH, where to find another libleveldb.so.1d than the system's, or empty.

cache=${CLIENT_CACHE:?is set by tests/clients/run}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
name=$(basename "$0")
cost=cheap
made_of=()
library_path=()  # folders of libraries that come with the client

# go_module MODULE VERSION FOLDER: a copy of a Go module that can be written to.
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

# debian_programs FOLDER PACKAGE...: unpacks Debian's packages, with what they depend on and this
# system lacks, in a folder, and installs nothing. The folder then has a usr of its own.
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

# ceph_programs FOLDER: Ceph's, for the clients that share them.
ceph_programs() {
  [[ -f $1/complete ]] && return
  debian_programs "$1" ceph-mon ceph-base ceph-common python3-rados
  touch "$1/complete"
}

# use_debian_programs FOLDER: lets what debian_programs unpacked find its libraries.
use_debian_programs() {
  library_path=("$1"/usr/lib/*-linux-gnu* "$1"/usr/lib/*-linux-gnu*/ceph "$1"/lib/*-linux-gnu*)
}

# Builds what uses the shared files of formats/ for the system's LevelDB.
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

# The dynamic linker writes down what each process loads, so that it is certain what was tested.
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

# Whether every libleveldb that was loaded is the one that was to be tested.
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
    echo "test every process loads the library that is tested ... FAILED"
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
