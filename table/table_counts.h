// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// What a read of tables counts: positions in an array of counters that the reader provides. The
// array can go on with counters of its own.
#pragma once

#include <cstddef>

namespace lull {

enum TableCount : size_t {
  // Of gets and iterators.
  kBlocksFromCache,
  kBlocksFromFile,
  kBlockBytesFromFile,  ///< as stored
  kBlockCounts,
  // Of gets alone.
  kTablesSearched = kBlockCounts,  ///< with a block of theirs
  kFilterChecks,                   ///< of the client's filter policy
  kFilterPasses,                   ///< checks after which the block was searched
  kTableCounts
};

}  // namespace lull
