// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The state of a CrashEnv: files, names, and which of them are durable. Used by crash_env.cc only.
// Not thread-safe, except for Locked, through which all use it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "leveldb/slice.h"
#include "leveldb/status.h"
#include "tests/support/crash_env.h"
#include "tests/support/rng.h"

namespace lull::testing {

// The bytes of one file, and for each block the durable version of it.
class FileContent {
 public:
  static constexpr size_t kBlockBytes = 4096;

  FileContent() = default;
  // A file that is durable as a whole.
  explicit FileContent(std::string bytes);

  // The size and the bytes that readers see.
  uint64_t size() const { return cut_.value_or(std::max<uint64_t>(bytes_.size(), reserved_)); }
  size_t Read(uint64_t offset, size_t n, char* scratch) const;
  // Pads the file with zeros up to `size`, until Release() or until it has grown past that.
  void Reserve(uint64_t size) { reserved_ = size; }
  void Release() { reserved_ = 0; }
  // Truncates the file; a crash can undo that.
  void Cut(uint64_t size) { cut_ = size; }
  void Append(leveldb::Slice data) { WriteAt(cut_.value_or(bytes_.size()), data); }
  // Overwrites what is there, and appends the rest.
  void WriteAt(uint64_t offset, leveldb::Slice data);
  void SyncOk();
  void SyncFailed();
  // Overwrites or truncates as bit rot does: durable immediately, nothing becomes dirty.
  void Overwrite(uint64_t offset, const std::string& data);
  void Resize(uint64_t size);
  // The content of the file after a crash.
  std::string AfterCrash(double survival, double garbage, Rng* rng) const;

 private:
  struct Block {
    std::string sure;
    bool dirty = false;
  };

  leveldb::Slice BlockAt(size_t index) const;
  static void LoseBlock(char* now, size_t length, const std::string& sure, bool may_tear,
                        double garbage, Rng* rng);
  uint64_t SizeAfterCrash(double survival, Rng* rng) const;

  std::string bytes_;
  std::vector<Block> blocks_;
  uint64_t sure_size_ = 0;
  uint64_t reserved_ = 0;
  std::optional<uint64_t> cut_;
};

struct Inode {
  FileContent now;
  // Set while a truncation of the file is not yet durable.
  std::shared_ptr<const FileContent> before_truncation;
};

class CrashDisk {
 public:
  using InodeRef = std::shared_ptr<Inode>;

  // The disk, locked until the end of the full expression: disk->Locked()->Remove(path).
  class Lock {
   public:
    explicit Lock(CrashDisk* disk) : lock_(disk->mu_), disk_(disk) {}
    CrashDisk* operator->() const { return disk_; }

   private:
    std::unique_lock<std::mutex> lock_;
    CrashDisk* disk_;
  };
  Lock Locked() { return Lock(this); }

  leveldb::Status Open(const std::string& path, InodeRef* inode);
  // Creates `path`. Empties an existing file, or keeps it if `keep` is set.
  leveldb::Status Create(const std::string& path, bool keep, InodeRef* inode);
  leveldb::Status Append(const std::string& path, const InodeRef& inode, leveldb::Slice data);
  leveldb::Status WriteAt(const std::string& path, const InodeRef& inode, uint64_t offset,
                          leveldb::Slice data);
  leveldb::Status Sync(const std::string& path, const InodeRef& inode);
  size_t Read(const Inode& inode, uint64_t offset, size_t n, char* scratch) {
    return inode.now.Read(offset, n, scratch);
  }
  void Reserve(const InodeRef& inode, uint64_t size) { inode->now.Reserve(size); }
  // Ends the reservation, as closing a preallocated file does.
  void Release(const InodeRef& inode);
  void Cut(const InodeRef& inode, uint64_t size);
  leveldb::Status SyncDir(const std::string& dir);
  leveldb::Status Remove(const std::string& path);
  leveldb::Status Rename(const std::string& from, const std::string& to);
  // A second name for a file. A crash treats it like any other new name.
  leveldb::Status Link(const std::string& from, const std::string& to);
  leveldb::Status MakeDir(const std::string& dir);
  leveldb::Status RemoveDir(const std::string& dir);
  leveldb::Status List(const std::string& dir, std::vector<std::string>* names);
  bool Exists(const std::string& path) { return live_.contains(path) || dirs_.contains(path); }
  bool LockFile(const std::string& path);
  void UnlockFile(const std::string& path) { locks_.erase(path); }

  // The content of a file, or nullptr.
  FileContent* Find(const std::string& path);
  std::vector<PendingEntry> Pending(const std::string& dir);
  std::shared_ptr<CrashDisk> AfterCrash(uint64_t seed, const CrashOptions& options);

  uint64_t steps = 0;
  uint64_t crash_point = CrashEnv::kNoCrashPoint;
  bool crashed = false;
  bool manifest_sync_covers_directory = true;
  bool new_directories_may_vanish = false;
  uint64_t appends_to_reused_logs = 0;

 private:
  struct Change {
    PendingEntry entry;
    InodeRef inode;
  };
  using Names = std::map<std::string, InodeRef>;

  // Counts one step, or fails if the crash point is reached.
  leveldb::Status Step(const std::string& path);
  void AddPending(const PendingEntry& entry, const InodeRef& inode);
  static void ApplyChange(const Change& change, Names* names);

  std::mutex mu_;
  Names live_;                                          // what the running program sees
  Names sure_;                                          // what survives every crash
  std::map<std::string, std::vector<Change>> pending_;  // by directory, oldest first
  std::set<std::string> dirs_{"/"};
  std::set<std::string> unsure_dirs_;  // a subset of them
  std::set<std::string> locks_;
};

// `path` without doubled or trailing slashes.
std::string CleanPath(const std::string& path);
std::string DirectoryOf(const std::string& clean_path);
std::string BaseName(const std::string& clean_path);

}  // namespace lull::testing
