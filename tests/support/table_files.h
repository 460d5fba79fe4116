// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Table files that programs build with leveldb::TableBuilder.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "leveldb/env.h"
#include "leveldb/options.h"
#include "leveldb/status.h"
#include "leveldb/table_builder.h"

namespace lull::testing {

using TableEntries = std::vector<std::pair<std::string, std::string>>;

// Writes `entries`, which are in order, to the file `path`.
inline leveldb::Status BuildTable(const leveldb::Options& options, const std::string& path,
                                  const TableEntries& entries) {
  leveldb::WritableFile* raw = nullptr;
  leveldb::Status status = options.env->NewWritableFile(path, &raw);
  if (!status.ok()) return status;
  const std::unique_ptr<leveldb::WritableFile> file(raw);
  leveldb::TableBuilder builder(options, file.get());
  for (const auto& [key, value] : entries) builder.Add(key, value);
  status = builder.Finish();
  return status.ok() ? file->Close() : status;
}

}  // namespace lull::testing
