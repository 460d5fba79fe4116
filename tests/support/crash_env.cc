// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "tests/support/crash_env.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "leveldb/slice.h"
#include "tests/support/crash_disk.h"

namespace lull::testing {

using leveldb::Slice;
using leveldb::Status;

namespace {

using DiskRef = std::shared_ptr<CrashDisk>;
using InodeRef = CrashDisk::InodeRef;

class SequentialReader : public leveldb::SequentialFile {
 public:
  SequentialReader(DiskRef disk, InodeRef inode)
      : disk_(std::move(disk)), inode_(std::move(inode)) {}

  Status Read(size_t n, Slice* result, char* scratch) override {
    const size_t length = disk_->Read(inode_, position_, n, scratch);
    position_ += length;
    *result = Slice(scratch, length);
    return Status::OK();
  }

  Status Skip(uint64_t n) override {
    position_ += n;
    return Status::OK();
  }

 private:
  const DiskRef disk_;
  const InodeRef inode_;
  uint64_t position_ = 0;
};

class RandomReader : public leveldb::RandomAccessFile {
 public:
  RandomReader(DiskRef disk, InodeRef inode) : disk_(std::move(disk)), inode_(std::move(inode)) {}

  Status Read(uint64_t offset, size_t n, Slice* result, char* scratch) const override {
    *result = Slice(scratch, disk_->Read(inode_, offset, n, scratch));
    return Status::OK();
  }

 private:
  const DiskRef disk_;
  const InodeRef inode_;
};

// Passes every append to the "page cache" at once, so Flush has nothing left to do.
#ifdef LULL_BUILD
using LogFileBase = lull::LogFile;
#else
using LogFileBase = leveldb::WritableFile;
#endif

class Writer : public LogFileBase {
 public:
  Writer(DiskRef disk, std::string path, InodeRef inode)
      : disk_(std::move(disk)), path_(std::move(path)), inode_(std::move(inode)) {}

  Status Append(const Slice& data) override { return disk_->Append(path_, inode_, data); }
  Status Close() override {
    disk_->Release(inode_);
    return Status::OK();
  }
  Status Flush() override { return Status::OK(); }
  Status Sync() override { return disk_->Sync(path_, inode_); }
#ifdef LULL_BUILD
  Status Seal() override { return Close(); }  // which only releases the reserved space
#endif

 private:
  const DiskRef disk_;
  const std::string path_;
  const InodeRef inode_;
};

#ifdef LULL_BUILD
// Overwrites an older file from its front. Each append adds a mark after it.
class Overwriter : public LogFileBase {
 public:
  Overwriter(DiskRef disk, std::string path, InodeRef inode, size_t mark_bytes)
      : disk_(std::move(disk)),
        path_(std::move(path)),
        inode_(std::move(inode)),
        mark_(mark_bytes, '\0') {}

  Status Append(const Slice& data) override {
    Status s = disk_->WriteAt(path_, inode_, written_, data.ToString() + mark_);
    if (!s.ok()) return s;
    written_ += data.size();
    ++disk_->appends_to_reused_logs;
    return s;
  }
  Status Close() override {
    disk_->Cut(inode_, written_);
    return Status::OK();
  }
  Status Flush() override { return Status::OK(); }
  Status Sync() override { return disk_->Sync(path_, inode_); }

 private:
  const DiskRef disk_;
  const std::string path_;
  const InodeRef inode_;
  const std::string mark_;
  uint64_t written_ = 0;
};
#endif

class HeldLock : public leveldb::FileLock {
 public:
  HeldLock(DiskRef disk, std::string path) : disk_(std::move(disk)), path_(std::move(path)) {}
  ~HeldLock() override { disk_->Unlock(path_); }

