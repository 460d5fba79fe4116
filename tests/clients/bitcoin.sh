# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#
# Shared code of the clients that build Bitcoin Core. Sourced after common.sh.

needs='cargo cmake'
folder=$cache/$name
made_of+=("$here/bitcoin.sh")

# bitcoin_source CRATE=VERSION...: unpacks the crate libbitcoinkernel-sys, which contains Bitcoin
# Core, and these crates twice, in the folders stock and lull.
bitcoin_source() {
  local build
  rm -rf "$folder"
  fetch_crates "$folder/crates" libbitcoinkernel-sys=0.4.1 "$@"
  [[ -d /usr/include/boost/test ]] ||
    apt-get install --yes --quiet --no-install-recommends libboost-dev
  for build in stock lull; do
    mkdir "$folder/$build"
    cp -r "$folder/crates"/*bitcoinkernel* "$folder/$build"
  done
}

# Puts Lull's source in the place of LevelDB's.
bitcoin_use_lull() {
  local bitcoin=$folder/lull/libbitcoinkernel-sys/bitcoin
  local leveldb=$bitcoin/src/leveldb
  rm -rf "$leveldb"
  "$root/cmake/amalgamate" "$leveldb"
  cp -r "$root/include" "$leveldb"
  mkdir -p "$leveldb/helpers/memenv"
  cp "$root/include/leveldb/helpers/memenv.h" "$leveldb/helpers/memenv"
  cp "$root/docs/examples/vendored/leveldb.cmake" "$bitcoin/cmake"
}
