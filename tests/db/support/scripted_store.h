// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A store whose directives a test chooses, on files whose creation and syncs the test can block.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "db/store/store.h"
#include "leveldb/db.h"
#include "lull/lull.h"
#include "tests/db/support/script_policy.h"
#include "tests/db/support/small_store.h"
#include "tests/db/support/store_properties.h"
#include "tests/support/fresh_directory.h"
#include "tests/support/gate.h"
#include "tests/support/rng.h"
#include "tests/support/units.h"
#include "util/env_extension.h"
#include "util/mutex.h"
#include "util/os.h"

namespace lull::testing {

/// The real file system, on which a test can block the creation of tables and syncs of the
/// MANIFEST and the directory. Traces writes by one letter each: t, a part of a table; T, a table's
/// sync; M, the MANIFEST's, which each install ends with.
class HeldTablesEnv final : public leveldb::EnvWrapper, public EnvExtension {
 public:
  HeldTablesEnv()
      : EnvWrapper(leveldb::Env::Default()),
        EnvExtension(this),
        extension_(ExtensionOf(leveldb::Env::Default())) {}

  Gate tables;    ///< each creation of a table passes here
  Gate syncs;     ///< likewise, who syncs the MANIFEST or the directory
  Gate removals;  ///< likewise, the removal of a table
  void FailNextSync() { next_sync_fails_.store(true); }
  std::atomic<bool> tables_fail{false};          ///< no table can be created
  std::atomic<uint64_t> free_bytes{UINT64_MAX};  ///< of the file system
  std::optional<uint64_t> FreeBytes(const std::string&) override { return free_bytes.load(); }
  std::atomic<uint64_t> later_seconds{0};  ///< the time of day is later by this
  uint64_t NowMicros() override { return EnvWrapper::NowMicros() + later_seconds * 1'000'000; }
  std::atomic<int> prefetches{0};  ///< parts of tables that were read ahead
  void Prefetch(leveldb::RandomAccessFile* file, uint64_t offset, size_t bytes) override {
    prefetches.fetch_add(1);
    extension_->Prefetch(file, offset, bytes);
  }
  /// The number of tables that threads of idle priority created.
  int created_at_idle() const { return created_at_idle_.load(); }
  /// Returns the trace and clears it.
  std::string TakeTrace() {
    MutexLock lock(mutex_);
    return std::exchange(trace_, {});
  }

  leveldb::Status SyncDirectory(const std::string& dir) override {
    syncs.Pass();
    return extension_->SyncDirectory(dir);
  }
  leveldb::Status NewWritableFile(const std::string& name,
                                  leveldb::WritableFile** result) override {
    const leveldb::Status status = EnvWrapper::NewWritableFile(name, result);
    if (status.ok() && name.find("MANIFEST") != std::string::npos)
      *result = new Traced(this, *result, '\0', 'M');
    return status;
  }
  leveldb::Status RemoveFile(const std::string& name) override {
    if (name.ends_with(".ldb")) removals.Pass();
    return EnvWrapper::RemoveFile(name);
  }
  leveldb::Status NewLogFile(const std::string& name, uint64_t capacity_bytes, LogFileMode mode,
                             LogFile** result) override {
    return extension_->NewLogFile(name, capacity_bytes, mode, result);
  }
  leveldb::Status NewTableFile(const std::string& name, TableWriterKind writer,
                               leveldb::WritableFile** result) override {
    if (os::IsInIdleClass()) created_at_idle_.fetch_add(1);
    tables.Pass();
    if (tables_fail.load()) return leveldb::Status::IOError(name, "not now");
    const leveldb::Status status = extension_->NewTableFile(name, writer, result);
    if (status.ok()) *result = new Traced(this, *result, 't', 'T');
    return status;
  }

 private:
  class Traced final : public leveldb::WritableFile {
   public:
    Traced(HeldTablesEnv* env, leveldb::WritableFile* file, char append, char sync)
        : env_(env), file_(file), append_(append), sync_(sync) {}
    leveldb::Status Append(const leveldb::Slice& data) override {
      if (append_ != '\0') env_->Trace(append_);
      return file_->Append(data);
    }
    leveldb::Status Close() override { return file_->Close(); }
    leveldb::Status Flush() override { return file_->Flush(); }
    leveldb::Status Sync() override {
      if (sync_ == 'M') env_->syncs.Pass();
      env_->Trace(sync_);
      if (sync_ == 'M' && env_->next_sync_fails_.exchange(false))
        return leveldb::Status::IOError("MANIFEST", "not this time");
      return file_->Sync();
    }

