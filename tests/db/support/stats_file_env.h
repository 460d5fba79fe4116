// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The real file system for tests of stats files. Counts attempts to rename one, and fails or blocks
// them. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "leveldb/env.h"
#include "tests/support/event_count.h"
#include "tests/support/gate.h"
#include "util/env_extension.h"

namespace lull::testing {

class StatsFileEnv final : public leveldb::EnvWrapper, public EnvExtension {
 public:
  StatsFileEnv()
      : EnvWrapper(leveldb::Env::Default()),
        EnvExtension(this),
        extension_(ExtensionOf(target())) {}

  leveldb::Status RenameFile(const std::string& from, const std::string& to) override {
    if (!to.ends_with(".prom")) return target()->RenameFile(from, to);
    gate.Pass();
    const leveldb::Status status =
        broken ? leveldb::Status::IOError(to, "broken") : target()->RenameFile(from, to);
    attempts.Note();
    return status;
  }
  uint64_t NowMicros() override { return micros != 0 ? micros.load() : target()->NowMicros(); }
  leveldb::Status SyncDirectory(const std::string& dir) override {
    return extension_->SyncDirectory(dir);
  }
  leveldb::Status NewExclusiveFile(const std::string& name,
                                   leveldb::WritableFile** result) override {
    return extension_->NewExclusiveFile(name, result);
  }
  leveldb::Status OpenRegularFile(const std::string& name,
                                  leveldb::SequentialFile** result) override {
    return extension_->OpenRegularFile(name, result);
  }
  leveldb::Status SetModifiedNanos(const std::string& name, uint64_t nanos) override {
    return touches ? extension_->SetModifiedNanos(name, nanos)
                   : EnvExtension::SetModifiedNanos(name, nanos);
  }
  leveldb::Status GetFileStamp(const std::string& name, FileStamp* stamp) override {
    return extension_->GetFileStamp(name, stamp);
  }
  Mount MountOf(const std::string& dir) override { return extension_->MountOf(dir); }
  void AwaitAttempts(uint64_t count) {
    const uint64_t before = attempts.count();
    attempts.Await("attempts to write", [&] { return attempts.count() >= before + count; });
  }

  std::atomic<bool> broken{false};
  std::atomic<bool> touches{true};  ///< can set times
  std::atomic<uint64_t> micros{0};  ///< if set, the time of day
  Gate gate;
  EventCount attempts;

 private:
  EnvExtension* const extension_;
};

}  // namespace lull::testing
