// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The names of a store's files: NNNNNN.log, NNNNNN.ldb (older: .sst), MANIFEST-NNNNNN, CURRENT,
// LOCK, LOG, LOG.old, NNNNNN.dbtmp, and the folder lost/ for files that could not be read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "leveldb/env.h"
#include "leveldb/status.h"

namespace lull {

enum class FileKind { kLog, kTable, kDescriptor, kCurrent, kLock, kTemp, kInfoLog };

std::string LogFileName(const std::string& store, uint64_t number);
std::string TableFileName(const std::string& store, uint64_t number);
std::string LegacyTableFileName(const std::string& store, uint64_t number);
std::string DescriptorFileName(const std::string& store, uint64_t number);
std::string CurrentFileName(const std::string& store);
std::string LockFileName(const std::string& store);
std::string TempFileName(const std::string& store, uint64_t number);
std::string InfoLogFileName(const std::string& store);
std::string OldInfoLogFileName(const std::string& store);
std::string LostFolderName(const std::string& store);
/// The folder that a store's own name is in.
std::string ParentFolderName(std::string store);

/// What a folder or a MANIFEST names beyond this is not ours: counting on from there would run
/// over, and give a new file the number of one that is needed.
constexpr uint64_t kFileNumberMax = uint64_t{1} << 62;

struct ParsedFileName {
  FileKind kind;
  uint64_t number;  ///< 0 where the kind bears none
  bool operator==(const ParsedFileName&) const = default;
};

/// `name` without folder; nullopt for a name that no store uses: a number that overflows, or one
/// with fewer or more digits than a store would write.
std::optional<ParsedFileName> ParseFileName(const std::string& name);

/// Makes CURRENT name DESCRIPTOR `number`, atomically, and durably where the Env allows (temp file,
/// sync, rename, sync of the folder). On an error CURRENT may be the old one or the new: neither
/// descriptor may be deleted then.
leveldb::Status SetCurrentFile(leveldb::Env* env, const std::string& store,
                               uint64_t descriptor_number);

}  // namespace lull
