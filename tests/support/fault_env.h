// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// FaultEnv: wraps any Env and makes chosen I/O operations fail in chosen ways. With no fault armed
// it only counts. Thread-safe; the target must outlive it and its files.
//
// FileExists() never fails: its result cannot express an error.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <iosfwd>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "leveldb/env.h"

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

const char* IoOpName(IoOp op);
const char* FaultKindName(FaultKind kind);
// For the names that GoogleTest shows.
void PrintTo(FaultKind kind, std::ostream* out);
// The operations that a fault of this kind can hit.
uint32_t OpsOf(FaultKind kind);

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

class FaultEnv : public leveldb::EnvWrapper
#ifdef LULL_BUILD
    ,
                 public lull::EnvExtension
#endif
{
 public:
  explicit FaultEnv(leveldb::Env* target);
  ~FaultEnv() override;

  // Several faults can be armed at once; the first one that matches decides.
  void Arm(Fault fault);
  // Disarms everything: the disk is healthy again and has room.
  void Heal();
  // The number of operations of `ops` since construction or ResetCount().
  uint64_t Count(uint32_t ops = kAnyOp) const;
  void ResetCount();
  // How often a fault has hit.
  uint64_t hits() const { return hits_; }
  // "kind op path" of the first hit; empty if none.
  std::string first_hit() const;

  // Called for each failed sync, for example with CrashEnv::DropDirtyPages. Set it before use.
  void set_on_failed_sync(std::function<void(const std::string& path)> callback);
  // Called before each operation, on the calling thread. Any time: an operation that has begun can
  // still call the one before, which is destroyed afterwards.
  void set_before_operation(std::function<void(IoOp op, const std::string& path)> callback);

  leveldb::Status NewSequentialFile(const std::string& path,
                                    leveldb::SequentialFile** result) override;
  leveldb::Status NewRandomAccessFile(const std::string& path,
                                      leveldb::RandomAccessFile** result) override;
  leveldb::Status NewWritableFile(const std::string& path, leveldb::WritableFile** result) override;
  leveldb::Status NewAppendableFile(const std::string& path,
                                    leveldb::WritableFile** result) override;
  leveldb::Status GetChildren(const std::string& dir, std::vector<std::string>* result) override;
  leveldb::Status RemoveFile(const std::string& path) override;
  leveldb::Status CreateDir(const std::string& dir) override;
  leveldb::Status GetFileSize(const std::string& path, uint64_t* size) override;
  leveldb::Status RenameFile(const std::string& from, const std::string& to) override;
#ifdef LULL_BUILD
  leveldb::Status SyncDirectory(const std::string& dir) override;
  leveldb::Status NewLogFile(const std::string& path, uint64_t capacity_bytes,
                             lull::LogFileMode mode, lull::LogFile** result) override;
  leveldb::Status ReuseLogFile(const std::string& old_path, const std::string& new_path,
                               const lull::LogBlocks& blocks, lull::LogFile** result) override;
  leveldb::Status NewCompactionInput(const std::string& path,
                                     leveldb::RandomAccessFile** result) override;
  leveldb::Status NewTableFile(const std::string& path, lull::TableWriterKind writer,
                               leveldb::WritableFile** result) override;
  leveldb::Status NewManifestFile(const std::string& path, leveldb::WritableFile** result) override;
  leveldb::Status LinkFile(const std::string& from, const std::string& to) override;
#endif

  // The outcome of one operation. Called by the files of this Env.
  struct Outcome {
    leveldb::Status status;              // not OK: fail with it, after `pass_bytes`
    std::optional<uint64_t> pass_bytes;  // set: let only this many bytes through
    bool lie = false;                    // return OK and do nothing
  };
  Outcome Decide(IoOp op, const std::string& path, uint64_t bytes = 0);

 private:
  struct Armed {
    Fault fault;
    uint64_t matched = 0;
  };

  std::optional<Outcome> HitLocked(Armed* armed, IoOp op, const std::string& path, uint64_t bytes);

  mutable std::mutex mu_;
  std::vector<Armed> armed_;
  std::vector<uint64_t> counts_;  // by bit number
  std::string first_hit_;
  std::atomic<uint64_t> hits_{0};
  std::function<void(const std::string&)> on_failed_sync_;
  std::shared_ptr<const std::function<void(IoOp, const std::string&)>> before_operation_;
};

}  // namespace lull::testing
