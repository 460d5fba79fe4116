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

  Status Read(size_t n, Slice* result, char* scratch) override {
    *result = Slice(scratch, file_.Read(position_, n, scratch));
    position_ += result->size();
    return Status::OK();
  }

  Status Skip(uint64_t n) override {
    position_ += n;
    return Status::OK();
  }

 private:
  const OpenFile file_;
  uint64_t position_ = 0;
};

class RandomReader : public leveldb::RandomAccessFile {
 public:
  explicit RandomReader(OpenFile file) : file_(std::move(file)) {}

  Status Read(uint64_t offset, size_t n, Slice* result, char* scratch) const override {
    *result = Slice(scratch, file_.Read(offset, n, scratch));
    return Status::OK();
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

  Status Append(const Slice& data) override {
    return file_.disk->Locked()->Append(file_.path, file_.inode, data);
  }
  Status Close() override {
    file_.disk->Locked()->Release(file_.inode);
    return Status::OK();
  }
  Status Flush() override { return Status::OK(); }
  Status Sync() override { return file_.disk->Locked()->Sync(file_.path, file_.inode); }
#ifdef LULL_BUILD
  Status Seal() override { return Close(); }  // which only releases the reserved space
#endif

 protected:
  const OpenFile file_;
};

#ifdef LULL_BUILD
// Overwrites an older file from its front. Each append adds a mark after it.
class Overwriter : public Writer {
 public:
  Overwriter(OpenFile file, size_t mark_bytes) : Writer(std::move(file)), mark_(mark_bytes, '\0') {}

  Status Append(const Slice& data) override {
    Status s = file_.disk->Locked()->WriteAt(file_.path, file_.inode, written_,
                                             data.ToString() + mark_);
    if (!s.ok()) return s;
    written_ += data.size();
    ++file_.disk->Locked()->appends_to_reused_logs;
    return s;
  }
  Status Close() override {
    file_.disk->Locked()->Cut(file_.inode, written_);
    return Status::OK();
  }
  Status Seal() override { return Status::OK(); }

