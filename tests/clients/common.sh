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
# A client that includes LevelDB's source is built twice. Its prepare builds it as it is, in
# $cache/$name/stock, and it also defines:
#
#   build_lull       builds it in $cache/$name/lull, with Lull's source in the place of LevelDB's
#   binary           the file that then contains the library, below either folder
#
# A script ends with `client_main "$@"`. Environment: CLIENT_CACHE, a directory for downloads and
# builds; CLIENT_LIBRARY_PATH, the directory of the libleveldb.so.1d to use, or empty for the
# system's. For a client that is built twice, it decides only which build is tested.

cache=${CLIENT_CACHE:?is set by tests/clients/run}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
name=$(basename "$0")
side=stock
[[ -z ${CLIENT_LIBRARY_PATH:-} ]] || side=lull
cost=cheap
binary=
made_of=()
lull_source=("$root"/{CMakeLists.txt,LICENSE,NOTICE,cmake,include,util,table,scheduler,db})
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

# debian_source FOLDER PACKAGE ARCHIVE: unpacks a source package's archive with a fitting name.
debian_source() {
  local folder=$1 apt=$1-apt list options
  rm -rf "$folder" "$apt"
  mkdir -p "$folder" "$apt/lists/partial" "$apt/sources"
  for list in /etc/apt/sources.list /etc/apt/sources.list.d/debian.sources; do
    [[ ! -f $list ]] || sed -e 's/^deb /deb-src /' -e 's/^Types:.*/Types: deb-src/' "$list" \
      >"$apt/sources/${list##*/}"
  done
  options=(-o Dir::Etc::SourceList=/dev/null -o "Dir::Etc::SourceParts=$apt/sources"
    -o "Dir::State::Lists=$apt/lists" -o Dir::Cache::PkgCache= -o Dir::Cache::SrcPkgCache=)
  apt-get "${options[@]}" update --quiet
  # A mirror can lack the other archives of the package, which are not used.
  (cd "$apt" && apt-get "${options[@]}" source --quiet --download-only --tar-only "$2") || true
  # shellcheck disable=SC2086  # a pattern
  tar -C "$folder" --strip-components=1 -xf "$apt"/$3
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

# fetch_crates FOLDER CRATE=VERSION...: unpacks crates, and those that they need, into FOLDER.
fetch_crates() {
  local fetch crate
  fetch=$(mktemp -d)
  mkdir "$fetch/src"
  : >"$fetch/src/lib.rs"
  printf '[package]\nname = "fetch"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\n' \
    >"$fetch/Cargo.toml"
  for crate in "${@:2}"; do
    echo "${crate%=*} = \"=${crate#*=}\"" >>"$fetch/Cargo.toml"
  done
  rm -rf "$1"
  cargo vendor --quiet --manifest-path "$fetch/Cargo.toml" "$1" >/dev/null
  rm -rf "$fetch" "$1"/*/.cargo-checksum.json
}

# copy_lull FOLDER: makes FOLDER a copy of the files that build Lull's library.
copy_lull() {
  rm -rf "$1"
  mkdir -p "$1"
  cp -r "${lull_source[@]}" "$1"
}

# Builds formats/store.cc for the system's LevelDB.
build_store_program() {
  c++ -std=c++17 -O2 -Wall -Wextra "$here/formats/store.cc" -lleveldb -o "$1"
}

prepare_once() {
  local sources
  once prepare "${made_of[@]}"
  [[ -n $binary ]] || return 0
  mapfile -t sources < <(find "${lull_source[@]}" -type f | sort)
  once build_lull "${made_of[@]}" "${sources[@]}"
}

# once STEP FILE...: runs the function STEP, unless it already did with the same FILEs.
once() {
  local step=$1 stamp
  stamp=$(cat "$0" "$here/common.sh" "${@:2}" | cksum)
  [[ $(cat "$cache/$name.$step" 2>/dev/null) == "$stamp" ]] && return
  mkdir -p "$cache"
  rm -f "$cache/$name.build_lull"
  "$step"
  echo "$stamp" >"$cache/$name.$step"
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
  if [[ -n $binary ]]; then
    check_contents "$loads" && return "$code"
  else
    check_loads "$loads" && return "$code"
  fi
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

# Checks that the processes loaded the file under test, and no other libleveldb, and that Lull is
# in this file only if it was built so (util/build_info.h).
check_contents() {
  local file loaded others wrong='' has=stock
  file=$(compgen -G "$cache/$name/$side/$binary" || true)
  file=$(realpath "${file:-$cache/$name/$side/missing}")
  loaded=$(find "$1" -type f \
    -exec sed -n 's/.*\(calling init\|initialize program\): \(.*\)/\2/p' {} + | sort |
    xargs --no-run-if-empty --delimiter='\n' realpath --canonicalize-missing)
  others=$(grep '/libleveldb' <<<"$loaded" | grep --invert-match --fixed-strings "$file" || true)
  grep --quiet --text '@(#)Lull ' "$file" && has=lull
  [[ $has == "$side" ]] || wrong="it contains $has"
  [[ -z $others ]] || wrong="also loaded: $others"
  grep --quiet --fixed-strings "$file" <<<"$loaded" || wrong="not loaded"
  if [[ -n $wrong ]]; then
    echo "test the tests used $file ... FAILED"
    echo "$wrong"
    return 1
  fi
  echo "loaded $(grep --count --fixed-strings "$file" <<<"$loaded") times: $file, contains $has"
}

client_main() {
  local library=system
  [[ -z $binary ]] || library=included
  case ${1:-} in
    describe) printf '%s\t%s\t%s\t%s\t%s\n' "$version" "$needs" "$cost" "$library" "$runs" ;;
    prepare) prepare_once ;;
    test) test_with_library ;;
    *) echo "usage: CLIENT_CACHE=FOLDER $0 describe|prepare|test" >&2; exit 2 ;;
  esac
}
