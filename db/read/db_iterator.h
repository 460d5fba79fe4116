// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The iterator that clients get: one entry per user key, without deletions, as of one sequence. One
// thread at a time.
#pragma once

#include <memory>

#include "db/dbformat.h"
#include "db/read/empty_ranges.h"
#include "leveldb/iterator.h"
#include "util/striped_counter.h"

namespace lull {

/// `internal` iterates over internal keys; entries newer than `sequence` are invisible. Malformed
/// keys are skipped, and make the status Corruption from then on. Adds the size of returned keys
/// and values to `read_bytes`. Jumps over the range that `empty_ranges` knows, and reports others;
/// REQUIRES: the caller holds a guard of its domain. Both can be null.
std::unique_ptr<leveldb::Iterator> NewDbIterator(const KeyOrder& order,
                                                 std::unique_ptr<leveldb::Iterator> internal,
                                                 SequenceNumber sequence,
                                                 StripedCounter* read_bytes = nullptr,
                                                 EmptyRanges* empty_ranges = nullptr);

}  // namespace lull
