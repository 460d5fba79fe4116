// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "tests/support/fault_env.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <ostream>
#include <utility>

#include "leveldb/slice.h"

namespace lull::testing {

using leveldb::Slice;
using leveldb::Status;

namespace {

constexpr int kOpKinds = std::bit_width(static_cast<uint32_t>(kAnyOp));

std::string BaseOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

// What the files of the Env have in common.
template <class File>
class Faulty : public File {
 public:
  Faulty(FaultEnv* env, std::string path, File* target)
      : env_(env), path_(std::move(path)), target_(target) {}

 protected:
  FaultEnv::Outcome Decide(IoOp op, uint64_t bytes = 0) const {
    return env_->Decide(op, path_, bytes);
  }
  File* target() const { return target_.get(); }

 private:
  FaultEnv* const env_;
  const std::string path_;
  const std::unique_ptr<File> target_;
};

class FaultySequentialFile final : public Faulty<leveldb::SequentialFile> {
 public:
  using Faulty::Faulty;

  Status Read(size_t n, Slice* result, char* scratch) override {
    const FaultEnv::Outcome outcome = Decide(kRead, n);
    *result = Slice();
    if (!outcome.status.ok()) return outcome.status;
    if (!held_back_.empty()) {
      const size_t length = std::min(n, held_back_.size());
      std::copy_n(held_back_.data(), length, scratch);
      held_back_.erase(0, length);
      *result = Slice(scratch, length);
      return Status::OK();
    }
    Status s = target()->Read(n, result, scratch);
    if (!s.ok() || !outcome.pass_bytes.has_value()) return s;
    const size_t given = result->size() / 2;
    held_back_.assign(result->data() + given, result->size() - given);
    *result = Slice(result->data(), given);
    return s;
  }

  Status Skip(uint64_t n) override {
    const FaultEnv::Outcome outcome = Decide(kRead, n);
    if (!outcome.status.ok()) return outcome.status;
    const uint64_t from_held_back = std::min<uint64_t>(n, held_back_.size());
    held_back_.erase(0, from_held_back);
    return target()->Skip(n - from_held_back);
  }

 private:
  std::string held_back_;  // what a short read left for the next one
};

class FaultyRandomAccessFile final : public Faulty<leveldb::RandomAccessFile> {
 public:
  using Faulty::Faulty;

  Status Read(uint64_t offset, size_t n, Slice* result, char* scratch) const override {
    const FaultEnv::Outcome outcome = Decide(kRead, n);
    if (!outcome.status.ok()) {
      *result = Slice();
      return outcome.status;
    }
    Status s = target()->Read(offset, n, result, scratch);
    if (s.ok() && outcome.pass_bytes.has_value()) {
      *result = Slice(result->data(), result->size() / 2);
    }
    return s;
  }
};

// `File`: leveldb::WritableFile or LogFile.
template <class File>
class FaultyFile : public Faulty<File> {
 public:
  using Faulty<File>::Faulty;

  Status Append(const Slice& data) override {
    const FaultEnv::Outcome outcome = Decide(kAppend, data.size());
    const uint64_t pass = outcome.pass_bytes.value_or(outcome.status.ok() ? data.size() : 0);
    if (pass > 0) {
      Status s = target()->Append(Slice(data.data(), pass));
      if (s.ok() && !outcome.status.ok()) s = target()->Flush();
      if (!s.ok()) return s;
    }
    return outcome.status;
  }

  Status Sync() override {
    const FaultEnv::Outcome outcome = Decide(kSync);
    if (outcome.lie || !outcome.status.ok()) return outcome.status;
    return target()->Sync();
  }

  // Closes the file in any case: an fd is gone even when close() reports an error.
  Status Close() override {
    const FaultEnv::Outcome outcome = Decide(kClose);
    Status s = target()->Close();
    return outcome.status.ok() ? s : outcome.status;
  }

  Status Flush() override { return target()->Flush(); }

