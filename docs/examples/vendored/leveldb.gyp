# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#
# Builds Lull instead of LevelDB in an addon of Node.js. Replaces deps/leveldb/leveldb.gyp of
# classic-level and leveldown. The folder lull beside it has what cmake/amalgamate writes, and a
# copy of include/.
{
  "targets": [{
    "target_name": "leveldb",
    "type": "static_library",
    "dependencies": ["../snappy/snappy.gyp:snappy"],
    "defines": ["LULL_HAS_SNAPPY"],
    "sources": ["lull/lull.cc"],
    "direct_dependent_settings": {"include_dirs": ["lull/include"]},
    "cflags_cc!": ["-fno-exceptions", "-fno-rtti"],
    "cflags_cc": ["-std=c++20", "-fvisibility=hidden"]
  }]
}