 private:
  const std::string mark_;
  uint64_t written_ = 0;
};
#endif

template <class File, class Base>
Status Make(const Status& s, OpenFile file, Base** result) {
  *result = s.ok() ? new File(std::move(file)) : nullptr;
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
CrashEnv::CrashEnv(std::shared_ptr<CrashDisk> disk)
    : EnvWrapper(leveldb::Env::Default()),
#ifdef LULL_BUILD
      EnvExtension(this),
#endif
      disk_(std::move(disk)) {
}
CrashEnv::~CrashEnv() = default;

std::unique_ptr<CrashEnv> CrashEnv::Crash(uint64_t seed, const CrashOptions& options) const {
  return std::unique_ptr<CrashEnv>(new CrashEnv(disk_->Locked()->AfterCrash(seed, options)));
}

void CrashEnv::SetCrashPoint(uint64_t index) { disk_->Locked()->crash_point = index; }
bool CrashEnv::crashed() const { return disk_->Locked()->crashed; }
uint64_t CrashEnv::steps() const { return disk_->Locked()->steps; }

std::vector<PendingEntry> CrashEnv::Pending(const std::string& dir) const {
  return disk_->Locked()->Pending(CleanPath(dir));
}

void CrashEnv::set_new_directories_may_vanish(bool on) {
  disk_->Locked()->new_directories_may_vanish = on;
}

void CrashEnv::set_manifest_sync_covers_directory(bool on) {
  disk_->Locked()->manifest_sync_covers_directory = on;
}

template <class Change>
bool CrashEnv::Edit(const std::string& path, Change change) const {
  const CrashDisk::Lock disk = disk_->Locked();
  FileContent* const content = disk->Find(CleanPath(path));
  if (content != nullptr) change(content);
  return content != nullptr;
}

void CrashEnv::DropDirtyPages(const std::string& path) {
  Edit(path, [](FileContent* content) { content->SyncFailed(); });
}

bool CrashEnv::Corrupt(const std::string& path, uint64_t offset, const std::string& bytes) {
  return Edit(path, [&](FileContent* content) { content->Overwrite(offset, bytes); });
}

bool CrashEnv::Truncate(const std::string& path, uint64_t size) {
  return Edit(path, [&](FileContent* content) { content->Resize(size); });
}

Status CrashEnv::GetFileSize(const std::string& path, uint64_t* size) {
  const bool exists = Edit(path, [&](FileContent* content) { *size = content->size(); });
  return exists ? Status::OK() : Status::NotFound(path, "no such file");
}

Status CrashEnv::NewSequentialFile(const std::string& path, leveldb::SequentialFile** result) {
  OpenFile file{disk_, CleanPath(path), nullptr};
  const Status s = disk_->Locked()->Open(file.path, &file.inode);
  return Make<SequentialReader>(s, std::move(file), result);
}

Status CrashEnv::NewRandomAccessFile(const std::string& path, leveldb::RandomAccessFile** result) {
  OpenFile file{disk_, CleanPath(path), nullptr};
  const Status s = disk_->Locked()->Open(file.path, &file.inode);
  return Make<RandomReader>(s, std::move(file), result);
}

Status CrashEnv::NewWritableFile(const std::string& path, leveldb::WritableFile** result) {
  OpenFile file{disk_, CleanPath(path), nullptr};
  const Status s = disk_->Locked()->Create(file.path, /*keep=*/false, &file.inode);
  return Make<Writer>(s, std::move(file), result);
}

Status CrashEnv::NewAppendableFile(const std::string& path, leveldb::WritableFile** result) {
  OpenFile file{disk_, CleanPath(path), nullptr};
  const Status s = disk_->Locked()->Create(file.path, /*keep=*/true, &file.inode);
  return Make<Writer>(s, std::move(file), result);
}

bool CrashEnv::FileExists(const std::string& path) {
  return disk_->Locked()->Exists(CleanPath(path));
}

Status CrashEnv::GetChildren(const std::string& dir, std::vector<std::string>* result) {
  return disk_->Locked()->List(CleanPath(dir), result);
}

Status CrashEnv::RemoveFile(const std::string& path) {
  return disk_->Locked()->Remove(CleanPath(path));
}

Status CrashEnv::CreateDir(const std::string& dir) {
  return disk_->Locked()->MakeDir(CleanPath(dir));
}

Status CrashEnv::RemoveDir(const std::string& dir) {
  return disk_->Locked()->RemoveDir(CleanPath(dir));
}

Status CrashEnv::RenameFile(const std::string& from, const std::string& to) {
  return disk_->Locked()->Rename(CleanPath(from), CleanPath(to));
}

Status CrashEnv::LockFile(const std::string& path, leveldb::FileLock** lock) {
  const std::string clean = CleanPath(path);
  *lock = nullptr;
  if (!disk_->Locked()->LockFile(clean)) return Status::IOError(clean, "lock is already held");
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
  target()->Schedule(function, arg);
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
  for (const auto& [function, arg] : released) target()->Schedule(function, arg);
}

Status CrashEnv::NewLogger(const std::string&, leveldb::Logger** result) {
  *result = new SilentLogger;
  return Status::OK();
}

#ifdef LULL_BUILD
Status CrashEnv::NewLogFile(const std::string& path, uint64_t capacity_bytes, lull::LogFileMode,
                            lull::LogFile** result) {
  OpenFile file{disk_, CleanPath(path), nullptr};
  const Status s = disk_->Locked()->Create(file.path, /*keep=*/false, &file.inode);
  if (s.ok()) disk_->Locked()->Reserve(file.inode, capacity_bytes);
  return Make<Writer>(s, std::move(file), result);
}

uint64_t CrashEnv::appends_to_reused_logs() const {
  return disk_->Locked()->appends_to_reused_logs;
}

Status CrashEnv::ReuseLogFile(const std::string& old_path, const std::string& new_path,
                              const lull::LogBlocks& blocks, lull::LogFile** result) {
  const std::string from = CleanPath(old_path);
  OpenFile file{disk_, CleanPath(new_path), nullptr};
  *result = nullptr;
  uint64_t size = 0;
  Status s = disk_->Locked()->Open(from, &file.inode);
  if (s.ok()) s = GetFileSize(from, &size);
  for (uint64_t at = 0; s.ok() && at < size; at += blocks.block_bytes) {
    const uint64_t wanted = at == 0 ? blocks.block_bytes : blocks.mark_bytes;
    s = disk_->Locked()->WriteAt(from, file.inode, at,
                                 std::string(std::min(wanted, size - at), '\0'));
  }
  if (s.ok()) s = disk_->Locked()->Sync(from, file.inode);
  if (s.ok()) s = disk_->Locked()->Rename(from, file.path);
  if (s.ok()) *result = new Overwriter(std::move(file), blocks.mark_bytes);
  return s;
}

Status CrashEnv::LinkFile(const std::string& from, const std::string& to) {
  return disk_->Locked()->Link(CleanPath(from), CleanPath(to));
}
#endif

Status CrashEnv::SyncDirectory(const std::string& dir) {
  return disk_->Locked()->SyncDir(CleanPath(dir));
}

}  // namespace lull::testing
