// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// FaultEnv: wraps any Env and makes chosen I/O operations fail in chosen ways. With no fault armed
// it only counts. Thread-safe; the target must outlive it and its files.
//
// FileExists() never fails: its result cannot express an error.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "leveldb/env.h"
#include "leveldb/slice.h"

#ifdef LULL_BUILD
#include "util/env_extension.h"
#endif

namespace lull::testing {

// Kinds of operation, as bits so that a fault can name several.
enum IoOp : uint32_t {
  kOpenRead = 1u << 0,
  kOpenWrite = 1u << 1,
  kRead = 1u << 2,
  kAppend = 1u << 3,
  kSync = 1u << 4,
  kSyncDir = 1u << 5,
  kRename = 1u << 6,
  kRemove = 1u << 7,
  kList = 1u << 8,
  kFileSize = 1u << 9,
  kMakeDir = 1u << 10,
  kClose = 1u << 11,
  kLink = 1u << 12,
  kAnyOp = (1u << 13) - 1,
};

enum class FaultKind {
  kErrorOnce,    // this one operation fails and does nothing
  kErrorSticky,  // this operation and all later ones that match fail
  kNoSpace,      // from this operation on only `bytes` more can be appended; no file can be made
  kShortRead,    // this read returns half of the bytes it could, and OK; the next has the rest
  kShortWrite,   // this append writes half of its bytes, then fails
  kFailedSync,   // this sync fails; calls on_failed_sync
  kSyncLie,      // this sync returns OK and does nothing
};
inline constexpr FaultKind kAllFaultKinds[] = {
    FaultKind::kErrorOnce,  FaultKind::kErrorSticky, FaultKind::kNoSpace, FaultKind::kShortRead,
    FaultKind::kShortWrite, FaultKind::kFailedSync,  FaultKind::kSyncLie,
};

inline constexpr int kOpKinds = std::bit_width(static_cast<uint32_t>(kAnyOp));

inline const char* IoOpName(IoOp op) {
  static constexpr const char* kNames[kOpKinds] = {
      "open-read", "open-write", "read",      "append",   "sync",  "sync-dir", "rename",
      "remove",    "list",       "file-size", "make-dir", "close", "link"};
  return kNames[std::countr_zero(static_cast<uint32_t>(op))];
}
inline const char* FaultKindName(FaultKind kind) {
  static constexpr const char* kNames[] = {"error-once",  "error-sticky", "no-space", "short-read",
                                           "short-write", "failed-sync",  "sync-lie"};
  return kNames[static_cast<int>(kind)];
}

// For the names that GoogleTest shows.
inline void PrintTo(FaultKind kind, std::ostream* out) { *out << FaultKindName(kind); }
// The operations that a fault of this kind can hit.
inline uint32_t OpsOf(FaultKind kind) {
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

struct Fault {
  FaultKind kind = FaultKind::kErrorOnce;
  // The fault hits the index-th matching operation after it was armed, counted from 0.
  uint64_t index = 0;
  // Which operations match: these ops (minus those that the kind cannot hit) on files whose base
  // name contains `name_part`.
  uint32_t ops = kAnyOp;
  std::string name_part{};
  uint64_t bytes = 0;  // kNoSpace only
};

/// Which operations fail, and how: what a FaultEnv shares with its files.
class Faults {
 public:
  // Several faults can be armed at once; the first one that matches decides.
  void Arm(Fault fault) {
    std::lock_guard<std::mutex> lock(mu_);
    armed_.push_back({std::move(fault), 0});
  }
  // Disarms everything: the disk is healthy again and has room.
  void Heal() {
    std::lock_guard<std::mutex> lock(mu_);
    armed_.clear();
  }
  // The number of operations of `ops` so far.
  uint64_t Count(uint32_t ops = kAnyOp) const {
    std::lock_guard<std::mutex> lock(mu_);
    uint64_t total = 0;
    for (int bit = 0; bit < kOpKinds; ++bit) {
      if ((ops >> bit & 1) != 0) total += counts_[bit];
    }
    return total;
  }
  // How often a fault has hit.
  uint64_t hits() const { return hits_; }
  // "kind op path" of the first hit; empty if none.
  std::string first_hit() const {
    std::lock_guard<std::mutex> lock(mu_);
    return first_hit_;
  }

  // Called for each failed sync, for example with CrashEnv::DropDirtyPages. Set it before use.
  void set_on_failed_sync(std::function<void(const std::string& path)> callback) {
    on_failed_sync_ = std::move(callback);
  }
  // Called before each operation, on the calling thread. Any time: an operation that has begun can
  // still call the one before, which is destroyed afterwards.
  void set_before_operation(std::function<void(IoOp op, const std::string& path)> callback) {
    auto next =
        callback ? std::make_shared<const decltype(callback)>(std::move(callback)) : nullptr;
    std::lock_guard<std::mutex> lock(mu_);
    before_operation_.swap(next);
  }

  // The outcome of one operation. Called by the files of this Env.
  struct Outcome {
    leveldb::Status status;              // not OK: fail with it, after `pass_bytes`
    std::optional<uint64_t> pass_bytes;  // set: let only this many bytes through
    bool lie = false;                    // return OK and do nothing
  };
  Outcome Decide(IoOp op, const std::string& path, uint64_t bytes = 0) {
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
          first_hit_ =
              std::string(FaultKindName(armed.fault.kind)) + " " + IoOpName(op) + " " + path;
        }
        break;
      }
      sync_failed = op == kSync && !outcome.status.ok();
    }
    if (sync_failed && on_failed_sync_) on_failed_sync_(path);
    return outcome;
  }

 private:
  static std::string BaseOf(const std::string& path) {
    const size_t slash = path.rfind('/');
    return slash == std::string::npos ? path : path.substr(slash + 1);
  }

  struct Armed {
    Fault fault;
    uint64_t matched = 0;
  };

  std::optional<Outcome> HitLocked(Armed* armed, IoOp op, const std::string& path, uint64_t bytes) {
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
        outcome.status = leveldb::Status::IOError(path, "injected: input/output error");
        break;
      case FaultKind::kNoSpace:
        if (op == kAppend && bytes <= fault.bytes) {
          fault.bytes -= bytes;
          return std::nullopt;
        }
        if (op == kAppend) outcome.pass_bytes = std::exchange(fault.bytes, 0);
        outcome.status = leveldb::Status::IOError(path, "injected: No space left on device");
        break;
      case FaultKind::kShortRead:
        outcome.pass_bytes = bytes / 2;
        break;
      case FaultKind::kShortWrite:
        outcome.pass_bytes = bytes / 2;
        outcome.status = leveldb::Status::IOError(path, "injected: short write");
        break;
      case FaultKind::kSyncLie:
        outcome.lie = true;
        break;
    }
    return outcome;
  }

  mutable std::mutex mu_;
  std::vector<Armed> armed_;
  std::vector<uint64_t> counts_ = std::vector<uint64_t>(kOpKinds);  // by bit number
  std::string first_hit_;
  std::atomic<uint64_t> hits_{0};
  std::function<void(const std::string&)> on_failed_sync_;
  std::shared_ptr<const std::function<void(IoOp, const std::string&)>> before_operation_;
};

