// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// StoreFacts: how the tables of a store were written, as their bytes show it. The program lull
// cannot know the options of the program that owns a store. With others it would write tables that
// this program cannot read, or reads slowly.
#pragma once

#include <cstddef>
#include <string>

#include "leveldb/options.h"
#include "table/compression.h"

namespace lull::tools {

/// The defaults are for a store without tables. Every LevelDB reads blocks that are not compressed;
/// some are built without snappy.
struct StoreFacts {
  Codec codec = Codec::kNone;
  int bloom_bits = 0;  ///< bits per key of LevelDB's Bloom filter; 0: no filter
  size_t block_bytes = leveldb::Options().block_size;
  size_t table_bytes = leveldb::Options().max_file_size;  ///< for Options::max_file_size
};

/// Reads a few blocks of a few tables, without the store's LOCK; skips tables that it cannot read.
/// For each fact, what most of the bytes show counts, but zlib if any table has it: see
/// StoreContext::TableCodec. Of the options, uses env and comparator.
StoreFacts FindStoreFacts(const leveldb::Options& options, const std::string& directory);

}  // namespace lull::tools
