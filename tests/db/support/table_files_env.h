// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// An Env in memory that counts how table files are opened and read. Thread-safe.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "leveldb/env.h"
#include "leveldb/helpers/memenv.h"
#include "tests/support/event_count.h"
#include "tests/support/gate.h"

namespace lull::testing {

class TableFilesEnv final : public leveldb::EnvWrapper {
 public:
  TableFilesEnv() : TableFilesEnv(std::unique_ptr<leveldb::Env>(NewMemEnv(Env::Default()))) {}

  Gate gate;                       ///< each open of a table passes here
  EventCount noted;                ///< each open of a table
  std::atomic<bool> lends{false};  ///< reads return memory of the file, as with mmap
  int opens() const { return opens_.load(); }
  /// Table files that are open now.
  int open_now() const { return open_now_.load(); }
  /// The largest value of open_now so far.
  int open_max() const { return open_max_.load(); }
  int reads() const { return reads_.load(); }

  leveldb::Status NewRandomAccessFile(const std::string& name,
                                      leveldb::RandomAccessFile** result) override {
    const leveldb::Status status = target()->NewRandomAccessFile(name, result);
    if (!status.ok() || !name.ends_with(".ldb")) return status;
    gate.Pass();
    std::string lent;
    if (lends.load()) leveldb::ReadFileToString(target(), name, &lent);
    *result = new Table(this, *result, std::move(lent));
    opens_.fetch_add(1);
    noted.Note();
    return status;
  }

 private:
  class Table final : public leveldb::RandomAccessFile {
   public:
    Table(TableFilesEnv* env, leveldb::RandomAccessFile* file, std::string lent)
        : env_(env), file_(file), lent_(std::move(lent)) {
      const int now = env_->open_now_.fetch_add(1) + 1;
      int max = env_->open_max_.load();
      while (now > max && !env_->open_max_.compare_exchange_weak(max, now)) {
      }
    }
    ~Table() override { env_->open_now_.fetch_sub(1); }
    leveldb::Status Read(uint64_t offset, size_t n, leveldb::Slice* result,
                         char* scratch) const override {
      env_->reads_.fetch_add(1);
      if (offset < lent_.size()) {
        *result = leveldb::Slice(lent_.data() + offset, std::min<size_t>(n, lent_.size() - offset));
        return leveldb::Status::OK();
      }
      return file_->Read(offset, n, result, scratch);
    }

   private:
    TableFilesEnv* const env_;
    const std::unique_ptr<leveldb::RandomAccessFile> file_;
    const std::string lent_;
  };

  explicit TableFilesEnv(std::unique_ptr<leveldb::Env> memory)
      : EnvWrapper(memory.get()), memory_(std::move(memory)) {}

  const std::unique_ptr<leveldb::Env> memory_;
  std::atomic<int> opens_{0};
  std::atomic<int> open_now_{0};
  std::atomic<int> open_max_{0};
  std::atomic<int> reads_{0};
};

}  // namespace lull::testing