// What the files of the Env have in common.
template <class File>
class Faulty : public File {
 public:
  Faulty(Faults* env, std::string path, File* target)
      : env_(env), path_(std::move(path)), target_(target) {}

 protected:
  Faults::Outcome Decide(IoOp op, uint64_t bytes = 0) const {
    return env_->Decide(op, path_, bytes);
  }
  File* target() const { return target_.get(); }

 private:
  Faults* const env_;
  const std::string path_;
  const std::unique_ptr<File> target_;
};

class FaultySequentialFile final : public Faulty<leveldb::SequentialFile> {
 public:
  using Faulty::Faulty;

  leveldb::Status Read(size_t n, leveldb::Slice* result, char* scratch) override {
    const Faults::Outcome outcome = Decide(kRead, n);
    *result = leveldb::Slice();
    if (!outcome.status.ok()) return outcome.status;
    if (!held_back_.empty()) {
      const size_t length = std::min(n, held_back_.size());
      std::copy_n(held_back_.data(), length, scratch);
      held_back_.erase(0, length);
      *result = leveldb::Slice(scratch, length);
      return leveldb::Status::OK();
    }
    leveldb::Status s = target()->Read(n, result, scratch);
    if (!s.ok() || !outcome.pass_bytes.has_value()) return s;
    const size_t given = result->size() / 2;
    held_back_.assign(result->data() + given, result->size() - given);
    *result = leveldb::Slice(result->data(), given);
    return s;
  }

