// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// What every part of an open store knows and none changes: where it is, how it was opened, how keys
// compare.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "db/compaction/layout_options.h"
#include "db/filename.h"
#include "leveldb/cache.h"
#include "leveldb/env.h"
#include "leveldb/options.h"
#include "leveldb/status.h"
#include "table/key_order.h"
#include "table/table_writer.h"
#include "util/block_pool.h"
#include "util/clock.h"
#include "util/env_extension.h"
#include "util/folder_thread.h"

namespace lull {

/// What seldom happens to a store of usual size, or takes its time; tests have it otherwise.
struct StorePace {
  /// A MANIFEST that is shorter is not replaced by a new one; see ManifestKeeper.
  uint64_t manifest_bytes_min = 4 << 20;
  /// Until a flush that failed is tried again; for compactions see compactions.cc.
  uint64_t retry_nanos = 250'000'000;
  /// A table ends before its index outgrows this. The format's limit is 4 GiB; the rest is for the
  /// versions of one user key, which stay in one table.
  uint64_t index_bytes_max = 1 << 30;
  /// Of the store, and of its coordinator if that is its own.
  Clock* clock = Clock::System();
};

struct StoreContext {
  explicit StoreContext(const leveldb::Options& options_in)
      : options(options_in),
        order(options_in.comparator, KeyOrder::Keys::kInternal),
        memtable_blocks(std::make_shared<BlockPool>(
            // So that a memtable's last step does not overshoot its size by much, small as a policy
            // may want it.
            std::clamp<size_t>(options_in.write_buffer_size / 128, 4 << 10, 64 << 10))) {}

  std::string name;          ///< the store's folder
  leveldb::Options options;  ///< with nulls replaced: env, comparator, block_cache
  KeyOrder order;
  std::shared_ptr<BlockPool> memtable_blocks;
  LayoutOptions layout;
  EnvExtension* extension = nullptr;  ///< of options.env; may be null
  StorePace pace;
  /// Null where no thread of idle priority works: repair, recovery's readers, tests of jobs.
  std::shared_ptr<FolderThread> folder_thread;
  std::unique_ptr<leveldb::Cache> own_cache;  ///< when the caller gave none
  std::unique_ptr<leveldb::Logger> own_logger;

  leveldb::Env* env() const { return options.env; }
  leveldb::Logger* logger() const { return options.info_log; }

  TableWriteOptions WriteOptions() const {
    TableWriteOptions write;
    write.order = order;
    write.filter_policy = options.filter_policy;
    write.block_bytes = options.block_size;
    write.block_restart_interval = options.block_restart_interval;
    write.compression = options.compression;
    return write;
  }

  /// File numbers are handed out once and never again, whatever becomes of the file. Any thread.
  uint64_t NewFileNumber() { return next_file_number.fetch_add(1, std::memory_order_relaxed); }
  /// Numbers up to `number` are taken. REQUIRES: the store is not yet open.
  void MarkFileNumberUsed(uint64_t number) {
    if (next_file_number.load(std::memory_order_relaxed) <= number) {
      next_file_number.store(number + 1, std::memory_order_relaxed);
    }
  }
  /// An error when something in the folder bears a number so high that a store which counts on from
  /// there would give its files names that it cannot read.
  leveldb::Status CheckFileNumbers() const {
    const uint64_t next = next_file_number.load(std::memory_order_relaxed);
    if (next <= kFileNumberMax / 2) return leveldb::Status::OK();
    return leveldb::Status::Corruption(name, "a file or the MANIFEST bears number " +
                                                 std::to_string(next - 1) +
                                                 ": too few are left behind it");
  }
  std::atomic<uint64_t> next_file_number{2};
};

}  // namespace lull
