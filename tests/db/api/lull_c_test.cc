// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// lull/c.h, called as from a C program. tests/headers checks that the header is C99.
#include <atomic>
#include <cstring>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lull/c.h"
#include "tests/support/event_count.h"
#include "tests/support/fresh_directory.h"
#include "tests/support/table_files.h"

namespace lull {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// Data of the callbacks about flushes. (The store may compact at any time after a flush.)
struct Heard {
  void AwaitEnd() {
    ended.Await("the end of a flush", [this] { return ended.count() > 0; });
  }

  std::atomic<int> begins{0};
  testing::EventCount ended;
  lull_job_info_t last_end = {};
  int destroyed = 0;
};

void OnBegin(void* state, const lull_job_info_t* job) {
  if (job->kind == lull_job_flush) ++static_cast<Heard*>(state)->begins;
}

void OnEnd(void* state, const lull_job_info_t* job) {
  if (job->kind != lull_job_flush) return;
  auto* const heard = static_cast<Heard*>(state);
  heard->last_end = *job;
  heard->ended.Note();
}

void OnDestroyed(void* state) { ++static_cast<Heard*>(state)->destroyed; }

/// Null if the structure's size is that of no version.
lull_listener_t* ListenerOf(Heard* heard, size_t struct_size = sizeof(lull_callbacks_t)) {
  lull_callbacks_t callbacks = {};
  callbacks.struct_size = struct_size;
  callbacks.job_begin = OnBegin;
  callbacks.job_end = OnEnd;
  return lull_listener_create(&callbacks, heard, OnDestroyed);
}

class LullCTest : public ::testing::Test {
 protected:
  LullCTest() : options_(leveldb_options_create()), write_(leveldb_writeoptions_create()) {
    leveldb_options_set_create_if_missing(options_, 1);
  }
  ~LullCTest() override {
    if (db_ != nullptr) leveldb_close(db_);
    leveldb_writeoptions_destroy(write_);
    leveldb_options_destroy(options_);
    EXPECT_EQ(error_, nullptr);
  }

  void Open(const char* scheduling) {
    db_ = lull_open(options_, scheduling, name_.c_str(), &error_);
    ASSERT_EQ(error_, nullptr) << error_;
    ASSERT_NE(db_, nullptr);
  }
  void Put(const char* key) {
    leveldb_put(db_, write_, key, std::strlen(key), "v", 1, &error_);
    ASSERT_EQ(error_, nullptr) << error_;
  }
  /// "absent" for a missing key.
  std::string Get(const std::string& key, leveldb_t* db = nullptr) {
    leveldb_readoptions_t* const read = leveldb_readoptions_create();
    size_t length = 0;
    char* const value =
        leveldb_get(db != nullptr ? db : db_, read, key.data(), key.size(), &length, &error_);
    leveldb_readoptions_destroy(read);
    const std::string found = value != nullptr ? std::string(value, length) : "absent";
    leveldb_free(value);
    return found;
  }
  std::string Property(const char* name) {
    char* const text = leveldb_property_value(db_, name);
    EXPECT_NE(text, nullptr) << name;
    const std::string value = text != nullptr ? text : "";
    leveldb_free(text);
    return value;
  }
  void ExpectError(const std::string& part) {
    const std::string error = TakeError();
    EXPECT_NE(error.find(part), std::string::npos) << error;
  }
  /// Returns the message and clears it.
  std::string TakeError() {
    if (error_ == nullptr) return "";
    const std::string text = error_;
    leveldb_free(error_);
    error_ = nullptr;
    return text;
  }

