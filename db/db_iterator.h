// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The iterator that clients see: user keys, one entry a key, deletions hidden, as of one sequence.
// One thread at a time.
#pragma once

#include <memory>

#include "db/dbformat.h"
#include "leveldb/iterator.h"
#include "util/striped_counter.h"

namespace lull {

/// `internal` walks internal keys in order; entries newer than `sequence` are invisible. An entry
/// whose key cannot be parsed makes the iterator invalid with a Corruption status. The bytes of
/// keys and values that it shows are added to `read_bytes`, now and then; null: they are not
/// counted.
std::unique_ptr<leveldb::Iterator> NewDbIterator(const KeyOrder& order,
                                                 std::unique_ptr<leveldb::Iterator> internal,
                                                 SequenceNumber sequence,
                                                 StripedCounter* read_bytes = nullptr);

}  // namespace lull
