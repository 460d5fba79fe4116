// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Ranges that iterators jump over: when one becomes known, when it ends, and what iterators then
// show.
#include "db/read/empty_ranges.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "db/write/batch_format.h"
#include "leveldb/db.h"
#include "leveldb/write_batch.h"
#include "lull/lull.h"
#include "tests/db/version_text.h"
#include "tests/support/fresh_directory.h"
#include "tests/support/rng.h"
#include "util/grace.h"

namespace lull {
namespace {

using leveldb::Slice;

class EmptyRangesTest : public ::testing::Test {
 protected:
  void Put(SequenceNumber sequence, const char* key) {
    leveldb::WriteBatch batch;
    batch.Put(key, "v");
    Check(sequence, &batch);
  }
  void Delete(SequenceNumber sequence, const char* key) {
    leveldb::WriteBatch batch;
    batch.Delete(key);
    Check(sequence, &batch);
  }
  void Check(SequenceNumber sequence, leveldb::WriteBatch* batch) {
    batch::SetSequence(batch, sequence);
    ranges_.Check(batch::Contents(*batch));
  }
  void Report(const char* begin, const char* end, SequenceNumber sequence) {
    std::optional<Slice> last;
    if (end != nullptr) last = Slice(end);
    ranges_.Report(begin, last, sequence);
  }
  std::string Known(SequenceNumber sequence) {
    const GraceGuard guard(grace_);
    const EmptyRange* const range = ranges_.Known(sequence);
    if (range == nullptr) return "nothing";
    const std::string text = *range->span.begin + ".." + range->span.end.value_or("");
    range->Unref();
    return text;
  }

