// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Ranges that iterators jump over: when one becomes known, when it ends, and what iterators then
// show.
#include "db/read/empty_ranges.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string>

#include "db/memory/batch_format.h"
#include "leveldb/db.h"
#include "leveldb/write_batch.h"
#include "lull/lull.h"
#include "tests/db/support/small_store.h"
#include "tests/db/support/version_text.h"
#include "tests/support/fresh_directory.h"
#include "tests/support/rng.h"
#include "tests/support/setting.h"
#include "util/grace.h"

namespace lull {
namespace {

using leveldb::Slice;

class EmptyRangesTest : public ::testing::Test {
 protected:
  /// Carries out one step: "a..m@10", an iterator as of 10 found that range empty; "+x-c@12", a
  /// batch that puts x and deletes c; "?20=a..m", the range known as of 20.
  void Step(const std::string& step) {
    const size_t at = step.find_first_of("@=");
    if (step[0] == '?') {
      EXPECT_EQ(Known(std::stoull(step.substr(1))), step.substr(at + 1)) << step;
      return;
    }
    const SequenceNumber sequence = std::stoull(step.substr(at + 1));
    if (step[0] == '+' || step[0] == '-') return Write(step.substr(0, at), sequence);
    const size_t dots = step.find("..");
    const std::string end = step.substr(dots + 2, at - dots - 2);
    std::optional<Slice> last;
    if (!end.empty()) last = Slice(end);
    ranges_.Report(step.substr(0, dots), last, sequence);
  }
  void Write(const std::string& entries, SequenceNumber sequence) {
    leveldb::WriteBatch batch;
    for (size_t i = 0; i < entries.size(); i += 2) {
      const std::string key = entries.substr(i + 1, 1);
      entries[i] == '+' ? batch.Put(key, "v") : batch.Delete(key);
    }
    batch::SetSequence(&batch, sequence);
    ranges_.Check(batch::Contents(batch));
  }
  std::string Known(SequenceNumber sequence) {
    const GraceGuard guard(grace_);
    const EmptyRange* const range = ranges_.Known(sequence);
    if (range == nullptr) return "none";
    const std::string text = *range->span.begin + ".." + range->span.end.value_or("");
    range->Unref();
    return text;
  }

