// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// DataFiles: the copies of tables in a backup directory, by content. Used by one backup, which
// holds the directory's lock.
//
// Invariant: a copy is reused only for a file with the same bytes. Equal checksums are not enough.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "db/backup/backup_directory.h"
#include "db/backup/backup_list.h"
#include "leveldb/status.h"

namespace lull {

class DataFiles {
 public:
  explicit DataFiles(const BackupDirectory* directory) : directory_(*directory) {}

  leveldb::Status Load();
  /// Whether a copy has this size. If none has, no copy is of a file with this size.
  bool HasSize(uint64_t bytes) const { return by_size_.contains(bytes); }
  /// Whether the copy exists and has the size that its name says.
  bool IsThere(const DataName& name) const;
  /// Finds a copy of the file at `path`, whose sum is `sum`. `*found`: nullopt if no copy has the
  /// same bytes.
  leveldb::Status Find(const std::string& path, const FileSum& sum, std::optional<DataName>* found);
  /// Gives the new copy at the temporary path its name. If there is already a copy of the same
  /// content, removes the new one; `*is_new` tells.
  leveldb::Status Publish(const FileSum& sum, DataName* name, bool* is_new);

 private:
  const BackupDirectory& directory_;
  std::multimap<uint64_t, DataName> by_size_;
};

}  // namespace lull