 private:
  const DiskRef disk_;
  const std::string path_;
};

class SilentLogger : public leveldb::Logger {
 public:
  void Logv(const char*, std::va_list) override {}
};

}  // namespace

CrashOptions CrashOptions::LoseAllUnsynced() {
  CrashOptions options;
  options.data_survival = 0;
  options.entry_survival = 0;
  return options;
}

CrashOptions CrashOptions::KeepAll() {
  CrashOptions options;
  options.data_survival = 1;
  options.entry_survival = 1;
  return options;
}

CrashEnv::CrashEnv() : CrashEnv(std::make_shared<CrashDisk>()) {}
#ifdef LULL_BUILD
CrashEnv::CrashEnv(std::shared_ptr<CrashDisk> disk) : EnvExtension(this), disk_(std::move(disk)) {}
#else
CrashEnv::CrashEnv(std::shared_ptr<CrashDisk> disk) : disk_(std::move(disk)) {}
#endif
CrashEnv::~CrashEnv() = default;

std::unique_ptr<CrashEnv> CrashEnv::Crash(uint64_t seed, const CrashOptions& options) const {
  return std::unique_ptr<CrashEnv>(new CrashEnv(disk_->AfterCrash(seed, options)));
}

void CrashEnv::SetCrashPoint(uint64_t index) { disk_->SetCrashPoint(index); }
bool CrashEnv::crashed() const { return disk_->crashed(); }
uint64_t CrashEnv::steps() const { return disk_->steps(); }
void CrashEnv::set_trace(bool on) { disk_->set_trace(on); }
std::vector<std::string> CrashEnv::trace() const { return disk_->trace(); }

void CrashEnv::DropDirtyPages(const std::string& path) { disk_->DropDirtyPages(CleanPath(path)); }

std::vector<PendingEntry> CrashEnv::Pending(const std::string& dir) const {
  return disk_->Pending(CleanPath(dir));
}

void CrashEnv::set_new_directories_may_vanish(bool on) {
  disk_->set_new_directories_may_vanish(on);
}

void CrashEnv::set_manifest_sync_covers_directory(bool on) {
  disk_->set_manifest_sync_covers_directory(on);
}

bool CrashEnv::Corrupt(const std::string& path, uint64_t offset, const std::string& bytes) {
  return disk_->Corrupt(CleanPath(path), offset, bytes);
}

bool CrashEnv::Truncate(const std::string& path, uint64_t size) {
  return disk_->Truncate(CleanPath(path), size);
}

void CrashEnv::UseManualClock(uint64_t now_us) {
  manual_now_us_ = now_us;
  manual_clock_ = true;
}

void CrashEnv::AdvanceClock(uint64_t delta_us) { manual_now_us_ += delta_us; }

Status CrashEnv::NewSequentialFile(const std::string& path, leveldb::SequentialFile** result) {
  InodeRef inode;
  Status s = disk_->Open(CleanPath(path), &inode);
  *result = s.ok() ? new SequentialReader(disk_, std::move(inode)) : nullptr;
  return s;
}

Status CrashEnv::NewRandomAccessFile(const std::string& path, leveldb::RandomAccessFile** result) {
  InodeRef inode;
  Status s = disk_->Open(CleanPath(path), &inode);
  *result = s.ok() ? new RandomReader(disk_, std::move(inode)) : nullptr;
  return s;
}

Status CrashEnv::NewWritableFile(const std::string& path, leveldb::WritableFile** result) {
  const std::string clean = CleanPath(path);
  InodeRef inode;
  Status s = disk_->Create(clean, /*keep=*/false, &inode);
  *result = s.ok() ? new Writer(disk_, clean, std::move(inode)) : nullptr;
  return s;
}

Status CrashEnv::NewAppendableFile(const std::string& path, leveldb::WritableFile** result) {
  const std::string clean = CleanPath(path);
  InodeRef inode;
  Status s = disk_->Create(clean, /*keep=*/true, &inode);
  *result = s.ok() ? new Writer(disk_, clean, std::move(inode)) : nullptr;
  return s;
}

bool CrashEnv::FileExists(const std::string& path) { return disk_->Exists(CleanPath(path)); }

Status CrashEnv::GetChildren(const std::string& dir, std::vector<std::string>* result) {
  return disk_->List(CleanPath(dir), result);
}

Status CrashEnv::RemoveFile(const std::string& path) { return disk_->Remove(CleanPath(path)); }
Status CrashEnv::CreateDir(const std::string& dir) { return disk_->MakeDir(CleanPath(dir)); }
Status CrashEnv::RemoveDir(const std::string& dir) { return disk_->RemoveDir(CleanPath(dir)); }

Status CrashEnv::GetFileSize(const std::string& path, uint64_t* size) {
  return disk_->Size(CleanPath(path), size);
}

Status CrashEnv::RenameFile(const std::string& from, const std::string& to) {
  return disk_->Rename(CleanPath(from), CleanPath(to));
}

Status CrashEnv::LockFile(const std::string& path, leveldb::FileLock** lock) {
  const std::string clean = CleanPath(path);
  *lock = nullptr;
  if (!disk_->Lock(clean)) return Status::IOError(clean, "lock is already held");
  *lock = new HeldLock(disk_, clean);
  return Status::OK();
}

Status CrashEnv::UnlockFile(leveldb::FileLock* lock) {
  delete lock;
  return Status::OK();
}

void CrashEnv::Schedule(void (*function)(void*), void* arg) {
  {
    std::lock_guard<std::mutex> lock(held_mu_);
    if (hold_) {
      held_.emplace_back(function, arg);
      return;
    }
  }
  leveldb::Env::Default()->Schedule(function, arg);
}

void CrashEnv::HoldScheduledWork() {
  std::lock_guard<std::mutex> lock(held_mu_);
  hold_ = true;
}

void CrashEnv::ReleaseScheduledWork() {
  std::vector<std::pair<void (*)(void*), void*>> released;
  {
    std::lock_guard<std::mutex> lock(held_mu_);
    hold_ = false;
    released.swap(held_);
  }
  for (const auto& [function, arg] : released) leveldb::Env::Default()->Schedule(function, arg);
}

void CrashEnv::StartThread(void (*function)(void*), void* arg) {
  leveldb::Env::Default()->StartThread(function, arg);
}

Status CrashEnv::GetTestDirectory(std::string* path) {
  *path = "/test";
  return Status::OK();
}

Status CrashEnv::NewLogger(const std::string&, leveldb::Logger** result) {
  *result = new SilentLogger;
  return Status::OK();
}

uint64_t CrashEnv::NowMicros() {
  return manual_clock_ ? manual_now_us_.load() : leveldb::Env::Default()->NowMicros();
}

void CrashEnv::SleepForMicroseconds(int micros) {
  if (manual_clock_) {
    AdvanceClock(static_cast<uint64_t>(micros));
  } else {
    leveldb::Env::Default()->SleepForMicroseconds(micros);
  }
}

#ifdef LULL_BUILD
Status CrashEnv::NewLogFile(const std::string& path, uint64_t capacity_bytes, lull::LogFileMode,
                            lull::LogFile** result) {
  const std::string clean = CleanPath(path);
  InodeRef inode;
  Status s = disk_->Create(clean, /*keep=*/false, &inode);
  if (s.ok()) disk_->Reserve(inode, capacity_bytes);
  *result = s.ok() ? new Writer(disk_, clean, std::move(inode)) : nullptr;
  return s;
}

uint64_t CrashEnv::appends_to_reused_logs() const { return disk_->appends_to_reused_logs; }

Status CrashEnv::ReuseLogFile(const std::string& old_path, const std::string& new_path,
                              const lull::LogBlocks& blocks, lull::LogFile** result) {
  const std::string from = CleanPath(old_path), to = CleanPath(new_path);
  *result = nullptr;
  InodeRef inode;
  uint64_t size = 0;
  Status s = disk_->Open(from, &inode);
  if (s.ok()) s = disk_->Size(from, &size);
  for (uint64_t at = 0; s.ok() && at < size; at += blocks.block_bytes) {
    const uint64_t wanted = at == 0 ? blocks.block_bytes : blocks.mark_bytes;
    s = disk_->WriteAt(from, inode, at, std::string(std::min(wanted, size - at), '\0'));
  }
  if (s.ok()) s = disk_->Sync(from, inode);
  if (s.ok()) s = disk_->Rename(from, to);
  if (!s.ok()) return s;
  *result = new Overwriter(disk_, to, std::move(inode), blocks.mark_bytes);
  return s;
}

Status CrashEnv::LinkFile(const std::string& from, const std::string& to) {
  return disk_->Link(CleanPath(from), CleanPath(to));
}
#endif

Status CrashEnv::SyncDirectory(const std::string& dir) { return disk_->SyncDir(CleanPath(dir)); }

}  // namespace lull::testing