  GraceDomain grace_;
  int retired_ = 0;
  EmptyRanges ranges_{testing::InternalOrder(), &grace_, [this] { ++retired_; }};
};

TEST_F(EmptyRangesTest, TheFirstReportIsOnlyWatched) {
  Report("a", "m", 10);
  EXPECT_EQ(Known(10), "nothing") << "a write that nobody checked can be under way";
  Report("a", "m", 11);
  EXPECT_EQ(Known(11), "nothing");
  Put(12, "x");  // the first one that is checked
  Report("b", "m", 11);
  EXPECT_EQ(Known(20), "b..m") << "an iterator as of 11 sees all writes that were not checked";
}

TEST_F(EmptyRangesTest, AnIteratorThatIsTooOldConfirmsNothing) {
  Report("a", "m", 10);
  Put(15, "x");
  Report("a", "m", 13);
  EXPECT_EQ(Known(20), "nothing") << "14 can be in the range";
  Report("a", "m", 15);
  EXPECT_EQ(Known(20), "a..m");
  EXPECT_EQ(Known(15), "a..m");
  EXPECT_EQ(Known(14), "nothing") << "14 can be in the range, and be deleted by 15";
}

TEST_F(EmptyRangesTest, WhenAllWritesAreCheckedAReportSuffices) {
  Report("a", "m", 10);
  Put(11, "x");
  Report("p", "q", 11);
  EXPECT_EQ(Known(11), "p..q");
  Put(12, "x");
  Report("r", "s", 11);
  EXPECT_EQ(Known(12), "p..q") << "12 was not checked against r..s";
}

TEST_F(EmptyRangesTest, AValueEndsTheRangeButADeletionDoesNot) {
  Report("a", "m", 10);
  Put(11, "x");
  Report("a", "m", 11);
  Delete(12, "b");
  Put(13, "m");
  EXPECT_EQ(Known(13), "a..m") << "m is not in it";
  Put(14, "a");
  EXPECT_EQ(Known(14), "nothing");
  EXPECT_EQ(Known(13), "nothing");
  EXPECT_GT(retired_, 0);
}

TEST_F(EmptyRangesTest, AValueEndsTheWatch) {
  Report("a", "m", 10);
  Put(11, "c");
  Report("a", "m", 10);  // as of 10, which does not see it
  EXPECT_EQ(Known(11), "nothing");
  leveldb::WriteBatch batch;
  batch.Put("x", "v");
  batch.Put("c", "v");
  Check(12, &batch);
  Report("a", "m", 11);
  EXPECT_EQ(Known(13), "nothing") << "the second entry of the batch counts too";
}

TEST_F(EmptyRangesTest, BothReportsMustFindItEmpty) {
  Report("a", "m", 10);
  Put(11, "x");
  Put(12, "x");
  Report("c", "z", 11);
  EXPECT_EQ(Known(12), "c..m");
}

TEST_F(EmptyRangesTest, TheEndCanBeMissing) {
  Report("a", nullptr, 10);
  Put(11, "A");
  Report("b", nullptr, 11);
  EXPECT_EQ(Known(11), "b..");
  Put(12, "zzz");
  EXPECT_EQ(Known(12), "nothing");
}

TEST_F(EmptyRangesTest, ChecksEndWhenTheRangeIsNotUsed) {
  Report("a", "m", 10);
  Put(11, "x");
  Report("a", "m", 11);
  SequenceNumber sequence = 12;
  for (int i = 0; i < 90'000; ++i) Put(sequence++, "x");
  EXPECT_EQ(Known(sequence), "a..m");
  for (int i = 0; i < 90'000; ++i) Put(sequence++, "x");
  EXPECT_EQ(Known(sequence), "a..m") << "the last use counts";
  for (int i = 0; i < 110'000; ++i) Put(sequence++, "x");
  EXPECT_EQ(Known(sequence), "nothing");
}

// ---- a store

std::string StoreKey(int i) { return "key" + std::to_string(100'000 + i); }

class EmptyRangesStoreTest : public ::testing::Test {
 protected:
  EmptyRangesStoreTest() {
    leveldb::Options options;
    options.create_if_missing = true;
    options.write_buffer_size = 64 << 10;
    leveldb::DB* db = nullptr;
    EXPECT_TRUE(lull::Open(options, SchedulingOptions().SetOwnCoordinator(true),
                           testing::FreshDirectory("empty_ranges"), &db)
                    .ok());
    db_.reset(db);
  }
  void Put(int i) { ASSERT_TRUE(db_->Put(leveldb::WriteOptions(), StoreKey(i), "v").ok()); }
  void Delete(int i) { ASSERT_TRUE(db_->Delete(leveldb::WriteOptions(), StoreKey(i)).ok()); }
  /// The first key from `from` on. Also checks that a scan forward and backward agrees.
  std::string FirstFrom(const std::string& from, const leveldb::Snapshot* snapshot = nullptr) {
    leveldb::ReadOptions read;
    read.snapshot = snapshot;
    const std::unique_ptr<leveldb::Iterator> iterator(db_->NewIterator(read));
    from.empty() ? iterator->SeekToFirst() : iterator->Seek(from);
    const std::string first = iterator->Valid() ? iterator->key().ToString() : "none";
    if (iterator->Valid()) {
      iterator->Prev();
      if (iterator->Valid()) {
        iterator->Next();
        EXPECT_EQ(iterator->key().ToString(), first);
      }
    }
    EXPECT_TRUE(iterator->status().ok());
    return first;
  }

  std::unique_ptr<leveldb::DB> db_;
};

TEST_F(EmptyRangesStoreTest, AQueueShowsItsFirstEntry) {
  constexpr int kLive = 500;
  int head = 0;
  for (int tail = 0; tail < 6000; ++tail) {
    Put(tail);
    if (tail < kLive) continue;
    Delete(head++);
    if (tail % 37 == 0) {
      ASSERT_EQ(FirstFrom(""), StoreKey(head)) << tail;
    }
    if (tail % 1000 == 0) {
      ASSERT_TRUE(Flush(db_.get()).ok());
    }
  }
  const int back = head - 400;  // in the middle of what is jumped over
  Put(back);
  EXPECT_EQ(FirstFrom(""), StoreKey(back));
  EXPECT_EQ(FirstFrom(StoreKey(back + 1)), StoreKey(head));
  Delete(back);
  EXPECT_EQ(FirstFrom(""), StoreKey(head));
}

TEST_F(EmptyRangesStoreTest, ASnapshotFromBeforeStillSeesTheEntries) {
  for (int i = 0; i < 2000; ++i) Put(i);
  const leveldb::Snapshot* const snapshot = db_->GetSnapshot();
  for (int i = 0; i < 1500; ++i) Delete(i);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(FirstFrom(""), StoreKey(1500));
    Put(1999);
  }
  EXPECT_EQ(FirstFrom("", snapshot), StoreKey(0));
  EXPECT_EQ(FirstFrom(StoreKey(700), snapshot), StoreKey(700));
  db_->ReleaseSnapshot(snapshot);
  for (int i = 1500; i < 2000; ++i) Delete(i);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(FirstFrom(""), "none");
    Delete(0);
  }
}

TEST_F(EmptyRangesStoreTest, AgreesWithAModelUnderRandomWrites) {
  testing::Rng rng(5);
  std::map<std::string, bool> model;
  for (int round = 0; round < 300; ++round) {
    const int at = static_cast<int>(rng.Below(4000));
    const int count = static_cast<int>(rng.Below(1500));
    for (int i = at; i < at + count; ++i) {
      Delete(i);
      model.erase(StoreKey(i));
    }
    for (int i = 0; i < 3; ++i) {
      const int live = static_cast<int>(rng.Below(5500));
      Put(live);
      model[StoreKey(live)] = true;
      for (int look = 0; look < 4; ++look) {
        const std::string from = StoreKey(static_cast<int>(rng.Below(5500)));
        const auto expected = model.lower_bound(from);
        ASSERT_EQ(FirstFrom(from), expected == model.end() ? "none" : expected->first) << round;
      }
      ASSERT_EQ(FirstFrom(""), model.begin()->first) << round;
    }
  }
}

}  // namespace
}  // namespace lull
