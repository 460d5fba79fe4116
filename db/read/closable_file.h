// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// ClosableFile: a table file that the table cache closes while readers use it, to limit the number
// of descriptors. A read of a closed file opens it for that read. After several such reads it
// offers the open file to its FileKeeper, which can keep it open.
//
// Any thread reads, without a lock. A file is closed after a grace period, so running reads finish
// first. Works with any Env.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "leveldb/env.h"
#include "leveldb/slice.h"
#include "leveldb/status.h"
#include "table/table_reader.h"
#include "util/env_extension.h"
#include "util/grace.h"

namespace lull {

class ClosableFile;

/// Decides which files stay open.
class FileKeeper {
 public:
  /// Keeps `file` open if possible. `opened`: the file, as opened for a read. Any thread.
  virtual void Offer(ClosableFile* file, std::unique_ptr<leveldb::RandomAccessFile> opened) = 0;

 protected:
  ~FileKeeper() = default;
};

class ClosableFile final : public leveldb::RandomAccessFile, public Prefetcher {
 public:
  /// `opened`: the file at `path`, open. `extension`: of `env`; can be null.
  ClosableFile(leveldb::Env* env, EnvExtension* extension, std::string path,
               std::unique_ptr<leveldb::RandomAccessFile> opened, GraceDomain* grace,
               FileKeeper* keeper)
      : env_(env),
        extension_(extension),
        path_(std::move(path)),
        grace_(grace),
        keeper_(keeper),
        open_(opened.release()) {}
  ~ClosableFile() override { delete open_.load(std::memory_order_acquire); }

  /// The result is always in `scratch`: memory of the open file is invalid after it closes.
  leveldb::Status Read(uint64_t offset, size_t n, leveldb::Slice* result,
                       char* scratch) const override;

  /// No effect while the file is closed.
  void Prefetch(uint64_t offset, size_t bytes) const override;

  // The keeper calls these, one thread at a time.

  bool IsOpen() const { return open_.load(std::memory_order_acquire) != nullptr; }
  /// REQUIRES: not IsOpen().
  void Keep(std::unique_ptr<leveldb::RandomAccessFile> opened) {
    open_.store(opened.release(), std::memory_order_release);
  }
  /// Closes the file for new reads. The caller must destroy the result after a grace period.
  std::unique_ptr<leveldb::RandomAccessFile> Detach() {
    return std::unique_ptr<leveldb::RandomAccessFile>(
        open_.exchange(nullptr, std::memory_order_acq_rel));
  }
  /// Whether a read used the open file since the last call.
  bool TakeUse() { return used_.exchange(false, std::memory_order_relaxed); }

  bool in_cache = false;  ///< for the keeper, guarded by its lock

 private:
  leveldb::Env* const env_;
  EnvExtension* const extension_;
  const std::string path_;
  GraceDomain* const grace_;
  FileKeeper* const keeper_;
  std::atomic<leveldb::RandomAccessFile*> open_;  // owned; null: closed
  mutable std::atomic<bool> used_{true};
  mutable std::atomic<int> reads_while_closed_{0};
};

}  // namespace lull
