// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Four clients whose batches show whether a copy of the store is one moment of it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "leveldb/db.h"
#include "leveldb/write_batch.h"
#include "tests/db/support/small_store.h"
#include "tests/support/event_count.h"

namespace lull::testing {

inline constexpr int kWriters = 4;
inline constexpr int kBatchesMax = 1500;  // of each

/// Four writers. A batch is two entries with the same value. The value lists, for each writer, the
/// number of a batch that was acknowledged before this one began.
class Writers {
 public:
  explicit Writers(leveldb::DB* db) : db_(db) {
    for (int w = 0; w < kWriters; ++w) threads_.push_back(InThread([this, w] { Write(w); }));
  }
  ~Writers() {
    stop_ = true;
    threads_.clear();
  }

  using Counts = std::array<int, kWriters>;
  Counts Acked() const {
    Counts counts;
    for (int w = 0; w < kWriters; ++w) counts[w] = acked_[w];
    return counts;
  }
  void AwaitMore(int batches) {
    const Counts before = Acked();
    for (int w = 0; w < kWriters; ++w) {
      acks_.Await("more batches",
                  [&] { return acked_[w] >= std::min(before[w] + batches, kBatchesMax); });
    }
  }

  static std::string KeyOf(int writer, int batch, char half) {
    return std::string(1, static_cast<char>('a' + writer)) + std::to_string(1'000'000 + batch) +
           half;
  }

  /// What is wrong with `contents`, if anything: it must be a state that the store had, and not
  /// older than `acked`.
  static std::string Wrong(const Contents& contents, const Counts& acked) {
    Counts held{};
    for (int w = 0; w < kWriters; ++w) {
      while (contents.contains(KeyOf(w, held[w] + 1, 'x'))) ++held[w];
      if (held[w] < acked[w]) return "writer " + std::to_string(w) + " lost what was acknowledged";
    }
    size_t entries = 0;
    for (int w = 0; w < kWriters; ++w) {
      for (int batch = 1; batch <= held[w]; ++batch) {
        const auto x = contents.find(KeyOf(w, batch, 'x'));
        const auto y = contents.find(KeyOf(w, batch, 'y'));
        if (y == contents.end() || x->second != y->second) return "half a batch";
        std::istringstream seen(x->second);
        for (int other = 0; other < kWriters; ++other) {
          int number = 0;
          seen >> number;
          if (number > held[other]) return "a batch is there, and not what came before it";
        }
        entries += 2;
      }
    }
    return entries == contents.size() ? "" : "a batch is missing among those of its writer";
  }

 private:
  void Write(int w) {
    for (int batch = 1; !stop_ && batch <= kBatchesMax; ++batch) {
      std::string value;
      for (const int count : Acked()) value += std::to_string(count) + " ";
      value.append(300, 'v');
      leveldb::WriteBatch entries;
      entries.Put(KeyOf(w, batch, 'x'), value);
      entries.Put(KeyOf(w, batch, 'y'), value);
      ASSERT_TRUE(db_->Write(Synced(batch % 500 == 0), &entries).ok());
      acked_[w] = batch;
      acks_.Note();
    }
  }

  leveldb::DB* const db_;
  std::array<std::atomic<int>, kWriters> acked_{};
  EventCount acks_;
  std::atomic<bool> stop_{false};
  std::vector<std::unique_ptr<ThreadHandle>> threads_;
};

}  // namespace lull::testing
