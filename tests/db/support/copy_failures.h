// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Failures of operations that copy a store: a crash at each step, and a fault at each I/O
// operation.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "tests/db/support/expect_ok.h"
#include "tests/db/support/small_store.h"
#include "tests/support/crash_env.h"
#include "tests/support/fault_env.h"
#include "tests/support/setting.h"

namespace lull::testing {

/// All but lies, which no copy can notice.
inline constexpr FaultKind kCopyFaults[] = {FaultKind::kErrorOnce,  FaultKind::kErrorSticky,
                                            FaultKind::kNoSpace,    FaultKind::kShortRead,
                                            FaultKind::kShortWrite, FaultKind::kFailedSync};

/// A disk with or without links, and with or without stamps of files. No file here is ever written
/// twice.
class CopyDisk : public FaultEnv {
 public:
  explicit CopyDisk(CrashEnv* disk) : FaultEnv(disk) {
    set_on_failed_sync([disk](const std::string& path) { disk->DropDirtyPages(path); });
  }
  leveldb::Status LinkFile(const std::string& from, const std::string& to) override {
    return links ? FaultEnv::LinkFile(from, to) : leveldb::Status::NotSupported(from);
  }
  leveldb::Status GetFileStamp(const std::string& name, FileStamp* stamp) override {
    *stamp = {name.size(), 1};
    return stamps ? leveldb::Status::OK() : leveldb::Status::NotSupported(name);
  }

  bool links = true;
  bool stamps = false;
};

/// What a power loss leaves: all, what was synced, what is done to tables, or a random part.
inline std::unique_ptr<CrashEnv> AfterCrash(const CrashEnv& disk, uint64_t variant) {
  CrashOptions options = CrashOptions::LoseAllUnsynced();
  switch (variant % 4) {
    case 0:
      return disk.Crash(0, CrashOptions::KeepAll());
    case 1:
      return disk.Crash(0, options);
    case 2:
      options.decide_entry = [](const PendingEntry& entry) -> std::optional<bool> {
        return entry.path.find("/data/") != std::string::npos || entry.path.ends_with(".ldb");
      };
      return disk.Crash(0, options);
    default:
      return disk.Crash(variant);
  }
}

struct CopyRun {
  CrashEnv* disk = nullptr;  // as the program saw it at the end
  FaultKind kind = FaultKind::kErrorOnce;
  bool hit = true;           // by the crash or the fault
  leveldb::Status status{};  // of the operation
};

class CopyFailureTest : public ::testing::Test {
 protected:
  /// The operation calls `begin` after its preparations.
  using Operation =
      std::function<leveldb::Status(CopyDisk* disk, const std::function<void()>& begin)>;
  /// Checks one of the states that a power loss after the run can leave.
  using Check = std::function<void(const CopyRun& run, CrashEnv* left)>;

  CopyFailureTest() { EXPECT_TRUE(IsOk(OpenAt(SmallOptions(&elsewhere_), "/other", &other_))); }

  std::unique_ptr<CrashEnv> Base() const { return base_.Crash(0, CrashOptions::KeepAll()); }

  /// Crashes at each ShortStride-th step of the disk. Returns at how many steps the operation
  /// fails, by estimate.
  uint64_t CrashEach(const Operation& operation, const Check& check) const {
    uint64_t failed = 0;
    CopyRun run;
    for (uint64_t step = 0; run.hit; step += ShortStride()) {
      const auto disk = Base();
      run.disk = disk.get();
      {
        CopyDisk whole(disk.get());
        run.status = operation(&whole, [&] { disk->SetCrashPoint(disk->steps() + step); });
      }
      run.hit = disk->crashed();
      EXPECT_TRUE(run.hit || run.status.ok()) << run.status.ToString();
      failed += run.status.ok() ? 0 : ShortStride();
      for (uint64_t variant = 0; variant < 4; ++variant)
        CheckLeft(run, 4 * step + variant, "crash at step " + std::to_string(step), check);
    }
    return failed;
  }
  /// Hits each ShortStride-th I/O operation with a fault of each kind.
  void FaultEach(std::span<const FaultKind> kinds, const Operation& operation,
                 const Check& check) const {
    for (const FaultKind kind : kinds) {
      uint64_t failed = 0;
      CopyRun run{.kind = kind};
      for (uint64_t index = 0; run.hit; index += ShortStride()) {
        const auto disk = Base();
        run.disk = disk.get();
        CopyDisk faulty(disk.get());
        run.status = operation(&faulty, [&] {
          faulty.Arm({.kind = kind, .index = index, .name_part = "", .bytes = index * 7 % 50});
        });
        run.hit = faulty.hits() > 0;
        failed += run.status.ok() ? 0 : ShortStride();
        CheckLeft(run, index, faulty.first_hit(), check);
      }
      const uint64_t must_fail = kind == FaultKind::kShortRead ? 0 : 3;  // a short read is retried
      EXPECT_GE(failed, must_fail) << FaultKindName(kind);
    }
  }

  // While this store is open, opening others starts no threads.
  CrashEnv elsewhere_;
  std::unique_ptr<leveldb::DB> other_;
  CrashEnv base_;  // each run works on a copy

 private:
  static void CheckLeft(const CopyRun& run, uint64_t variant, const std::string& failure,
                        const Check& check) {
    SCOPED_TRACE(failure + ", " + run.status.ToString() + ", variant " + std::to_string(variant));
    check(run, AfterCrash(*run.disk, variant).get());
  }
};

}  // namespace lull::testing