  const std::string name_ = testing::FreshDirectory("lull_c");
  leveldb_options_t* const options_;
  leveldb_writeoptions_t* const write_;
  leveldb_t* db_ = nullptr;
  char* error_ = nullptr;
};

TEST_F(LullCTest, OpensWithAnOptionStringThatChangesOrIsRefusedByName) {
  Open("policy=leveldb;own_coordinator=1;l0_stop=20");
  EXPECT_THAT(Property(LULL_PROPERTY_OPTIONS),
              AllOf(HasSubstr("policy=leveldb"), HasSubstr("l0_stop=20")));
  lull_set_options(db_, "policy=silk;l0_trigger=6;l0_stop=0", &error_);
  EXPECT_EQ(TakeError(), "");
  EXPECT_THAT(Property(LULL_PROPERTY_OPTIONS),
              AllOf(HasSubstr("policy=silk;"), HasSubstr("l0_trigger=6;")));
  lull_set_options(db_, "compaction_threads=7", &error_);
  ExpectError("compaction_threads");
  for (const char* name : {LULL_PROPERTY_STATS, LULL_PROPERTY_METRICS, LULL_PROPERTY_SPACE})
    EXPECT_NE(Property(name), "");
}

TEST_F(LullCTest, DeletesRanges) {
  Open("own_coordinator=1");
  for (const char* key : {"a", "b", "c", "d"}) Put(key);
  lull_flush(db_, &error_);
  uint64_t bytes = 7, bytes_left = 0;
  lull_delete_files_in_range(db_, "b", 1, nullptr, 0, &bytes, &bytes_left, &error_);
  EXPECT_EQ(bytes, 0u);
  EXPECT_GT(bytes_left, 0u) << "the table with a, too";
  EXPECT_EQ(Get("c"), "v");
  lull_delete_range(db_, "b", 1, "d", 1, &error_);
  EXPECT_EQ(Get("a") + Get("b") + Get("c") + Get("d"), "vabsentabsentv");
  lull_delete_range(db_, nullptr, 0, nullptr, 0, &error_);
  EXPECT_EQ(Get("a") + Get("d"), "absentabsent");
  lull_delete_files_in_range(db_, nullptr, 0, nullptr, 0, nullptr, nullptr, &error_);
  EXPECT_EQ(TakeError(), "");
}

TEST_F(LullCTest, IngestsTables) {
  Open("own_coordinator=1");
  Put("b");
  const std::string first = name_ + "-1", second = name_ + "-2";
  leveldb::Options options;
  ASSERT_TRUE(testing::BuildTable(options, first, {{"a", "1"}, {"b", "2"}}).ok());
  ASSERT_TRUE(testing::BuildTable(options, second, {{"c", "3"}}).ok());
  const char* const paths[] = {second.c_str(), first.c_str(), nullptr};
  lull_ingest_tables(db_, paths, 2, &error_);
  EXPECT_EQ(TakeError(), "");
  EXPECT_EQ(Get("a") + Get("b") + Get("c"), "123");
  lull_ingest_tables(db_, paths, 3, &error_);
  ExpectError("path");
}

TEST_F(LullCTest, ReadsSeveralKeysAndWithinBounds) {
  Open("own_coordinator=1");
  for (const char* key : {"a", "b", "d"}) Put(key);
  leveldb_readoptions_t* const options = leveldb_readoptions_create();
  EXPECT_EQ(lull_exists(db_, options, "b", 1, &error_), 1);
  EXPECT_EQ(lull_exists(db_, options, "c", 1, &error_), 0);
  EXPECT_EQ(TakeError(), "");

  const char* const keys[] = {"d", "c", "a"};
  const size_t key_lens[] = {1, 1, 1};
  char* values[3];
  size_t value_lens[3];
  char* errors[3];
  lull_multi_get(db_, options, 3, keys, key_lens, values, value_lens, errors);
  EXPECT_EQ(std::string(values[0], value_lens[0]) + std::string(values[2], value_lens[2]), "vv");
  EXPECT_EQ(values[1], nullptr);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(errors[i], nullptr);
    leveldb_free(values[i]);
  }

  leveldb_iterator_t* const at = lull_new_iterator(db_, options, "b", 1, nullptr, 0);
  leveldb_iter_seek_to_first(at);
  ASSERT_TRUE(leveldb_iter_valid(at));
  size_t length = 0;
  EXPECT_EQ(std::string(leveldb_iter_key(at, &length), 1), "b");
  leveldb_iter_destroy(at);
  leveldb_iterator_t* const prefixed = lull_new_prefix_iterator(db_, options, "d", 1);
  leveldb_iter_seek_to_first(prefixed);
  ASSERT_TRUE(leveldb_iter_valid(prefixed));
  EXPECT_EQ(std::string(leveldb_iter_key(prefixed, &length), 1), "d");
  leveldb_iter_destroy(prefixed);
  leveldb_readoptions_destroy(options);
}

TEST_F(LullCTest, TriesToWrite) {
  Open("own_coordinator=1");
  leveldb_writebatch_t* const batch = leveldb_writebatch_create();
  leveldb_writebatch_put(batch, "a", 1, "v", 1);
  int cause = -1;
  uint64_t room_us = 7;
  EXPECT_EQ(lull_try_write(db_, write_, batch, 1000, &cause, &room_us, &error_), 0);
  EXPECT_EQ(lull_try_write(db_, write_, batch, 1000, nullptr, nullptr, &error_), 0);
  EXPECT_EQ(TakeError(), "");
  EXPECT_EQ(room_us, 0u);
  EXPECT_EQ(Get("a"), "v");
  leveldb_writebatch_destroy(batch);
}

