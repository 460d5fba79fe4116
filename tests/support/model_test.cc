// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "tests/support/model.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "tests/support/crash_env.h"

namespace lull::testing {
namespace {

std::string Found(const Model& model, const std::string& key, uint64_t sequence) {
  const std::string* value = model.Find(key, sequence);
  return value != nullptr ? *value : "(none)";
}

TEST(ModelTest, EverySequenceSeesItsPast) {
  Model model(leveldb::BytewiseComparator());
  const uint64_t first = model.Commit({{"a", "1"}, {"b", "1"}});
  const uint64_t second = model.Commit({{"a", std::nullopt}, {"c", "2"}});
  const uint64_t third = model.Commit({{"a", "3"}, {"a", "4"}});
  EXPECT_EQ(Found(model, "a", first), "1");
  EXPECT_EQ(Found(model, "c", first), "(none)");
  EXPECT_EQ(Found(model, "a", second), "(none)");
  EXPECT_EQ(Found(model, "a", third), "4");
  EXPECT_TRUE(model.Shows({{"b", "1"}, {"c", "2"}}, second));
  EXPECT_FALSE(model.Shows({{"b", "1"}}, second));
}

bool IsX(std::string_view value) { return value == "x"; }

TEST(ModelTest, WhatAFilterDroppedIsGoneForLaterReaders) {
  Model model(leveldb::BytewiseComparator());
  const uint64_t first = model.Commit({{"a", "x"}, {"b", "x"}, {"c", "1"}});
  Model::Cursor before(model, first);
  model.MarkGone("a", first);
  const std::string from = "b";
  model.MarkGone(&from, nullptr, IsX);
  Model::Cursor after(model, first);
  EXPECT_EQ(Found(model, "a", first), "(none)");
  EXPECT_EQ(Found(model, "b", first), "(none)");
  EXPECT_EQ(Found(model, "c", first), "1");
  before.SeekToFirst();
  EXPECT_EQ(before.key(), "a");
  after.SeekToFirst();
  EXPECT_EQ(after.key(), "c");
  const uint64_t second = model.Commit({{"a", "x"}});
  EXPECT_EQ(Found(model, "a", second), "x");
  EXPECT_EQ(Found(model, "a", first), "(none)");
}

class CommitLogTest : public ::testing::Test {
 protected:
  CommitLogTest() {
    leveldb::Options options;
    options.env = &env_;
    options.create_if_missing = true;
    leveldb::DB* db = nullptr;
    EXPECT_TRUE(leveldb::DB::Open(options, "/store", &db).ok());
    db_.reset(db);
  }

  void Put(const std::string& key, const std::string& value) {
    ASSERT_TRUE(db_->Put({}, key, value).ok());
  }

  CrashEnv env_;
  std::unique_ptr<leveldb::DB> db_;
  CommitLog log_;
};

TEST_F(CommitLogTest, AcceptsEveryPrefixThatHoldsTheSyncedWrites) {
  using Fate = CommitLog::Fate;
  log_.Begin({{"a", "1"}}, Fate::kAckedSynced);
  log_.Begin({{"b", "2"}}, Fate::kAcked);
  log_.Begin({{"a", std::nullopt}, {"c", "3"}}, Fate::kAcked);
  EXPECT_FALSE(log_.MatchesPrefix(db_.get()).ok) << "the synced write is missing";
  Put("a", "1");
  EXPECT_TRUE(log_.MatchesPrefix(db_.get()).ok);
  EXPECT_EQ(log_.MatchesPrefix(db_.get()).prefix, 1u);
  EXPECT_FALSE(log_.MatchesPrefix(db_.get(), CommitLog::Demand::kAckedSurvives).ok);
  Put("c", "3");
  EXPECT_FALSE(log_.MatchesPrefix(db_.get()).ok) << "half of a batch, and a hole";
  Put("b", "2");
  db_->Delete({}, "a");
  EXPECT_EQ(log_.MatchesPrefix(db_.get()).prefix, 3u);
  EXPECT_TRUE(log_.MatchesPrefix(db_.get(), CommitLog::Demand::kAckedSurvives).ok);
}

TEST_F(CommitLogTest, FailedWritesMayBeThereOrNotInTheirPlace) {
  using Fate = CommitLog::Fate;
  log_.Begin({{"a", "1"}}, Fate::kFailed);
  log_.Begin({{"a", "2"}}, Fate::kAckedSynced);
  log_.Begin({{"b", "1"}}, Fate::kFailed);
  log_.Begin({{"c", "1"}}, Fate::kAckedSynced);
  Put("a", "1");
  EXPECT_FALSE(log_.MatchesPrefix(db_.get()).ok);
  Put("a", "2");
  Put("c", "1");
  EXPECT_TRUE(log_.MatchesPrefix(db_.get()).ok);
  Put("b", "1");
  EXPECT_TRUE(log_.MatchesPrefix(db_.get()).ok);
  Put("b", "wrong");
  EXPECT_FALSE(log_.MatchesPrefix(db_.get()).ok);
}

TEST_F(CommitLogTest, AnyOfManyFailedWritesMayBeThere) {
  using Fate = CommitLog::Fate;
  for (const char* key : {"a", "b", "c", "d", "e", "f", "g", "h"})
    log_.Begin({{key, "1"}}, Fate::kFailed);
  log_.Begin({{"i", "1"}}, Fate::kAckedSynced);
  Put("i", "1");
  EXPECT_TRUE(log_.MatchesPrefix(db_.get()).ok);
  for (const char* key : {"b", "d", "h"}) Put(key, "1");
  EXPECT_TRUE(log_.MatchesPrefix(db_.get()).ok);
  Put("h", "wrong");
  EXPECT_FALSE(log_.MatchesPrefix(db_.get()).ok);
}

TEST_F(CommitLogTest, ReadsGiveTheLastAckedValueOrAFailedOneSince) {
  using Fate = CommitLog::Fate;
  const std::string old = "old", now = "now", maybe = "maybe";
  log_.Begin({{"a", old}}, Fate::kAcked);
  log_.Begin({{"a", now}, {"b", now}}, Fate::kAcked);
  EXPECT_TRUE(log_.MayRead("a", &now));
  EXPECT_FALSE(log_.MayRead("a", &old));
  EXPECT_FALSE(log_.MayRead("a", nullptr));
  EXPECT_FALSE(log_.MayRead("c", &now));
  log_.Begin({{"a", maybe}}, Fate::kFailed);
  log_.BeginRemoval({"b", ""}, Fate::kFailed);
  EXPECT_TRUE(log_.MayRead("a", &now) && log_.MayRead("a", &maybe));
  EXPECT_TRUE(log_.MayRead("b", &now) && log_.MayRead("b", nullptr));
  log_.BeginRemoval({"", "b"}, Fate::kAcked);
  EXPECT_TRUE(log_.MayRead("a", nullptr));
  EXPECT_FALSE(log_.MayRead("a", &maybe));
}

TEST_F(CommitLogTest, WriteRecordsWhatTheStoreSaid) {
  EXPECT_TRUE(log_.Write(db_.get(), {{"a", "1"}}, true).ok());
  env_.SetCrashPoint(0);
  EXPECT_FALSE(log_.Write(db_.get(), {{"b", "1"}}, true).ok());
  EXPECT_TRUE(log_.MatchesPrefix(db_.get()).ok);
}

}  // namespace
}  // namespace lull::testing
