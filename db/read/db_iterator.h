// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The iterator that clients see: one entry per user key, deletions hidden, as of one sequence.
// One thread at a time.
#pragma once

#include <memory>

#include "db/dbformat.h"
#include "leveldb/iterator.h"
#include "util/striped_counter.h"

namespace lull {

/// `internal` walks internal keys in order; entries newer than `sequence` are invisible. Entries
/// with malformed keys are skipped and make the status Corruption from then on. The iterator adds
/// the bytes of the keys and values that it shows to `read_bytes`, which may be null.
std::unique_ptr<leveldb::Iterator> NewDbIterator(const KeyOrder& order,
                                                 std::unique_ptr<leveldb::Iterator> internal,
                                                 SequenceNumber sequence,
                                                 StripedCounter* read_bytes = nullptr);

}  // namespace lull
