# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#
# Shared code of the clients in Node.js that include LevelDB's source: tests the binary of the
# package, and one with Lull. Sourced after common.sh.

needs='npm node python3'
binary='prebuilds/linux-*/*.node'
[[ $side == stock ]] || binary='build/Release/*.node'
folder=$cache/$name
vendored=$root/docs/examples/vendored
made_of+=("$here/node.sh" "$vendored/node-addon" "$vendored/leveldb.gyp")

# node_addon PACKAGE=VERSION MODULE...: unpacks an addon twice, with its dependencies and with the
# MODULEs that its tests need, in the folders stock and lull. Runs no scripts of packages. Of the
# binaries in the package, keeps the one for this system.
node_addon() {
  local build
  rm -rf "$folder"
  mkdir -p "$folder"
  npm pack --silent --pack-destination "$folder" "${1%=*}@${1#*=}"
  for build in stock lull; do
    mkdir "$folder/$build"
    tar -C "$folder/$build" --strip-components=1 -xf "$folder/${1%=*}-${1#*=}.tgz"
    (
      cd "$folder/$build"
      find prebuilds -type f \
        \( ! -path "*/linux-$(node -p process.arch)/*" -o -name '*musl*' \) -delete
      npm pkg delete devDependencies
      npm install --silent --ignore-scripts --no-audit --no-fund --no-save "${@:2}"
    )
  done
}

build_lull() {
  "$vendored/node-addon" "$folder/lull"
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
