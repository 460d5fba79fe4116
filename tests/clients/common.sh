# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#
# What the scripts of this folder have in common. Each defines prepare, which fetches and builds the
# client for the system's LevelDB (once), and run_tests, and then calls client_main.
#
# In the environment: CLIENT_CACHE, a folder to keep things in; CLIENT_LIBRARY_PATH, where to find
# another libleveldb.so.1d than the system's, or empty.

cache=${CLIENT_CACHE:?is set by tests/clients/run}

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

client_main() {
  local name
  name=$(basename "$0")
  if [[ ! -f $cache/$name.prepared ]]; then
    mkdir -p "$cache"
    prepare
    touch "$cache/$name.prepared"
  fi
  if [[ -n ${CLIENT_LIBRARY_PATH:-} ]]; then
    export LD_LIBRARY_PATH=$CLIENT_LIBRARY_PATH
  fi
  run_tests
}
