// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
// The interface of version 0.1, without comments; see interface_test.py.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include "leveldb/db.h"
#include "leveldb/export.h"
#include "leveldb/status.h"
namespace lull {
enum class JobKind {
  kFlush = 0,
  kL0Compaction = 1,
  kDeepCompaction = 2,
  kManualCompaction = 3,
};
enum class JobOutcome {
  kRunning = 0,
  kDone = 1,
  kFailed = 2,
  kAbandoned = 3,
};
struct JobInfo {
  uint64_t id = 0;
  JobKind kind = JobKind::kFlush;
  int input_level = -1;
  int output_level = 0;
  bool idle_priority = false;
  bool trivial_move = false;
  uint64_t input_files = 0;
  uint64_t input_bytes = 0;
  uint64_t input_bytes_done = 0;
  uint64_t output_files = 0;
  uint64_t output_bytes = 0;
  uint64_t at_us = 0;
  uint64_t elapsed_us = 0;
  uint64_t paused_us = 0;
  uint32_t pauses = 0;
  JobOutcome outcome = JobOutcome::kRunning;
  leveldb::Status status;
};
enum class WriteStallCause {
  kMemory = 0,
  kL0 = 1,
  kDebt = 2,
  kOther = 3,
};
enum class StallKind {
  kSlowdown = 0,
  kStop = 1,
};
struct StallInfo {
  uint64_t id = 0;
  StallKind kind = StallKind::kSlowdown;
  WriteStallCause cause = WriteStallCause::kMemory;
  uint64_t at_us = 0;
  uint64_t elapsed_us = 0;
  uint64_t held_us = 0;
  uint64_t held_writes = 0;
};
struct OptionsInfo {
  uint64_t at_us = 0;
  std::string policy;
  std::string options;
};
struct WritesRefusedInfo {
  uint64_t at_us = 0;
  std::string what;
  leveldb::Status status;
};
class LEVELDB_EXPORT EventListener {
 public:
  EventListener() = default;
  virtual ~EventListener();
  EventListener(const EventListener&) = delete;
  EventListener& operator=(const EventListener&) = delete;
  virtual void OnJobBegin(const JobInfo& job);
  virtual void OnJobPause(const JobInfo& job);
  virtual void OnJobResume(const JobInfo& job);
  virtual void OnJobEnd(const JobInfo& job);
  virtual void OnStallBegin(const StallInfo& stall);
  virtual void OnStallEnd(const StallInfo& stall);
  virtual void OnOptionsChange(const OptionsInfo& options);
  virtual void OnWritesRefused(const WritesRefusedInfo& refused);
};
LEVELDB_EXPORT leveldb::Status AddListener(leveldb::DB* db,
                                           std::shared_ptr<EventListener> listener);
LEVELDB_EXPORT leveldb::Status RemoveListener(leveldb::DB* db,
                                              const std::shared_ptr<EventListener>& listener);
}
