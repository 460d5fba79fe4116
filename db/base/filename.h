// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The file names of a store: NNNNNN.log, NNNNNN.ldb (formerly .sst), MANIFEST-NNNNNN, CURRENT,
// LOCK, LOG, LOG.old, NNNNNN.dbtmp, and the directory lost/ for files that could not be read.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "leveldb/env.h"
#include "leveldb/status.h"

namespace lull {

enum class FileKind { kLog, kTable, kDescriptor, kCurrent, kLock, kTemp, kInfoLog };

/// At least six digits, so that names sort by number in a listing.
std::string PaddedNumber(uint64_t number);
std::string LogFileName(const std::string& store, uint64_t number);
std::string TableFileName(const std::string& store, uint64_t number);
std::string LegacyTableFileName(const std::string& store, uint64_t number);
/// Which of the two is there; the first if neither is.
std::string ExistingTableFileName(leveldb::Env* env, const std::string& store, uint64_t number);
std::string DescriptorFileName(const std::string& store, uint64_t number);
std::string CurrentFileName(const std::string& store);
std::string LockFileName(const std::string& store);
std::string TempFileName(const std::string& store, uint64_t number);
std::string InfoLogFileName(const std::string& store);
std::string OldInfoLogFileName(const std::string& store);
std::string LostDirectoryName(const std::string& store);
/// The suffix of a note in lost/, after the name of its file: see lost_files.h.
constexpr char kReplayedToSuffix[] = ".replayed";
/// The directory that contains `store`.
std::string ParentDirectoryName(std::string store);

/// A file with a higher number is not the store's. Counting on from it could overflow, and reuse
/// the number of a live file.
constexpr uint64_t kFileNumberMax = uint64_t{1} << 62;

struct ParsedFileName {
  FileKind kind;
  uint64_t number;  ///< 0 if the kind has no number
  bool operator==(const ParsedFileName&) const = default;
};

/// Parses `name`, without its directory. Returns nullopt for a name that no store writes, such as a
/// number that overflows or has the wrong count of digits.
std::optional<ParsedFileName> ParseFileName(const std::string& name);

/// Makes `text` the content of CURRENT: writes `temp`, syncs it, renames it, syncs the directory.
/// Atomic, and durable where the Env can sync a directory. After an error CURRENT can be the old or
/// the new one.
leveldb::Status WriteCurrent(leveldb::Env* env, const std::string& store, const std::string& text,
                             const std::string& temp);

/// Makes CURRENT name MANIFEST `number`. After an error it can name either MANIFEST, so the caller
/// must delete neither.
leveldb::Status SetCurrentFile(leveldb::Env* env, const std::string& store,
                               uint64_t descriptor_number);

struct FileTotals {
  uint64_t count = 0;
  uint64_t bytes = 0;
  bool operator==(const FileTotals&) const = default;
};

/// Of the files of a directory, which can be missing, whose names `counts` accepts.
FileTotals TotalsOf(leveldb::Env* env, const std::string& dir,
                    const std::function<bool(const std::string& name)>& counts);

}  // namespace lull
