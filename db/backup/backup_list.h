// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// BackupList: the file that makes a backup. It names the copy of each table, and has the MANIFEST
// record of a store with exactly these tables. Plain data; docs/research/backup.md has the format.
//
// A list ends in a checksum of itself. FromText accepts nothing else, so a list that was cut short
// or changed is never used.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "db/recovery/file_content.h"
#include "db/version/version_edit.h"
#include "leveldb/slice.h"
#include "leveldb/status.h"
#include "lull/backup.h"
#include "util/env_extension.h"

namespace lull {

/// The name of a copy: checksum and size of its content. `twin` distinguishes copies that have both
/// in common but differ.
struct DataName {
  FileSum sum;
  uint64_t twin = 0;
  std::string ToText() const;
  /// Nullopt for any name that ToText does not return.
  static std::optional<DataName> FromText(const std::string& text);
  bool operator==(const DataName&) const = default;
};

/// A table of a backup.
struct BackedUpTable {
  uint64_t number = 0;             ///< of the store's file
  DataName data;                   ///< its copy
  std::optional<FileStamp> stamp;  ///< of the store's file, if there was one and the Env can tell
  uint64_t bytes() const { return data.sum.bytes; }
  bool operator==(const BackedUpTable&) const = default;
};

struct BackupList {
  BackupInfo info;
  /// The only record of the restored store's MANIFEST, which gets the number before
  /// `next_file_number`.
  VersionEdit edit;
  std::vector<BackedUpTable> tables;  ///< in the order of edit.new_tables

  std::string ToText() const;
  /// `path` is for messages. Returns Corruption if `text` is damaged, and NotSupported if a later
  /// version of Lull wrote it.
  leveldb::Status FromText(const std::string& path, const leveldb::Slice& text);
};

}  // namespace lull