 protected:
  using Faulty<File>::Decide;
  using Faulty<File>::target;
};

using FaultyWritableFile = FaultyFile<leveldb::WritableFile>;

#ifdef LULL_BUILD
class FaultyLogFile final : public FaultyFile<lull::LogFile> {
 public:
  using FaultyFile::FaultyFile;
  Status Seal() override { return target()->Seal(); }
  bool HoldsDescriptor() const override { return target()->HoldsDescriptor(); }
};
#endif

// Opens a file with `open`, unless a fault hits `op`, and wraps it in a `File`.
template <class File, class Base, class Open>
Status OpenFile(FaultEnv* env, IoOp op, const std::string& path, Base** result, Open open) {
  *result = nullptr;
  const FaultEnv::Outcome outcome = env->Decide(op, path);
  if (!outcome.status.ok()) return outcome.status;
  Status s = open();
  if (s.ok()) *result = new File(env, path, *result);
  return s;
}

#ifdef LULL_BUILD
// The same with a function of the target's extension, if it has one.
template <class File, class Base, class Open>
Status OpenExtended(FaultEnv* env, IoOp op, const std::string& path, Base** result, Open open) {
  lull::EnvExtension* const extension = lull::ExtensionOf(env->target());
  *result = nullptr;
  if (extension == nullptr) return Status::NotSupported(path, "the target has no extension");
  return OpenFile<File>(env, op, path, result, [&] { return open(extension); });
}
#endif

}  // namespace

const char* IoOpName(IoOp op) {
  static constexpr const char* kNames[kOpKinds] = {
      "open-read", "open-write", "read",      "append",   "sync",  "sync-dir", "rename",
      "remove",    "list",       "file-size", "make-dir", "close", "link"};
  return kNames[std::countr_zero(static_cast<uint32_t>(op))];
}

const char* FaultKindName(FaultKind kind) {
  static constexpr const char* kNames[] = {"error-once",  "error-sticky", "no-space", "short-read",
                                           "short-write", "failed-sync",  "sync-lie"};
  return kNames[static_cast<int>(kind)];
}

void PrintTo(FaultKind kind, std::ostream* out) { *out << FaultKindName(kind); }

uint32_t OpsOf(FaultKind kind) {
  switch (kind) {
    case FaultKind::kNoSpace:
      return kAppend | kOpenWrite | kMakeDir | kLink;
    case FaultKind::kShortRead:
      return kRead;
    case FaultKind::kShortWrite:
      return kAppend;
    case FaultKind::kFailedSync:
    case FaultKind::kSyncLie:
      return kSync | kSyncDir;
    default:
      return kAnyOp;
  }
}

#ifdef LULL_BUILD
FaultEnv::FaultEnv(leveldb::Env* target)
    : EnvWrapper(target), EnvExtension(this), counts_(kOpKinds) {}
#else
FaultEnv::FaultEnv(leveldb::Env* target) : EnvWrapper(target), counts_(kOpKinds) {}
#endif
FaultEnv::~FaultEnv() = default;

void FaultEnv::Arm(Fault fault) {
  std::lock_guard<std::mutex> lock(mu_);
  armed_.push_back({std::move(fault), 0});
}

void FaultEnv::Heal() {
  std::lock_guard<std::mutex> lock(mu_);
  armed_.clear();
}

uint64_t FaultEnv::Count(uint32_t ops) const {
  std::lock_guard<std::mutex> lock(mu_);
  uint64_t total = 0;
  for (int bit = 0; bit < kOpKinds; ++bit) {
    if ((ops >> bit & 1) != 0) total += counts_[bit];
  }
  return total;
}

void FaultEnv::ResetCount() {
  std::lock_guard<std::mutex> lock(mu_);
  std::fill(counts_.begin(), counts_.end(), 0);
}

std::string FaultEnv::first_hit() const {
  std::lock_guard<std::mutex> lock(mu_);
  return first_hit_;
}

void FaultEnv::set_on_failed_sync(std::function<void(const std::string& path)> callback) {
  on_failed_sync_ = std::move(callback);
}

void FaultEnv::set_before_operation(
    std::function<void(IoOp op, const std::string& path)> callback) {
  auto next = callback ? std::make_shared<const decltype(callback)>(std::move(callback)) : nullptr;
  std::lock_guard<std::mutex> lock(mu_);
  before_operation_.swap(next);
}

FaultEnv::Outcome FaultEnv::Decide(IoOp op, const std::string& path, uint64_t bytes) {
  decltype(before_operation_) before;
  {
    std::lock_guard<std::mutex> lock(mu_);
    before = before_operation_;
  }
  if (before != nullptr) (*before)(op, path);
  Outcome outcome;
  bool sync_failed = false;
  {
    std::lock_guard<std::mutex> lock(mu_);
    ++counts_[std::countr_zero(static_cast<uint32_t>(op))];
    for (Armed& armed : armed_) {
      std::optional<Outcome> hit = HitLocked(&armed, op, path, bytes);
      if (!hit.has_value()) continue;
      outcome = *std::move(hit);
      ++hits_;
      if (first_hit_.empty()) {
        first_hit_ = std::string(FaultKindName(armed.fault.kind)) + " " + IoOpName(op) + " " + path;
      }
      break;
    }
    sync_failed = op == kSync && !outcome.status.ok();
  }
  if (sync_failed && on_failed_sync_) on_failed_sync_(path);
  return outcome;
}

std::optional<FaultEnv::Outcome> FaultEnv::HitLocked(Armed* armed, IoOp op, const std::string& path,
                                                     uint64_t bytes) {
  Fault& fault = armed->fault;
  if ((fault.ops & OpsOf(fault.kind) & op) == 0) return std::nullopt;
  if (BaseOf(path).find(fault.name_part) == std::string::npos) return std::nullopt;
  const uint64_t position = armed->matched++;
  if (position < fault.index) return std::nullopt;
  const bool lasting = fault.kind == FaultKind::kErrorSticky || fault.kind == FaultKind::kNoSpace;
  if (!lasting && position > fault.index) return std::nullopt;

  Outcome outcome;
  switch (fault.kind) {
    case FaultKind::kErrorOnce:
    case FaultKind::kErrorSticky:
    case FaultKind::kFailedSync:
      outcome.status = Status::IOError(path, "injected: input/output error");
      break;
    case FaultKind::kNoSpace:
      if (op == kAppend && bytes <= fault.bytes) {
        fault.bytes -= bytes;
        return std::nullopt;
      }
      if (op == kAppend) outcome.pass_bytes = std::exchange(fault.bytes, 0);
      outcome.status = Status::IOError(path, "injected: No space left on device");
      break;
    case FaultKind::kShortRead:
      outcome.pass_bytes = bytes / 2;
      break;
    case FaultKind::kShortWrite:
      outcome.pass_bytes = bytes / 2;
      outcome.status = Status::IOError(path, "injected: short write");
      break;
    case FaultKind::kSyncLie:
      outcome.lie = true;
      break;
  }
  return outcome;
}

Status FaultEnv::NewSequentialFile(const std::string& path, leveldb::SequentialFile** result) {
  return OpenFile<FaultySequentialFile>(
      this, kOpenRead, path, result, [&] { return target()->NewSequentialFile(path, result); });
}

Status FaultEnv::NewRandomAccessFile(const std::string& path, leveldb::RandomAccessFile** result) {
  return OpenFile<FaultyRandomAccessFile>(
      this, kOpenRead, path, result, [&] { return target()->NewRandomAccessFile(path, result); });
}

Status FaultEnv::NewWritableFile(const std::string& path, leveldb::WritableFile** result) {
  return OpenFile<FaultyWritableFile>(this, kOpenWrite, path, result,
                                      [&] { return target()->NewWritableFile(path, result); });
}

Status FaultEnv::NewAppendableFile(const std::string& path, leveldb::WritableFile** result) {
  return OpenFile<FaultyWritableFile>(this, kOpenWrite, path, result,
                                      [&] { return target()->NewAppendableFile(path, result); });
}

Status FaultEnv::GetChildren(const std::string& dir, std::vector<std::string>* result) {
  const Outcome outcome = Decide(kList, dir);
  return outcome.status.ok() ? target()->GetChildren(dir, result) : outcome.status;
}

Status FaultEnv::RemoveFile(const std::string& path) {
  const Outcome outcome = Decide(kRemove, path);
  return outcome.status.ok() ? target()->RemoveFile(path) : outcome.status;
}

Status FaultEnv::CreateDir(const std::string& dir) {
  const Outcome outcome = Decide(kMakeDir, dir);
  return outcome.status.ok() ? target()->CreateDir(dir) : outcome.status;
}

Status FaultEnv::GetFileSize(const std::string& path, uint64_t* size) {
  const Outcome outcome = Decide(kFileSize, path);
  return outcome.status.ok() ? target()->GetFileSize(path, size) : outcome.status;
}

Status FaultEnv::RenameFile(const std::string& from, const std::string& to) {
  const Outcome outcome = Decide(kRename, from);
  return outcome.status.ok() ? target()->RenameFile(from, to) : outcome.status;
}

#ifdef LULL_BUILD
Status FaultEnv::SyncDirectory(const std::string& dir) {
  const Outcome outcome = Decide(kSyncDir, dir);
  if (outcome.lie || !outcome.status.ok()) return outcome.status;
  lull::EnvExtension* extension = lull::ExtensionOf(target());
  return extension != nullptr ? extension->SyncDirectory(dir) : Status::OK();
}

Status FaultEnv::NewLogFile(const std::string& path, uint64_t capacity_bytes,
                            lull::LogFileMode mode, lull::LogFile** result) {
  return OpenExtended<FaultyLogFile>(this, kOpenWrite, path, result, [&](auto* extension) {
    return extension->NewLogFile(path, capacity_bytes, mode, result);
  });
}

// A fault before any step, at the sync inside, or at the rename; a lie affects none of them.
Status FaultEnv::ReuseLogFile(const std::string& old_path, const std::string& new_path,
                              const lull::LogBlocks& blocks, lull::LogFile** result) {
  lull::EnvExtension* const extension = lull::ExtensionOf(target());
  *result = nullptr;
  if (extension == nullptr) return Status::NotSupported(old_path, "the target has no extension");
  for (const IoOp op : {kOpenWrite, kSync, kRename}) {
    const Outcome outcome = Decide(op, old_path);
    if (!outcome.status.ok()) return outcome.status;
  }
  Status s = extension->ReuseLogFile(old_path, new_path, blocks, result);
  if (s.ok()) *result = new FaultyLogFile(this, new_path, *result);
  return s;
}

Status FaultEnv::NewCompactionInput(const std::string& path, leveldb::RandomAccessFile** result) {
  return OpenExtended<FaultyRandomAccessFile>(
      this, kOpenRead, path, result,
      [&](auto* extension) { return extension->NewCompactionInput(path, result); });
}

Status FaultEnv::NewTableFile(const std::string& path, lull::TableWriterKind writer,
                              leveldb::WritableFile** result) {
  return OpenExtended<FaultyWritableFile>(
      this, kOpenWrite, path, result,
      [&](auto* extension) { return extension->NewTableFile(path, writer, result); });
}

Status FaultEnv::NewManifestFile(const std::string& path, leveldb::WritableFile** result) {
  return OpenExtended<FaultyWritableFile>(
      this, kOpenWrite, path, result,
      [&](auto* extension) { return extension->NewManifestFile(path, result); });
}

Status FaultEnv::LinkFile(const std::string& from, const std::string& to) {
  lull::EnvExtension* extension = lull::ExtensionOf(target());
  if (extension == nullptr) return Status::NotSupported(from, "no links");
  const Outcome outcome = Decide(kLink, to);
  return outcome.status.ok() ? extension->LinkFile(from, to) : outcome.status;
}
#endif

}  // namespace lull::testing