  GraceDomain grace_;
  int retired_ = 0;
  EmptyRanges ranges_{testing::InternalOrder(), &grace_, [this] { ++retired_; }};
};

struct RangeRow {
  const char* what;
  const char* steps;
};

class EmptyRangesRows : public EmptyRangesTest, public ::testing::WithParamInterface<RangeRow> {};

TEST_P(EmptyRangesRows, IsKnown) {
  SCOPED_TRACE(GetParam().what);
  std::istringstream steps(GetParam().steps);
  for (std::string step; steps >> step;) Step(step);
}

INSTANTIATE_TEST_SUITE_P(
    All, EmptyRangesRows,
    ::testing::Values(
        // A write that nobody checked can be under way. An iterator as of 11 sees all of those.
        RangeRow{"the first report is only watched",
                 "a..m@10 ?10=none a..m@11 ?11=none +x@12 b..m@11 ?20=b..m"},
        // 14 can be in the range, and be deleted by 15.
        RangeRow{"an iterator that is too old confirms nothing",
                 "a..m@10 +x@15 a..m@13 ?20=none a..m@15 ?20=a..m ?15=a..m ?14=none"},
        // 12 was not checked against r..s.
        RangeRow{"a report suffices when all writes are checked",
                 "a..m@10 +x@11 p..q@11 ?11=p..q +x@12 r..s@11 ?12=p..q"},
        RangeRow{"a value ends the range, but a deletion or its end does not",
                 "a..m@10 +x@11 a..m@11 -b@12 +m@13 ?13=a..m +a@14 ?14=none ?13=none"},
        RangeRow{"a value ends the watch, also as the second entry of a batch",
                 "a..m@10 +c@11 a..m@10 ?11=none +x+c@12 a..m@11 ?13=none"},
        RangeRow{"both reports must find it empty", "a..m@10 +x@11 +x@12 c..z@11 ?12=c..m"},
        RangeRow{"the end can be missing", "a..@10 +A@11 b..@11 ?11=b.. +z@12 ?12=none"}));

TEST_F(EmptyRangesTest, ChecksEndWhenTheRangeIsNotUsed) {
  for (const char* step : {"a..m@10", "+x@11", "a..m@11"}) Step(step);
  SequenceNumber sequence = 12;
  const auto write = [&](int count) {
    for (int i = 0; i < count; ++i) Write("+x", sequence++);
  };
  write(90'000);
  EXPECT_EQ(Known(sequence), "a..m");
  write(90'000);
  EXPECT_EQ(Known(sequence), "a..m") << "the last use counts";
  write(110'000);
  EXPECT_EQ(Known(sequence), "none");
  EXPECT_GT(retired_, 0);
}

// ---- a store

std::string StoreKey(int i) { return "key" + std::to_string(100'000 + i); }

class EmptyRangesStoreTest : public ::testing::Test {
 protected:
  EmptyRangesStoreTest() {
    EXPECT_TRUE(testing::OpenAt(testing::SmallOptions(leveldb::Env::Default()),
                                testing::FreshDirectory("empty_ranges"), &db_,
                                "own_coordinator=true")
                    .ok());
  }
  void Put(int i) { ASSERT_TRUE(db_->Put({}, StoreKey(i), "v").ok()); }
  void Delete(int i) { ASSERT_TRUE(db_->Delete({}, StoreKey(i)).ok()); }
  /// The first key from `from` on. Also checks that a scan forward and backward agrees.
  std::string FirstFrom(const std::string& from, const leveldb::Snapshot* snapshot = nullptr) {
    const std::unique_ptr<leveldb::Iterator> iterator(db_->NewIterator(testing::At(snapshot)));
    from.empty() ? iterator->SeekToFirst() : iterator->Seek(from);
    const std::string first = iterator->Valid() ? iterator->key().ToString() : "none";
    if (iterator->Valid()) iterator->Prev();
    if (iterator->Valid()) {
      iterator->Next();
      EXPECT_EQ(iterator->key().ToString(), first);
    }
    EXPECT_TRUE(iterator->status().ok());
    return first;
  }

  std::unique_ptr<leveldb::DB> db_;
};

TEST_F(EmptyRangesStoreTest, AgreesWithAModelUnderRandomWrites) {
  using Model = std::set<std::string>;
  testing::Rng rng(5);
  Model model, frozen;
  const auto first_of = [](const Model& keys, const std::string& from) {
    const auto found = keys.lower_bound(from);
    return found == keys.end() ? "none" : *found;
  };
  const leveldb::Snapshot* snapshot = db_->GetSnapshot();
  const int rounds = static_cast<int>(testing::Strided(150));
  for (int round = 0; round < rounds; ++round) {
    const int at = static_cast<int>(rng.Below(4000));
    const int count = static_cast<int>(rng.Below(1500));
    for (int i = at; i < at + count; ++i) {
      Delete(i);
      model.erase(StoreKey(i));
    }
    for (int i = 0; i < 3; ++i) {
      const int live = static_cast<int>(rng.Below(5500));
      Put(live);
      model.insert(StoreKey(live));
      for (int look = 0; look < 4; ++look) {
        const std::string from = look == 0 ? "" : StoreKey(static_cast<int>(rng.Below(5500)));
        ASSERT_EQ(FirstFrom(from), first_of(model, from)) << round;
        if (look > 1) continue;
        ASSERT_EQ(FirstFrom(from, snapshot), first_of(frozen, from)) << round;
      }
    }
    if (round % 20 != 0) continue;
    for (int i = 0; i < 2000; ++i) {  // so that the snapshot sees what is deleted later
      Put(i);
      model.insert(StoreKey(i));
    }
    db_->ReleaseSnapshot(snapshot);
    snapshot = db_->GetSnapshot();
    frozen = model;
  }
  db_->ReleaseSnapshot(snapshot);
}

}  // namespace
}  // namespace lull