  leveldb::Status Skip(uint64_t n) override {
    const Faults::Outcome outcome = Decide(kRead, n);
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

  leveldb::Status Read(uint64_t offset, size_t n, leveldb::Slice* result,
                       char* scratch) const override {
    const Faults::Outcome outcome = Decide(kRead, n);
    if (!outcome.status.ok()) {
      *result = leveldb::Slice();
      return outcome.status;
    }
    leveldb::Status s = target()->Read(offset, n, result, scratch);
    if (s.ok() && outcome.pass_bytes.has_value()) {
      *result = leveldb::Slice(result->data(), result->size() / 2);
    }
    return s;
  }
};

// `File`: leveldb::WritableFile or LogFile.
template <class File>
class FaultyFile : public Faulty<File> {
 public:
  using Faulty<File>::Faulty;

  leveldb::Status Append(const leveldb::Slice& data) override {
    const Faults::Outcome outcome = Decide(kAppend, data.size());
    const uint64_t pass = outcome.pass_bytes.value_or(outcome.status.ok() ? data.size() : 0);
    if (pass > 0) {
      leveldb::Status s = target()->Append(leveldb::Slice(data.data(), pass));
      if (s.ok() && !outcome.status.ok()) s = target()->Flush();
      if (!s.ok()) return s;
    }
    return outcome.status;
  }

  leveldb::Status Sync() override {
    const Faults::Outcome outcome = Decide(kSync);
    if (outcome.lie || !outcome.status.ok()) return outcome.status;
    return target()->Sync();
  }

  // Closes the file in any case: an fd is gone even when close() reports an error.
  leveldb::Status Close() override {
    const Faults::Outcome outcome = Decide(kClose);
    leveldb::Status s = target()->Close();
    return outcome.status.ok() ? s : outcome.status;
  }

  leveldb::Status Flush() override { return target()->Flush(); }

