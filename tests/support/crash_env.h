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
#include <cstdarg>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "leveldb/env.h"
#include "leveldb/slice.h"
#include "tests/support/crash_disk.h"

#ifdef LULL_BUILD
#include "util/env_extension.h"
#endif

namespace lull::testing {

/// The name of the store, for tests that need just one.
inline constexpr char kStoreName[] = "/store";

class CrashEnv : public leveldb::EnvWrapper
#ifdef LULL_BUILD
    ,
                 public lull::EnvExtension
#endif
{
 public:
  static constexpr uint64_t kNoCrashPoint = CrashDisk::kNoCrashPoint;

  CrashEnv() : CrashEnv(std::make_shared<CrashDisk>()) {}

  // The disk after one possible power loss at this moment. Everything on it is durable, it has no
  // crash point, and no lock is held.
  std::unique_ptr<CrashEnv> Crash(uint64_t seed, const CrashOptions& options = {}) const {
    return std::unique_ptr<CrashEnv>(new CrashEnv(disk_->Locked()->AfterCrash(seed, options)));
  }

  // The disk after the process died, but not the machine: what is durable is as before. It has no
  // crash point, and no lock is held.
  std::unique_ptr<CrashEnv> Kill() const {
    return std::unique_ptr<CrashEnv>(new CrashEnv(disk_->Locked()->AfterKill()));
  }

  // Step `index` and all later ones fail and change nothing.
  void SetCrashPoint(uint64_t index) { disk_->Locked()->crash_point = index; }
  // True once a step has failed because of the crash point.
  bool crashed() const { return disk_->Locked()->crashed; }
  // The number of steps taken so far.
  uint64_t steps() const { return disk_->Locked()->steps; }

  // Marks the dirty pages of `path` clean without making them durable, as a failed fsync does.
  void DropDirtyPages(const std::string& path) {
    Edit(path, [](FileContent* content) { content->SyncFailed(); });
  }
  // Whether Sync() of MANIFEST-* also syncs its directory. Default: true.
  void set_manifest_sync_covers_directory(bool on) {
    disk_->Locked()->manifest_sync_covers_directory = on;
  }
  // A directory made from now on is durable only after its parent was synced. LevelDB never syncs
  // the parent, so this is off by default.
  void set_new_directories_may_vanish(bool on) { disk_->Locked()->new_directories_may_vanish = on; }

  // Test-only edits of a file, immediate and durable. False if there is no such file.
  bool Corrupt(const std::string& path, uint64_t offset, const std::string& bytes) {
    return Edit(path, [&](FileContent* content) { content->Overwrite(offset, bytes); });
  }
  bool Truncate(const std::string& path, uint64_t size) {
    return Edit(path, [&](FileContent* content) { content->Resize(size); });
  }

  // The time of day is later than the real one by so many seconds, or earlier.
  void set_clock_ahead_seconds(int64_t seconds) { clock_ahead_seconds_.store(seconds); }
  uint64_t NowMicros() override {
    const int64_t now = static_cast<int64_t>(EnvWrapper::NowMicros());
    return static_cast<uint64_t>(std::max<int64_t>(now + clock_ahead_seconds_ * 1'000'000, 0));
  }

  // While held, work passed to Schedule() waits in a queue. Release it before closing a store. (No
  // effect on a store that starts its own threads.)
  void HoldScheduledWork() {
    std::lock_guard<std::mutex> lock(held_mu_);
    hold_ = true;
  }
  void ReleaseScheduledWork() {
    std::vector<std::pair<void (*)(void*), void*>> released;
    {
      std::lock_guard<std::mutex> lock(held_mu_);
      hold_ = false;
      released.swap(held_);
    }
    for (const auto& [function, arg] : released) target()->Schedule(function, arg);
  }

  leveldb::Status NewSequentialFile(const std::string& path,
                                    leveldb::SequentialFile** result) override {
    return OpenExisting<SequentialReader>(path, result);
  }
  leveldb::Status NewRandomAccessFile(const std::string& path,
                                      leveldb::RandomAccessFile** result) override {
    return OpenExisting<RandomReader>(path, result);
  }
  leveldb::Status NewWritableFile(const std::string& path,
                                  leveldb::WritableFile** result) override {
    return Create(path, /*keep=*/false, /*reserved_bytes=*/0, result);
  }
  leveldb::Status NewAppendableFile(const std::string& path,
                                    leveldb::WritableFile** result) override {
    return Create(path, /*keep=*/true, /*reserved_bytes=*/0, result);
  }
  bool FileExists(const std::string& path) override {
    return disk_->Locked()->Exists(CleanPath(path));
  }
  leveldb::Status GetChildren(const std::string& dir, std::vector<std::string>* result) override {
    return disk_->Locked()->List(CleanPath(dir), result);
  }
  leveldb::Status RemoveFile(const std::string& path) override {
    return disk_->Locked()->Remove(CleanPath(path));
  }
  leveldb::Status CreateDir(const std::string& dir) override {
    return disk_->Locked()->MakeDir(CleanPath(dir));
  }
  leveldb::Status RemoveDir(const std::string& dir) override {
    return disk_->Locked()->RemoveDir(CleanPath(dir));
  }
  leveldb::Status GetFileSize(const std::string& path, uint64_t* size) override {
    const bool exists = Edit(path, [&](FileContent* content) { *size = content->size(); });
    return exists ? leveldb::Status::OK() : leveldb::Status::NotFound(path, "no such file");
  }
  leveldb::Status RenameFile(const std::string& from, const std::string& to) override {
    return disk_->Locked()->Rename(CleanPath(from), CleanPath(to));
  }
  leveldb::Status LockFile(const std::string& path, leveldb::FileLock** lock) override {
    const std::string clean = CleanPath(path);
    *lock = nullptr;
    if (!disk_->Locked()->LockFile(clean))
      return leveldb::Status::IOError(clean, "lock is already held");
    *lock = new HeldLock(disk_, clean);
    return leveldb::Status::OK();
  }
  leveldb::Status UnlockFile(leveldb::FileLock* lock) override {
    delete lock;
    return leveldb::Status::OK();
  }
  void Schedule(void (*function)(void*), void* arg) override {
    {
      std::lock_guard<std::mutex> lock(held_mu_);
      if (hold_) {
        held_.emplace_back(function, arg);
        return;
      }
    }
    target()->Schedule(function, arg);
  }
  leveldb::Status NewLogger(const std::string&, leveldb::Logger** result) override {
    *result = new SilentLogger;
    return leveldb::Status::OK();
  }

#ifdef LULL_BUILD
  leveldb::Status SyncDirectory(const std::string& dir) override {
    return disk_->Locked()->SyncDir(CleanPath(dir));
  }
  leveldb::Status SyncAgain(const std::string& path, uint64_t bytes) override {
    OpenFile file{disk_, CleanPath(path), nullptr};
    leveldb::Status s = disk_->Locked()->Open(file.path, &file.inode);
    uint64_t size = 0;
    if (s.ok()) s = GetFileSize(file.path, &size);
    std::string again(std::min(bytes, size), '\0');
    if (s.ok()) file.Read(0, again.size(), again.data());
    if (s.ok()) s = disk_->Locked()->WriteAt(file.path, file.inode, 0, again);
    return s.ok() ? disk_->Locked()->Sync(file.path, file.inode) : s;
  }
  // A log file that ends in zeros up to its capacity until it is closed. The zeros can survive a
  // crash.
  leveldb::Status NewLogFile(const std::string& path, uint64_t capacity_bytes, lull::LogFileMode,
                             lull::LogFile** result) override {
    return Create(path, /*keep=*/false, capacity_bytes, result);
  }
  leveldb::Status ReuseLogFile(const std::string& old_path, const std::string& new_path,
                               const lull::LogBlocks& blocks, lull::LogFile** result) override {
    const std::string from = CleanPath(old_path);
    OpenFile file{disk_, CleanPath(new_path), nullptr};
    *result = nullptr;
    uint64_t size = 0;
    leveldb::Status s = disk_->Locked()->Open(from, &file.inode);
    if (s.ok()) s = GetFileSize(from, &size);
    uint64_t marked_bytes = 0;
    for (uint64_t at = 0; s.ok() && marked_bytes < size; at += blocks.block_bytes) {
      const std::string mark(at == 0 ? std::string(blocks.block_bytes, '\0') : blocks.mark);
      s = disk_->Locked()->WriteAt(from, file.inode, at, mark);
      marked_bytes = at + mark.size();
    }
    if (s.ok()) s = disk_->Locked()->Sync(from, file.inode);
    if (s.ok()) s = disk_->Locked()->Rename(from, file.path);
    if (s.ok()) *result = new Overwriter(std::move(file), blocks);
    return s;
  }
  // Appends to files from ReuseLogFile.
  uint64_t appends_to_reused_logs() const { return disk_->Locked()->appends_to_reused_logs; }
  leveldb::Status LinkFile(const std::string& from, const std::string& to) override {
    return disk_->Locked()->Link(CleanPath(from), CleanPath(to));
  }
#else
  leveldb::Status SyncDirectory(const std::string& dir) {
    return disk_->Locked()->SyncDir(CleanPath(dir));
  }
#endif

 private:
  // What each open file has. It can outlive the CrashEnv.
  struct OpenFile {
    std::shared_ptr<CrashDisk> disk;
    std::string path;
    CrashDisk::InodeRef inode;

    size_t Read(uint64_t offset, size_t n, char* scratch) const {
      return disk->Locked()->Read(*inode, offset, n, scratch);
    }
  };

  class SequentialReader : public leveldb::SequentialFile {
   public:
    explicit SequentialReader(OpenFile file) : file_(std::move(file)) {}

    leveldb::Status Read(size_t n, leveldb::Slice* result, char* scratch) override {
      *result = leveldb::Slice(scratch, file_.Read(position_, n, scratch));
      position_ += result->size();
      return leveldb::Status::OK();
    }

    leveldb::Status Skip(uint64_t n) override {
      position_ += n;
      return leveldb::Status::OK();
    }

   private:
    const OpenFile file_;
    uint64_t position_ = 0;
  };

  class RandomReader : public leveldb::RandomAccessFile {
   public:
    explicit RandomReader(OpenFile file) : file_(std::move(file)) {}

    leveldb::Status Read(uint64_t offset, size_t n, leveldb::Slice* result,
                         char* scratch) const override {
      *result = leveldb::Slice(scratch, file_.Read(offset, n, scratch));
      return leveldb::Status::OK();
    }

   private:
    const OpenFile file_;
  };

// Passes every append to the "page cache" at once, so Flush has nothing left to do.
#ifdef LULL_BUILD
  using LogFileBase = lull::LogFile;
#else
  using LogFileBase = leveldb::WritableFile;
#endif

  class Writer : public LogFileBase {
   public:
    explicit Writer(OpenFile file) : file_(std::move(file)) {}

    leveldb::Status Append(const leveldb::Slice& data) override {
      return file_.disk->Locked()->Append(file_.path, file_.inode, data);
    }
    leveldb::Status Close() override {
      file_.disk->Locked()->Release(file_.inode);
      return leveldb::Status::OK();
    }
    leveldb::Status Flush() override { return leveldb::Status::OK(); }
    leveldb::Status Sync() override { return file_.disk->Locked()->Sync(file_.path, file_.inode); }
#ifdef LULL_BUILD
    leveldb::Status Seal() override { return Close(); }  // which only releases the reserved space
#endif

   protected:
    const OpenFile file_;
  };

#ifdef LULL_BUILD
  // Overwrites an older file from its front. Each append adds a mark after it.
  class Overwriter : public Writer {
   public:
    Overwriter(OpenFile file, const lull::LogBlocks& blocks)
        : Writer(std::move(file)), blocks_(blocks) {}

    leveldb::Status Append(const leveldb::Slice& data) override {
      const std::string bytes =
          data.ToString() + std::string(blocks_.MarkAt(written_ + data.size()));
      leveldb::Status s = file_.disk->Locked()->WriteAt(file_.path, file_.inode, written_, bytes);
      if (!s.ok()) return s;
      written_ += data.size();
      ++file_.disk->Locked()->appends_to_reused_logs;
      return s;
    }
    leveldb::Status Close() override {
      file_.disk->Locked()->Cut(file_.inode, written_);
      return leveldb::Status::OK();
    }
    leveldb::Status Seal() override { return leveldb::Status::OK(); }

   private:
    const lull::LogBlocks blocks_;
    uint64_t written_ = 0;
  };
#endif

  template <class File, class Base>
  leveldb::Status OpenExisting(const std::string& path, Base** result) {
    OpenFile file{disk_, CleanPath(path), nullptr};
    const leveldb::Status s = disk_->Locked()->Open(file.path, &file.inode);
    *result = s.ok() ? new File(std::move(file)) : nullptr;
    return s;
  }

  template <class Base>
  leveldb::Status Create(const std::string& path, bool keep, uint64_t reserved_bytes,
                         Base** result) {
    OpenFile file{disk_, CleanPath(path), nullptr};
    const leveldb::Status s = disk_->Locked()->Create(file.path, keep, &file.inode);
    if (reserved_bytes > 0 && s.ok()) disk_->Locked()->Reserve(file.inode, reserved_bytes);
    *result = s.ok() ? new Writer(std::move(file)) : nullptr;
    return s;
  }

  class HeldLock : public leveldb::FileLock {
   public:
    HeldLock(std::shared_ptr<CrashDisk> disk, std::string path)
        : disk_(std::move(disk)), path_(std::move(path)) {}
    ~HeldLock() override { disk_->Locked()->UnlockFile(path_); }

   private:
    const std::shared_ptr<CrashDisk> disk_;
    const std::string path_;
  };

  class SilentLogger : public leveldb::Logger {
   public:
    void Logv(const char*, std::va_list) override {}
  };

  explicit CrashEnv(std::shared_ptr<CrashDisk> disk)
      : EnvWrapper(leveldb::Env::Default()),
#ifdef LULL_BUILD
        EnvExtension(this),
#endif
        disk_(std::move(disk)) {
  }
  template <class Change>
  bool Edit(const std::string& path, Change change) const {
    const CrashDisk::Lock disk = disk_->Locked();
    FileContent* const content = disk->Find(CleanPath(path));
    if (content != nullptr) change(content);
    return content != nullptr;
  }

  const std::shared_ptr<CrashDisk> disk_;
  std::atomic<int64_t> clock_ahead_seconds_{0};
  std::mutex held_mu_;
  bool hold_ = false;
  std::vector<std::pair<void (*)(void*), void*>> held_;
};

}  // namespace lull::testing
