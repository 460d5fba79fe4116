// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Whole files: checksums, comparison, copies, links. Any thread, which each function blocks. Each
// reads from the start to the end, and treats a short read as progress, not as the end.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "db/base/context.h"
#include "leveldb/env.h"
#include "leveldb/status.h"

namespace lull {

struct FileSum {
  uint64_t bytes = 0;
  uint32_t crc = 0;  ///< CRC-32C of the whole content
  bool operator==(const FileSum&) const = default;
};

leveldb::Status SumFile(leveldb::Env* env, const std::string& path, FileSum* sum);

/// Compares the bytes of two files.
leveldb::Status SameContent(leveldb::Env* env, const std::string& a, const std::string& b,
                            bool* same);

/// Creates a file for a table, which is written sequentially.
leveldb::Status NewDataFile(leveldb::Env* env, const std::string& path,
                            std::unique_ptr<leveldb::WritableFile>* file);

/// Copies the rest of `from` to the new file `to`, and sums what it copies. On OK the bytes are
/// durable, but the name is not. On an error removes `to`.
leveldb::Status CopyContent(leveldb::Env* env, leveldb::SequentialFile* from, const std::string& to,
                            FileSum* sum);

/// Gives a file that is no longer written to a second name: links `to` to `from`, or copies it if
/// the Env has no links. Durable, except for the new name. A copy fails with Corruption if `from`
/// does not have `bytes` bytes.
leveldb::Status LinkOrCopy(const StoreContext& context, const std::string& from,
                           const std::string& to, uint64_t bytes);

}  // namespace lull