 protected:
  using Faulty<File>::Decide;
  using Faulty<File>::target;
};

using FaultyWritableFile = FaultyFile<leveldb::WritableFile>;

#ifdef LULL_BUILD
class FaultyLogFile final : public FaultyFile<lull::LogFile> {
 public:
  using FaultyFile::FaultyFile;
  leveldb::Status Seal() override { return target()->Seal(); }
  bool HoldsDescriptor() const override { return target()->HoldsDescriptor(); }
};
#endif

class FaultEnv : public leveldb::EnvWrapper,
#ifdef LULL_BUILD
                 public lull::EnvExtension,
#endif
                 public Faults {
 public:
#ifdef LULL_BUILD
  explicit FaultEnv(leveldb::Env* target) : EnvWrapper(target), EnvExtension(this) {}
#else
  explicit FaultEnv(leveldb::Env* target) : EnvWrapper(target) {}
#endif

  leveldb::Status NewSequentialFile(const std::string& path,
                                    leveldb::SequentialFile** result) override {
    return OpenFile<FaultySequentialFile>(
        kOpenRead, path, result, [&] { return target()->NewSequentialFile(path, result); });
  }
  leveldb::Status NewRandomAccessFile(const std::string& path,
                                      leveldb::RandomAccessFile** result) override {
    return OpenFile<FaultyRandomAccessFile>(
        kOpenRead, path, result, [&] { return target()->NewRandomAccessFile(path, result); });
  }
  leveldb::Status NewWritableFile(const std::string& path,
                                  leveldb::WritableFile** result) override {
    return OpenFile<FaultyWritableFile>(kOpenWrite, path, result,
                                        [&] { return target()->NewWritableFile(path, result); });
  }
  leveldb::Status NewAppendableFile(const std::string& path,
                                    leveldb::WritableFile** result) override {
    return OpenFile<FaultyWritableFile>(kOpenWrite, path, result,
                                        [&] { return target()->NewAppendableFile(path, result); });
  }
  leveldb::Status GetChildren(const std::string& dir, std::vector<std::string>* result) override {
    const Outcome outcome = Decide(kList, dir);
    return outcome.status.ok() ? target()->GetChildren(dir, result) : outcome.status;
  }
  leveldb::Status RemoveFile(const std::string& path) override {
    const Outcome outcome = Decide(kRemove, path);
    return outcome.status.ok() ? target()->RemoveFile(path) : outcome.status;
  }
  leveldb::Status CreateDir(const std::string& dir) override {
    const Outcome outcome = Decide(kMakeDir, dir);
    return outcome.status.ok() ? target()->CreateDir(dir) : outcome.status;
  }
  leveldb::Status GetFileSize(const std::string& path, uint64_t* size) override {
    const Outcome outcome = Decide(kFileSize, path);
    return outcome.status.ok() ? target()->GetFileSize(path, size) : outcome.status;
  }
  leveldb::Status RenameFile(const std::string& from, const std::string& to) override {
    const Outcome outcome = Decide(kRename, from);
    return outcome.status.ok() ? target()->RenameFile(from, to) : outcome.status;
  }
#ifdef LULL_BUILD
  leveldb::Status SyncDirectory(const std::string& dir) override {
    const Outcome outcome = Decide(kSyncDir, dir);
    if (outcome.lie || !outcome.status.ok()) return outcome.status;
    lull::EnvExtension* extension = lull::ExtensionOf(target());
    return extension != nullptr ? extension->SyncDirectory(dir) : leveldb::Status::OK();
  }
  leveldb::Status SyncAgain(const std::string& path, uint64_t bytes) override {
    lull::EnvExtension* const extension = lull::ExtensionOf(target());
    if (extension == nullptr) return leveldb::Status::NotSupported(path, "only one sync");
    for (const IoOp op : {kOpenWrite, kAppend, kSync}) {
      const Outcome outcome = Decide(op, path);
      if (outcome.lie || !outcome.status.ok()) return outcome.status;
    }
    return extension->SyncAgain(path, bytes);
  }
  leveldb::Status NewLogFile(const std::string& path, uint64_t capacity_bytes,
                             lull::LogFileMode mode, lull::LogFile** result) override {
    return OpenExtended<FaultyLogFile>(kOpenWrite, path, result, [&](auto* extension) {
      return extension->NewLogFile(path, capacity_bytes, mode, result);
    });
  }
  // A fault before any step, at the sync inside, or at the rename; a lie affects none of them.
  leveldb::Status ReuseLogFile(const std::string& old_path, const std::string& new_path,
                               const lull::LogBlocks& blocks, lull::LogFile** result) override {
    lull::EnvExtension* const extension = lull::ExtensionOf(target());
    *result = nullptr;
    if (extension == nullptr)
      return leveldb::Status::NotSupported(old_path, "the target has no extension");
    for (const IoOp op : {kOpenWrite, kSync, kRename}) {
      const Outcome outcome = Decide(op, old_path);
      if (!outcome.status.ok()) return outcome.status;
    }
    leveldb::Status s = extension->ReuseLogFile(old_path, new_path, blocks, result);
    if (s.ok()) *result = new FaultyLogFile(this, new_path, *result);
    return s;
  }
  leveldb::Status NewCompactionInput(const std::string& path,
                                     leveldb::RandomAccessFile** result) override {
    return OpenExtended<FaultyRandomAccessFile>(kOpenRead, path, result, [&](auto* extension) {
      return extension->NewCompactionInput(path, result);
    });
  }
  leveldb::Status NewTableFile(const std::string& path, lull::TableWriterKind writer,
                               leveldb::WritableFile** result) override {
    return OpenExtended<FaultyWritableFile>(kOpenWrite, path, result, [&](auto* extension) {
      return extension->NewTableFile(path, writer, result);
    });
  }
  leveldb::Status NewManifestFile(const std::string& path,
                                  leveldb::WritableFile** result) override {
    return OpenExtended<FaultyWritableFile>(kOpenWrite, path, result, [&](auto* extension) {
      return extension->NewManifestFile(path, result);
    });
  }
  leveldb::Status LinkFile(const std::string& from, const std::string& to) override {
    lull::EnvExtension* extension = lull::ExtensionOf(target());
    if (extension == nullptr) return leveldb::Status::NotSupported(from, "no links");
    const Outcome outcome = Decide(kLink, to);
    return outcome.status.ok() ? extension->LinkFile(from, to) : outcome.status;
  }
#endif

 private:
  // Opens a file with `open`, unless a fault hits `op`, and wraps it in a `File`.
  template <class File, class Base, class Open>
  leveldb::Status OpenFile(IoOp op, const std::string& path, Base** result, Open open) {
    *result = nullptr;
    const Outcome outcome = Decide(op, path);
    if (!outcome.status.ok()) return outcome.status;
    leveldb::Status s = open();
    if (s.ok()) *result = new File(this, path, *result);
    return s;
  }

#ifdef LULL_BUILD
  // The same with a function of the target's extension, if it has one.
  template <class File, class Base, class Open>
  leveldb::Status OpenExtended(IoOp op, const std::string& path, Base** result, Open open) {
    lull::EnvExtension* const extension = lull::ExtensionOf(target());
    *result = nullptr;
    if (extension == nullptr)
      return leveldb::Status::NotSupported(path, "the target has no extension");
    return OpenFile<File>(op, path, result, [&] { return open(extension); });
  }
#endif
};

}  // namespace lull::testing
