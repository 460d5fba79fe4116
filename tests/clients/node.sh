# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#
# Shared code of the clients in Node.js that include LevelDB's source. Sourced after common.sh.

needs='npm node python3'
binary='build/Release/*.node'
folder=$cache/$name
made_of+=("$here/node.sh")

# node_addon PACKAGE=VERSION MODULE...: unpacks an addon twice, with its dependencies and with the
# MODULEs that its tests need, in the folders stock and lull. Runs no scripts of packages.
node_addon() {
  local build
  rm -rf "$folder"
  mkdir -p "$folder/tools"
  npm pack --silent --pack-destination "$folder" "${1%=*}@${1#*=}"
  npm install --silent --ignore-scripts --no-audit --no-fund --prefix "$folder/tools" node-gyp@11
  for build in stock lull; do
    mkdir "$folder/$build"
    tar -C "$folder/$build" --strip-components=1 -xf "$folder/${1%=*}-${1#*=}.tgz"
    (
      cd "$folder/$build"
      rm -rf prebuilds
      npm pkg delete devDependencies
      npm install --silent --ignore-scripts --no-audit --no-fund --no-save "${@:2}"
    )
  done
}

# node_build stock|lull: compiles an addon, for the installed Node.js if that has its headers.
node_build() {
  local headers
  headers=$(dirname "$(dirname "$(realpath "$(command -v node)")")")
  [[ -f $headers/include/node/node_api.h ]] || headers=
  (cd "$folder/$1" && "$folder/tools/node_modules/.bin/node-gyp" rebuild --silent \
    ${headers:+--nodedir="$headers"} --jobs="$(nproc)")
}

# Puts Lull's source in the place of LevelDB's.
node_use_lull() {
  local leveldb=$folder/lull/deps/leveldb
  rm -rf "$leveldb/lull" "$folder/lull/build"
  "$root/cmake/amalgamate" "$leveldb/lull"
  cp -r "$root/include" "$leveldb/lull"
  cp "$root/docs/examples/vendored/leveldb.gyp" "$leveldb"
}

# Adds a line for each test to the output of tape, which has a line for each assertion.
tests_of_tap() {
  awk '
    function finish() {
      if (asserted) {
        number = ++seen[title] > 1 ? " #" seen[title] : ""
        printf "test %s%s ... %s\n", title, number, failed ? "FAILED" : "ok"
      }
      asserted = failed = 0
    }
    /^# / || /^1\.\.[0-9]/ { finish(); title = substr($0, 3) }
    /^ok / { asserted++ }
    /^not ok / { asserted++; failed++ }
    { print }
    END { finish() }'
}