TEST_F(LullCTest, MakesACheckpoint) {
  Open("own_coordinator=1");
  Put("a");
  const std::string copy = name_ + "/copy";
  lull_create_checkpoint(db_, copy.c_str(), &error_);
  ASSERT_EQ(TakeError(), "");
  lull_create_checkpoint(db_, copy.c_str(), &error_);
  ExpectError("must be empty, but contains");
  leveldb_t* const second = lull_open(options_, "", copy.c_str(), &error_);
  ASSERT_EQ(TakeError(), "");
  EXPECT_EQ(Get("a", second), "v");
  leveldb_close(second);
}

TEST_F(LullCTest, AReadOnlyStoreIsRefreshed) {
  Open("own_coordinator=1");
  leveldb_t* const reader = lull_open_read_only(options_, name_.c_str(), &error_);
  ASSERT_EQ(TakeError(), "");
  Put("a");
  EXPECT_EQ(Get("a", reader), "absent");
  lull_refresh(reader, &error_);
  lull_refresh(db_, &error_);
  EXPECT_EQ(TakeError(), "");
  EXPECT_EQ(Get("a", reader), "v");
  leveldb_close(reader);
}

TEST_F(LullCTest, MakesListsAndRestoresBackups) {
  Open("own_coordinator=1");
  const std::string dir = name_ + "/backups", copy = name_ + "/copy";
  size_t count = 7;
  EXPECT_EQ(lull_list_backups(dir.c_str(), &count, &error_), nullptr);
  EXPECT_EQ(count, 0u);
  ExpectError("contains no backups");
  Put("a");
  lull_backup_info_t info = {};
  lull_create_backup(db_, dir.c_str(), &info, &error_);
  ASSERT_EQ(TakeError(), "");
  EXPECT_EQ(info.id, 1u);
  EXPECT_EQ(info.files, 1u);
  EXPECT_EQ(info.new_files, 1u);
  Put("b");
  lull_create_backup(db_, dir.c_str(), nullptr, &error_);
  lull_verify_backup(dir.c_str(), 0, &error_);
  ASSERT_EQ(TakeError(), "");

  lull_backup_info_t* const backups = lull_list_backups(dir.c_str(), &count, &error_);
  ASSERT_EQ(TakeError(), "");
  ASSERT_EQ(count, 2u);
  EXPECT_EQ(backups[0].bytes, info.bytes);
  EXPECT_EQ(backups[0].unix_seconds, info.unix_seconds);
  EXPECT_EQ(backups[1].id, 2u);
  EXPECT_EQ(backups[1].new_files, 1u);
  EXPECT_EQ(backups[1].new_bytes, backups[1].bytes - info.bytes);
  leveldb_free(backups);

  lull_restore_backup(dir.c_str(), 1, copy.c_str(), &error_);
  ASSERT_EQ(TakeError(), "");
  leveldb_close(db_);
  db_ = lull_open(options_, "own_coordinator=1", copy.c_str(), &error_);
  ASSERT_EQ(TakeError(), "");
  EXPECT_EQ(Get("a") + Get("b"), "vabsent");

  lull_prune_backups(dir.c_str(), 0, &error_);
  EXPECT_NE(TakeError(), "");
  lull_prune_backups(dir.c_str(), 1, &error_);
  EXPECT_EQ(TakeError(), "");
  lull_verify_backup(dir.c_str(), 1, &error_);
  ExpectError("no backup 1");
  lull_restore_backup(dir.c_str(), 0, nullptr, &error_);
  ExpectError("lull_restore_backup: target");
}

TEST_F(LullCTest, ErrorsReplaceEachOther) {
  EXPECT_EQ(lull_open(options_, "policy=none", name_.c_str(), &error_), nullptr);
  ASSERT_NE(error_, nullptr);
  EXPECT_NE(std::strstr(error_, "policy=none"), nullptr) << error_;
  // The second failure frees the first message.
  EXPECT_EQ(lull_open(options_, "l0_stip=1", name_.c_str(), &error_), nullptr);
  ExpectError("l0_stop");
}

TEST_F(LullCTest, ListensToAFlush) {
  Heard heard;
  Open("own_coordinator=1");
  EXPECT_EQ(lull_listener_create(nullptr, &heard, OnDestroyed), nullptr);
  EXPECT_EQ(ListenerOf(&heard, sizeof(size_t)), nullptr);
  lull_listener_t* const listener = ListenerOf(&heard);
  ASSERT_NE(listener, nullptr);
  lull_add_listener(db_, listener, &error_);
  EXPECT_EQ(TakeError(), "");
  lull_add_listener(db_, listener, &error_);
  EXPECT_NE(TakeError(), "");
  Put("a");
  lull_flush(db_, &error_);
  EXPECT_EQ(TakeError(), "");
  heard.AwaitEnd();
  EXPECT_EQ(heard.begins, 1);
  EXPECT_EQ(heard.last_end.outcome, lull_job_done);
  EXPECT_EQ(heard.last_end.error, nullptr);
  EXPECT_EQ(heard.last_end.output_files, 1u);
  lull_wait_for_idle(db_, &error_);
  lull_remove_listener(db_, listener, &error_);
  EXPECT_EQ(TakeError(), "");
  lull_remove_listener(db_, listener, &error_);
  EXPECT_NE(TakeError(), "");
  EXPECT_EQ(heard.destroyed, 0);
  lull_listener_destroy(listener);
  EXPECT_EQ(heard.destroyed, 1);
}

