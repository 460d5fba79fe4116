// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The iterator that clients get: one entry per user key, without deletions, as of one sequence. One
// thread at a time.
#pragma once

#include <memory>

#include "db/dbformat.h"
#include "db/read/empty_ranges.h"
#include "db/read/read_counts.h"
#include "leveldb/iterator.h"
#include "table/table_reader.h"

namespace lull {

/// How a client's iterator reads, and what it has done since it last reported that.
class IteratorReads {
 public:
  /// `sums` can be null.
  IteratorReads(ReadCounts* sums, const BlockReadOptions& options)
      : sums_(sums), options_(options) {
    options_.counts = counts_.data();
    if (sums_ != nullptr) sums_->Add(kIteratorsOpened, 1);
  }
  ~IteratorReads() {
    counts_[kIteratorsClosed] += 1;
    Report();
  }
  IteratorReads(const IteratorReads&) = delete;
  IteratorReads& operator=(const IteratorReads&) = delete;

  const BlockReadOptions* options() const { return &options_; }
  OwnedCounter& operator[](ReadCount counter) { return counts_[counter]; }
  void Report() {
    if (sums_ != nullptr) sums_->Add(&counts_);
  }

 private:
  ReadCounts* const sums_;
  ReadCounts::Counters counts_;
  BlockReadOptions options_;
};

/// `internal` iterates over internal keys; entries newer than `sequence` are invisible. Malformed
/// keys are skipped, and make the status Corruption from then on. `internal` can use the options of
/// `reads`. Jumps over the range that `empty_ranges` knows, and reports others; REQUIRES: the
/// caller holds a guard of its domain. It can be null.
std::unique_ptr<leveldb::Iterator> NewDbIterator(const KeyOrder& order,
                                                 std::unique_ptr<leveldb::Iterator> internal,
                                                 SequenceNumber sequence,
                                                 std::unique_ptr<IteratorReads> reads,
                                                 EmptyRanges* empty_ranges = nullptr);

}  // namespace lull
