// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/tools/stats_sources.h"

#include <algorithm>
#include <memory>

#include "db/backup/backup_directory.h"
#include "db/base/filename.h"
#include "db/report/stats_file.h"
#include "leveldb/slice.h"
#include "util/env_extension.h"
#include "util/file_util.h"

namespace lull::tools {
namespace {

using leveldb::Status;

// A stats file has some 20 KB.
constexpr uint64_t kFileBytesMax = 4 << 20;

/// Reads at most `bytes_max` bytes from the start of a file.
Status ReadBegin(leveldb::Env* env, const std::string& path, size_t bytes_max, std::string* text) {
  text->clear();
  uint64_t bytes = 0;
  // An ordinary file: to open a named pipe would wait for a writer.
  Status status = env->GetFileSize(path, &bytes);
  if (!status.ok() || bytes == 0) return status;
  std::unique_ptr<leveldb::SequentialFile> file;
  status = OpenForReading(env, path, &file);
  if (!status.ok()) return status;
  std::string scratch(std::min<uint64_t>(bytes, bytes_max), '\0');
  leveldb::Slice read;
  status = file->Read(scratch.size(), &read, scratch.data());
  *text = read.ToString();
  return status;
}

bool LooksLikeStatsFile(leveldb::Env* env, const std::string& path) {
  std::string begin;
  const Status status = ReadBegin(env, path, sizeof(kStatsFileBegin) - 1, &begin);
  if (status.IsNotFound()) return false;  // removed meanwhile
  return !status.ok() || begin == kStatsFileBegin;
}

bool Contains(const std::vector<std::string>& names, const char* name) {
  return std::ranges::find(names, name) != names.end();
}

void Search(leveldb::Env* env, const std::string& directory, std::vector<std::string> names,
            int depth, Sources* found) {
  std::vector<uint64_t> backup_ids;
  if (Contains(names, "backups") && BackupDirectory(env, directory).ListIds(&backup_ids).ok()) {
    found->backups.insert(directory);
    return;
  }
  for (const std::string& name : names) {
    // Skips what cannot be or contain a stats file, so that a large store is searched quickly.
    if (name == "." || name == ".." || ParseFileName(name)) continue;
    const std::string path = directory.ends_with('/') ? directory + name : directory + "/" + name;
    std::vector<std::string> children;
    if (name.ends_with(".prom")) {
      if (LooksLikeStatsFile(env, path)) found->stats.try_emplace(path);
    } else if (depth > 0 && env->GetChildren(path, &children).ok()) {
      Search(env, path, std::move(children), depth - 1, found);
    }
  }
}

/// For a directory in which nothing was found.
void AddEmpty(leveldb::Env* env, const std::string& path, bool is_store, Sources* found) {
  const std::string elsewhere = StatsFile::PathFor(path, "auto");
  if (is_store && LooksLikeStatsFile(env, elsewhere)) {
    found->stats.try_emplace(elsewhere);
    return;
  }
  found->stats[path] = Status::NotFound(
      path, is_store ? "no stats file in this store: no program has it open with the option "
                       "stats_file, or the file is elsewhere"
                     : "no stats files (*.prom) in this directory");
}

void AddPath(leveldb::Env* env, const std::string& path, Sources* found) {
  std::vector<std::string> children;
  if (!env->GetChildren(path, &children).ok()) {
    found->stats.try_emplace(path, CheckPaths(env, {path}));
    return;
  }
  Sources inside;
  Search(env, path, children, kSearchDepth, &inside);
  if (inside.stats.empty() && inside.backups.empty())
    AddEmpty(env, path, Contains(children, "CURRENT"), &inside);
  found->stats.merge(inside.stats);
  found->backups.merge(inside.backups);
}

}  // namespace

Sources FindSources(leveldb::Env* env, const std::vector<std::string>& paths) {
  Sources found;
  for (const std::string& path : paths) AddPath(env, path, &found);
  return found;
}

Status CheckPaths(leveldb::Env* env, const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    bool exists = false;
    const Status status = FindFile(env, path, &exists);
    if (!status.ok()) return status;
    if (!exists) {
      return Status::NotFound(
          path, "no such file or directory; pass a stats file, a store or a directory");
    }
  }
  return Status::OK();
}

Status ReadStatsFile(leveldb::Env* env, const std::string& path, MetricsText* result) {
  FileStamp stamp;  // before the text, so that it is not that of a later text
  const Status stamped = ExtensionOf(env)->GetFileStamp(path, &stamp);
  std::string text;
  Status status = ReadBegin(env, path, kFileBytesMax + 1, &text);
  if (!status.ok()) return status;
  if (text.size() > kFileBytesMax)
    return Status::InvalidArgument(path, "is not a stats file of Lull: more than 4 MiB");
  status = MetricsText::Parse(path, text, result);
  const double written_seconds = result->Get("lull_written_timestamp_seconds");
  const double elapsed = static_cast<double>(stamp.modified_nanos) / 1e9 - written_seconds;
  // A text that was never touched has the time at which the file was written, in this second or the
  // next one.
  if (status.ok() && stamped.ok() && written_seconds > 0 && elapsed >= kStatsTouchNanos / 1e9)
    result->AddElapsed(elapsed);
  return status;
}

}  // namespace lull::tools