TEST_F(LullCTest, AStoreKeepsAListenerThatWasDestroyed) {
  Heard heard;
  Open("own_coordinator=1");
  lull_listener_t* const listener = ListenerOf(&heard);
  lull_add_listener(db_, listener, &error_);
  lull_listener_destroy(listener);
  Put("a");
  lull_flush(db_, &error_);
  heard.AwaitEnd();
  EXPECT_EQ(heard.destroyed, 0);
  leveldb_close(db_);
  db_ = nullptr;
  EXPECT_EQ(heard.destroyed, 1);
}

/// Data of a filter that drops values which begin with "x".
struct Filtered {
  int destroyed = 0;
  std::atomic<int> seen_at_snapshots{0};
};

uint8_t CBeginsWithX(void* state, const lull_filter_context_t* context, const char*, size_t,
                     const char* value, size_t value_length) {
  if (context->snapshot_may_see != 0) ++static_cast<Filtered*>(state)->seen_at_snapshots;
  return context->output_level > 0 && value_length > 0 && value[0] == 'x' ? 1 : 0;
}

const char* NameOfFilter(void*) { return "begins-with-x"; }

TEST_F(LullCTest, FiltersEntries) {
  Filtered filtered;
  Open("own_coordinator=1");
  const auto destroy = [](void* state) { ++static_cast<Filtered*>(state)->destroyed; };
  EXPECT_EQ(lull_compaction_filter_create(&filtered, destroy, nullptr, NameOfFilter), nullptr);
  EXPECT_EQ(lull_compaction_filter_create(&filtered, destroy, CBeginsWithX, nullptr), nullptr);
  lull_compaction_filter_t* const filter =
      lull_compaction_filter_create(&filtered, destroy, CBeginsWithX, NameOfFilter);
  ASSERT_NE(filter, nullptr);
  lull_set_compaction_filter(db_, filter, &error_);
  ASSERT_EQ(TakeError(), "");
  lull_compaction_filter_destroy(filter);
  EXPECT_EQ(filtered.destroyed, 0) << "the store has it";
  leveldb_put(db_, write_, "a", 1, "x1", 2, &error_);
  leveldb_put(db_, write_, "b", 1, "", 0, &error_);
  leveldb_put(db_, write_, "c", 1, "kept", 4, &error_);
  ASSERT_EQ(TakeError(), "");
  const leveldb_snapshot_t* const snapshot = leveldb_create_snapshot(db_);
  leveldb_compact_range(db_, nullptr, 0, nullptr, 0);
  leveldb_release_snapshot(db_, snapshot);
  EXPECT_EQ(filtered.seen_at_snapshots, 3);

  EXPECT_EQ(Get("a"), "absent");
  EXPECT_EQ(Get("b"), "");
  EXPECT_EQ(Get("c"), "kept");
  lull_set_compaction_filter(db_, nullptr, &error_);
  EXPECT_EQ(TakeError(), "");
  leveldb_close(db_);
  db_ = nullptr;
  EXPECT_EQ(filtered.destroyed, 1);
}

TEST_F(LullCTest, WhatIsNullIsNamed) {
  EXPECT_EQ(lull_open(options_, nullptr, name_.c_str(), &error_), nullptr);
  ExpectError("lull_open: scheduling");
  EXPECT_EQ(lull_open(options_, "", nullptr, &error_), nullptr);
  ExpectError("lull_open: name");
  lull_refresh(nullptr, &error_);
  ExpectError("lull_refresh: db");
  Open("own_coordinator=1");
  lull_set_options(db_, nullptr, &error_);
  ExpectError("lull_set_options: scheduling");
  lull_create_checkpoint(db_, nullptr, &error_);
  ExpectError("lull_create_checkpoint: dir");
  lull_create_backup(db_, nullptr, nullptr, &error_);
  ExpectError("lull_create_backup: dir");
  lull_add_listener(db_, nullptr, &error_);
  ExpectError("lull_add_listener: listener");
  lull_remove_listener(db_, nullptr, &error_);
  ExpectError("lull_remove_listener: listener");
  Put("a");  // the store still works
}

}  // namespace
}  // namespace lull
