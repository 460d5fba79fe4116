// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// StoreContext: what every part of an open store can use: its directory, options, key order and
// file numbers. Constant after the open, except for the file number counter and what readers note
// about compression. Any thread.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "db/base/filename.h"
#include "db/base/layout_options.h"
#include "leveldb/env.h"
#include "leveldb/options.h"
#include "leveldb/status.h"
#include "scheduler/threads/flush_thread.h"
#include "table/key_order.h"
#include "table/table_writer.h"
#include "util/block_pool.h"
#include "util/clock.h"
#include "util/env_extension.h"
#include "util/memory_charge.h"
#include "util/resizable_cache.h"

namespace lull {

/// Capacity of the block cache that a store creates itself, as in LevelDB.
inline constexpr size_t kOwnCacheBytes = 8 << 20;

/// Limits and delays that a test changes to reach rare or slow cases.
struct StorePace {
  /// VersionSet does not replace a MANIFEST smaller than this.
  uint64_t manifest_bytes_min = 4 << 20;
  /// The delay before a failed flush is retried. Compactions: see compactions.cc.
  uint64_t retry_nanos = 250'000'000;
  /// A table ends before its index exceeds this. The format's limit is 4 GiB. The margin is for a
  /// user key with many versions, which all stay in one table.
  uint64_t index_bytes_max = 1 << 30;
  /// Minimum input of a part (parts.h). A part opens every L0 input and reads its index. At 8 MiB
  /// that is a few percent of the part's work.
  uint64_t part_bytes_min = 8 << 20;
  /// Tables past max_open_files stay open until the indexes and filters of all open tables take
  /// this much. 64 MiB suffices for a store of about 6 GB.
  uint64_t reader_bytes_max = 64 << 20;
  /// A reader or snapshot that keeps this much disk space for long gets a line in LOG.
  uint64_t pinned_bytes_min = 64 << 20;
  /// The clock of the store, and of its coordinator if the store has its own.
  Clock* clock = Clock::System();
};

/// Refuses invalid options, and clamps sizes to LevelDB's bounds.
leveldb::Status CheckStoreOptions(leveldb::Options* options, const std::string& name);

/// The compression of all new tables, if this process is the program lull: it keeps what it finds
/// in a store, or has a flag. Set before a store is opened.
inline constinit std::optional<Codec> program_codec;

struct StoreContext {
  explicit StoreContext(const leveldb::Options& options_in)
      : options(options_in),
        order(options_in.comparator, KeyOrder::Keys::kInternal),
        memtable_blocks(std::make_shared<BlockPool>(
            // Small blocks, so that the last allocation of a memtable exceeds its size limit by
            // little, even if the policy sets a small limit.
            std::clamp<size_t>(options_in.write_buffer_size / 128, 4 << 10, 64 << 10))) {}

  /// From now on the files are found in the directory that `name` leads to now, wherever it leads
  /// later: with an Env of the open directory, or else by its absolute name. While opening.
  leveldb::Status StayInDirectory();
  /// IOError if others would not find the store's files any more, since its LOCK (`lock`; a reader
  /// has none) or its directory was removed or replaced.
  leveldb::Status CheckPlace(leveldb::FileLock* lock) const;
  /// Opens a table, by either of the names that it can have.
  leveldb::Status OpenTableFile(uint64_t number, std::string* path,
                                std::unique_ptr<leveldb::RandomAccessFile>* file) const;
  /// Nullopt if the file does not exist, or if the Env has no stamps.
  std::optional<FileStamp> StampOf(const std::string& path) const;
  /// Removes or creates a file of the open store. With an Env that has names only, not once another
  /// directory has the store's name: it can be another store's file.
  leveldb::Status RemoveFile(const std::string& path) const;
  leveldb::Status NewFile(const std::string& path, leveldb::WritableFile** result) const;

  std::string name;          ///< the store's directory
  leveldb::Options options;  ///< with nulls replaced: env, comparator, block_cache
  KeyOrder order;
  std::shared_ptr<BlockPool> memtable_blocks;
  MemoryCounter job_bytes{0};  ///< buffers of flushes and compactions
  LayoutOptions layout;
  /// Of the open directory. Null if neither Env can open directories. Where only Env::Default()
  /// can, `name` is absolute, and this only tells whether it leads to the same directory.
  std::unique_ptr<leveldb::Env> directory_env;
  EnvExtension* extension = nullptr;  ///< of options.env; null if it has none
  StorePace pace;
  /// Null if there is no such thread: in repair, in recovery's readers and in tests of jobs.
  FlushThread* flush_thread = nullptr;
  std::unique_ptr<ResizableCache> own_cache;  ///< null if the caller supplied one
  std::unique_ptr<leveldb::Logger> own_logger;
  /// Of blocks in tables of the store.
  mutable SeenCodec seen_codec;

  leveldb::Env* env() const { return options.env; }
  leveldb::Logger* logger() const { return options.info_log; }
  /// Seconds since 1970, not 0. Can jump.
  uint64_t WallSeconds() const { return std::max<uint64_t>(env()->NowMicros() / 1'000'000, 1); }

  /// Whether tables of `level` have a key filter in a store whose deepest level is `deepest_level`.
  /// A read of a key in the deepest level must search its table anyway.
  bool HasKeyFilters(int level, int deepest_level) const {
    if (!order.bytewise()) return false;
    return level == 0 || (options.filter_policy == nullptr && level < deepest_level);
  }

  /// The compression of new tables is that of Options::compression. But in a store with blocks of
  /// zlib, blocks are written back in the form of zlib in which one was found: the LevelDB of
  /// Minecraft Bedrock reads neither snappy nor zstd. kNoCompression stays, since it reads that.
  Codec TableCodec() const {
    if (HasFixedCodec()) return program_codec.value_or(Codec::kNone);
    return IsZlib(seen_codec.get()) ? seen_codec.get() : CodecOf(options.compression);
  }
  /// Whether TableCodec ignores what the store's tables have.
  bool HasFixedCodec() const {
    return program_codec.has_value() || options.compression == leveldb::kNoCompression;
  }
  TableWriteOptions WriteOptions() const {
    TableWriteOptions write;
    write.order = order;
    write.filter_policy = options.filter_policy;
    write.block_bytes = options.block_size;
    write.block_restart_interval = options.block_restart_interval;
    write.compression = TableCodec();
    return write;
  }

  /// Returns a number that no file of this store has had. Any thread.
  uint64_t NewFileNumber() { return next_file_number.fetch_add(1, std::memory_order_relaxed); }
  /// Numbers up to `number` are in use. REQUIRES: the store is not yet open.
  void MarkFileNumberUsed(uint64_t number) {
    if (next_file_number.load(std::memory_order_relaxed) <= number) {
      next_file_number.store(number + 1, std::memory_order_relaxed);
    }
  }
  /// Fails if a file number in the directory is so high that new files would soon get names the
  /// store cannot read.
  leveldb::Status CheckFileNumbers() const {
    const uint64_t next = next_file_number.load(std::memory_order_relaxed);
    if (next <= kFileNumberMax / 2) return leveldb::Status::OK();
    return leveldb::Status::Corruption(name, "a file or the MANIFEST has number " +
                                                 std::to_string(next - 1) +
                                                 ": too few higher numbers are left");
  }
  std::atomic<uint64_t> next_file_number{2};
};

}  // namespace lull