   private:
    HeldTablesEnv* const env_;
    const std::unique_ptr<leveldb::WritableFile> file_;
    const char append_;
    const char sync_;
  };

  void Trace(char event) {
    MutexLock lock(mutex_);
    trace_.push_back(event);
  }

  EnvExtension* const extension_;
  Mutex mutex_;
  std::string trace_ LULL_GUARDED_BY(mutex_);
  std::atomic<bool> next_sync_fails_{false};
  std::atomic<int> created_at_idle_{0};
};

class ScriptedStoreTest : public ::testing::Test {
 protected:
  ScriptedStoreTest() {
    options_.create_if_missing = true;
    options_.env = &env_;
    options_.compression = leveldb::kNoCompression;
    options_.write_buffer_size = kMiB;
    options_.max_file_size = 2 * kMiB;
    scheduling_.own_coordinator = true;
    scheduling_.memory_budget_bytes = 4 * kMiB;
    name_ = FreshDirectory("mechanism");
  }

  static Directive Everything() { return Script::Everything(); }

  void Open() {
    leveldb::DB* db = nullptr;
    const auto make = [this](const std::string& policy, const PolicyOptions& options) {
      return script_.Make(policy, options);
    };
    ASSERT_EQ(Store::Open(options_, scheduling_, name_, &db, make, pace_).ToString(), "OK");
    db_.reset(db);
  }
  void OpenWith(const Directive& wanted) {
    script_.Set(wanted);
    Open();
    AwaitObeyed();
  }
  /// Same as Script's.
  template <class Predicate>
  void Await(const std::string& what, Predicate holds) {
    script_.Await(what, holds);
  }
  void AwaitObeyed() { script_.AwaitObeyed(); }

  /// Incompressible values. Key and value depend only on the number.
  static std::string KeyOf(uint64_t i) { return "key" + std::to_string(100'000 + i); }
  static std::string ValueOf(uint64_t i) {
    Rng rng(i);
    std::string value(1000, '\0');
    for (char& byte : value) byte = static_cast<char>(rng.Next());
    return value;
  }
  void Write(uint64_t from, uint64_t until) {
    for (uint64_t i = from; i < until; ++i) {
      ASSERT_TRUE(db_->Put({}, KeyOf(i), ValueOf(i)).ok());
      acked_.store(i + 1);
    }
  }
  void Put(const std::string& key, const std::string& value) {
    ASSERT_TRUE(db_->Put({}, key, value).ok());
  }
  void Delete(uint64_t from, uint64_t until) {
    for (uint64_t i = from; i < until; ++i) ASSERT_TRUE(db_->Delete({}, KeyOf(i)).ok());
  }
  /// Waits until all writes are in tables and no background work is left.
  void Rest() {
    ASSERT_TRUE(Flush(db_.get()).ok());
    ASSERT_TRUE(WaitForIdle(db_.get()).ok());
  }
  int TablesAt(int level) { return testing::TablesAt(db_.get(), level); }
  std::string Property(const std::string& name) { return testing::Property(db_.get(), name); }
  Json Space() { return JsonProperty(db_.get(), "lull.space"); }
  Json Stats() { return JsonProperty(db_.get(), "lull.stats"); }
  void ExpectAll(leveldb::DB* db, uint64_t count) {
    for (uint64_t i = 0; i < count; ++i) ASSERT_EQ(ReadValue(db, KeyOf(i)), ValueOf(i)) << i;
  }
  std::vector<uint64_t> TableSizes() const { return FileSizes(".ldb"); }
  std::vector<uint64_t> FileSizes(const std::string& extension) const {
    std::vector<uint64_t> sizes;
    for (const auto& file : std::filesystem::directory_iterator(name_)) {
      if (file.path().extension() != extension) continue;
      std::error_code deleted;
      const uint64_t bytes = file.file_size(deleted);
      if (!deleted) sizes.push_back(bytes);
    }
    return sizes;
  }
  uint64_t TotalSize(const std::string& extension) const {
    const std::vector<uint64_t> sizes = FileSizes(extension);
    return std::accumulate(sizes.begin(), sizes.end(), uint64_t{0});
  }

  HeldTablesEnv env_;
  leveldb::Options options_;
  OptionValues scheduling_;
  StorePace pace_;
  std::string name_;
  Script script_;
  std::unique_ptr<leveldb::DB> db_;
  std::atomic<uint64_t> acked_{0};
};

}  // namespace lull::testing
