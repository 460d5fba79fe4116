// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// CrashEnv: a file system in memory that simulates power losses.
//
// Invariants
// - Bytes are durable once a Sync() of their file returned OK after they were written. For each
//   other 4 KiB block, a crash keeps it, turns it into zeros or garbage, or cuts the file before
//   it. Where a durable byte was overwritten, a crash keeps the new byte or restores the old one,
//   by block or, in a torn block, by sector (512 bytes).
// - A create, rename or unlink is durable once its directory was synced. Until then a crash keeps
//   any subset of them, in whatever order they happened.
// - SyncDirectory() syncs a directory. So does Sync() of a file called MANIFEST-*, because that is
//   where stock LevelDB does it (see set_manifest_sync_covers_directory).
// - A failed sync (DropDirtyPages) leaves pages clean: a later successful sync does not write them.
// - Crash() never changes this object; the same seed and options give the same disk.
// Simplifications: new directories (see set_new_directories_may_vanish) and the LOCK file survive
// every crash.
//
// Every mutating step (append, sync, directory sync, create, rename, remove) has an index, counted
// from 0. SetCrashPoint(i) makes step i and all later ones fail with IOError and change nothing.
//
// Thread-safe. Files opened here may outlive the CrashEnv.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "leveldb/env.h"

#ifdef LULL_BUILD
#include "util/env_extension.h"
#endif

namespace lull::testing {

/// The name of the store, for tests that need just one.
inline constexpr char kStoreName[] = "/store";

enum class DiskOp { kCreate, kRename, kRemove };

// A change to a directory that no directory sync has covered yet.
struct PendingEntry {
  DiskOp op;
  std::string path;    // the name created or removed; the old name of a rename
  std::string target;  // the new name of a rename
};

struct CrashOptions {
  // Chance that an unsynced block, or a pending directory change, survives. If unset, the seed
  // picks one for the whole crash from {0, 0.1, 0.5, 0.9, 1}, so that extremes are frequent.
  std::optional<double> data_survival;
  std::optional<double> entry_survival;
  // Chance that a lost block reads as garbage instead of zeros.
  double garbage = 0.5;
  // If set and it returns a value, that value alone decides whether the directory change survives.
  std::function<std::optional<bool>(const PendingEntry&)> decide_entry;

  static CrashOptions LoseAllUnsynced();
  // The process died but the machine did not: nothing is lost.
  static CrashOptions KeepAll();
};

class CrashDisk;

class CrashEnv : public leveldb::EnvWrapper
#ifdef LULL_BUILD
    ,
                 public lull::EnvExtension
#endif
{
 public:
  static constexpr uint64_t kNoCrashPoint = std::numeric_limits<uint64_t>::max();

  CrashEnv();
  ~CrashEnv() override;

  // The disk after one possible power loss at this moment. Everything on it is durable, it has no
  // crash point, and no lock is held.
  std::unique_ptr<CrashEnv> Crash(uint64_t seed, const CrashOptions& options = {}) const;

  // Step `index` and all later ones fail and change nothing.
  void SetCrashPoint(uint64_t index);
  // True once a step has failed because of the crash point.
  bool crashed() const;
  // The number of steps taken so far.
  uint64_t steps() const;

  // Marks the dirty pages of `path` clean without making them durable, as a failed fsync does.
  void DropDirtyPages(const std::string& path);
  // The pending changes of directory `dir`, oldest first.
  std::vector<PendingEntry> Pending(const std::string& dir) const;
  // Whether Sync() of MANIFEST-* also syncs its directory. Default: true.
  void set_manifest_sync_covers_directory(bool on);
  // A directory made from now on is durable only after its parent was synced. LevelDB never syncs
  // the parent, so this is off by default.
  void set_new_directories_may_vanish(bool on);

  // Test-only edits of a file, immediate and durable. False if there is no such file.
  bool Corrupt(const std::string& path, uint64_t offset, const std::string& bytes);
  bool Truncate(const std::string& path, uint64_t size);

  // The time of day is later than the real one by so many seconds, or earlier.
  void set_clock_ahead_seconds(int64_t seconds) { clock_ahead_seconds_.store(seconds); }
  uint64_t NowMicros() override {
    const int64_t now = static_cast<int64_t>(EnvWrapper::NowMicros());
    return static_cast<uint64_t>(std::max<int64_t>(now + clock_ahead_seconds_ * 1'000'000, 0));
  }

  // While held, work passed to Schedule() waits in a queue. Release it before closing a store. (No
  // effect on a store that starts its own threads.)
  void HoldScheduledWork();
  void ReleaseScheduledWork();

  leveldb::Status NewSequentialFile(const std::string& path,
                                    leveldb::SequentialFile** result) override;
  leveldb::Status NewRandomAccessFile(const std::string& path,
                                      leveldb::RandomAccessFile** result) override;
  leveldb::Status NewWritableFile(const std::string& path, leveldb::WritableFile** result) override;
  leveldb::Status NewAppendableFile(const std::string& path,
                                    leveldb::WritableFile** result) override;
  bool FileExists(const std::string& path) override;
  leveldb::Status GetChildren(const std::string& dir, std::vector<std::string>* result) override;
  leveldb::Status RemoveFile(const std::string& path) override;
  leveldb::Status CreateDir(const std::string& dir) override;
  leveldb::Status RemoveDir(const std::string& dir) override;
  leveldb::Status GetFileSize(const std::string& path, uint64_t* size) override;
  leveldb::Status RenameFile(const std::string& from, const std::string& to) override;
  leveldb::Status LockFile(const std::string& path, leveldb::FileLock** lock) override;
  leveldb::Status UnlockFile(leveldb::FileLock* lock) override;
  void Schedule(void (*function)(void*), void* arg) override;
  leveldb::Status NewLogger(const std::string& path, leveldb::Logger** result) override;

#ifdef LULL_BUILD
  leveldb::Status SyncDirectory(const std::string& dir) override;
  // A log file that ends in zeros up to its capacity until it is closed. The zeros can survive a
  // crash.
  leveldb::Status NewLogFile(const std::string& path, uint64_t capacity_bytes,
                             lull::LogFileMode mode, lull::LogFile** result) override;
  leveldb::Status ReuseLogFile(const std::string& old_path, const std::string& new_path,
                               const lull::LogBlocks& blocks, lull::LogFile** result) override;
  // Appends to files from ReuseLogFile.
  uint64_t appends_to_reused_logs() const;
  leveldb::Status LinkFile(const std::string& from, const std::string& to) override;
#else
  leveldb::Status SyncDirectory(const std::string& dir);
#endif

 private:
  explicit CrashEnv(std::shared_ptr<CrashDisk> disk);
  template <class Change>
  bool Edit(const std::string& path, Change change) const;

  const std::shared_ptr<CrashDisk> disk_;
  std::atomic<int64_t> clock_ahead_seconds_{0};
  std::mutex held_mu_;
  bool hold_ = false;
  std::vector<std::pair<void (*)(void*), void*>> held_;
};

}  // namespace lull::testing
