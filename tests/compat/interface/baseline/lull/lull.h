// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
// The interface of version 0.1, without comments; see interface_test.py.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include "leveldb/db.h"
#include "leveldb/export.h"
#include "leveldb/options.h"
#include "leveldb/status.h"
#include "lull/version.h"
namespace lull {
LEVELDB_EXPORT const char* VersionString();
class SchedulingOptions {
 public:
  SchedulingOptions() = default;
  SchedulingOptions(std::string text) : text_(std::move(text)) {}
  SchedulingOptions(const char* text) : text_(text) {}
  SchedulingOptions& Set(const std::string& name, const std::string& value) {
    if (!text_.empty()) text_ += ';';
    text_ += name + '=' + value;
    return *this;
  }
  SchedulingOptions& SetPolicy(const std::string& name) { return Set("policy", name); }
  SchedulingOptions& SetLayout(const std::string& name) { return Set("layout", name); }
  SchedulingOptions& SetCompactionThreads(int count) {
    return Set("compaction_threads", std::to_string(count));
  }
  SchedulingOptions& SetMemoryBudgetBytes(uint64_t bytes) {
    return Set("memory_budget_bytes", std::to_string(bytes));
  }
  SchedulingOptions& SetBackgroundBytesPerSec(uint64_t bytes) {
    return Set("background_bytes_per_sec", std::to_string(bytes));
  }
  SchedulingOptions& SetMemtableBytes(uint64_t bytes) {
    return Set("memtable_bytes", std::to_string(bytes));
  }
  SchedulingOptions& SetL0Trigger(int tables) { return Set("l0_trigger", std::to_string(tables)); }
  SchedulingOptions& SetL0Slowdown(int tables) {
    return Set("l0_slowdown", std::to_string(tables));
  }
  SchedulingOptions& SetL0Stop(int tables) { return Set("l0_stop", std::to_string(tables)); }
  SchedulingOptions& SetDebtBytesMax(uint64_t bytes) {
    return Set("debt_bytes_max", std::to_string(bytes));
  }
  SchedulingOptions& SetOwnCoordinator(bool own) {
    return Set("own_coordinator", own ? "true" : "false");
  }
  SchedulingOptions& SetLatencyHistograms(bool record) {
    return Set("latency_histograms", record ? "true" : "false");
  }
  const std::string& text() const { return text_; }
 private:
  std::string text_;
};
LEVELDB_EXPORT leveldb::Status CheckOptions(const SchedulingOptions& scheduling);
LEVELDB_EXPORT leveldb::Status Open(const leveldb::Options& options,
                                    const SchedulingOptions& scheduling, const std::string& name,
                                    leveldb::DB** db);
LEVELDB_EXPORT leveldb::Status OpenReadOnly(const leveldb::Options& options,
                                            const std::string& name, leveldb::DB** db);
LEVELDB_EXPORT leveldb::Status Flush(leveldb::DB* db);
LEVELDB_EXPORT leveldb::Status CreateCheckpoint(leveldb::DB* db, const std::string& dir);
LEVELDB_EXPORT leveldb::Status SetOptions(leveldb::DB* db, const SchedulingOptions& scheduling);
LEVELDB_EXPORT leveldb::Status WaitForIdle(leveldb::DB* db);
}
