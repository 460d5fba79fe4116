// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The iterator that clients get: one entry per user key, without deletions, as of one sequence. One
// thread at a time.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "db/base/dbformat.h"
#include "db/read/empty_ranges.h"
#include "db/read/read_counts.h"
#include "leveldb/iterator.h"
#include "table/table_reader.h"

namespace lull {

/// What an iterator does above tables; see ReadCount.
struct IteratorWork {
  uint64_t seeks = 0;
  uint64_t steps = 0;
  uint64_t entries_skipped = 0;
  uint64_t bytes_returned = 0;
};

/// How a client's iterator reads, and where it reports what it did.
class IteratorReads {
 public:
  /// `sums` can be null.
  IteratorReads(ReadCounts* sums, const BlockReadOptions& options)
      : sums_(sums), options_(options) {
    options_.counts = counts_.data();
    if (sums_ != nullptr) sums_->Add(kIteratorsOpened, 1);
  }
  IteratorReads(const IteratorReads&) = delete;
  IteratorReads& operator=(const IteratorReads&) = delete;

  const BlockReadOptions* options() const { return &options_; }
  /// Adds `work`, and what was read from tables since the last report. With `closed` it is the last
  /// report.
  void Report(const IteratorWork& work, bool closed) {
    if (sums_ == nullptr) return;
    ReadCall sums(sums_);
    for (size_t i = 0; i < kBlockCounts; ++i) sums[i] += counts_[i].Take();
    sums[kSeeks] += work.seeks;
    sums[kSteps] += work.steps;
    sums[kEntriesSkipped] += work.entries_skipped;
    sums[kBytesReturned] += work.bytes_returned;
    if (closed) sums[kIteratorsClosed] += 1;
  }

 private:
  ReadCounts* const sums_;
  std::array<OwnedCounter, kBlockCounts> counts_;
  BlockReadOptions options_;
};

/// `internal` iterates over internal keys; entries newer than `sequence` are invisible. Malformed
/// keys are skipped, and make the status Corruption from then on. `internal` can use the options of
/// `reads`. Jumps over the range that `empty_ranges` knows, and reports others; REQUIRES: the
/// caller holds a guard of its domain. It can be null. Shows only keys within `bounds`, outside of
/// which `internal` can lack entries.
std::unique_ptr<leveldb::Iterator> NewDbIterator(const KeyOrder& order,
                                                 std::unique_ptr<leveldb::Iterator> internal,
                                                 SequenceNumber sequence,
                                                 std::unique_ptr<IteratorReads> reads,
                                                 EmptyRanges* empty_ranges = nullptr,
                                                 const KeyBounds& bounds = {});

}  // namespace lull
