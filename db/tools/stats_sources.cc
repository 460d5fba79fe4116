// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/tools/stats_sources.h"

#include <algorithm>
#include <memory>

#include "db/base/filename.h"
#include "db/report/stats_file.h"
#include "leveldb/slice.h"

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
  leveldb::SequentialFile* raw = nullptr;
  status = env->NewSequentialFile(path, &raw);
  if (!status.ok()) return status;
  const std::unique_ptr<leveldb::SequentialFile> file(raw);
  std::string scratch(std::min<size_t>(bytes_max, 64 << 10), '\0');
  while (text->size() < bytes_max) {
    leveldb::Slice piece;
    status = file->Read(std::min(scratch.size(), bytes_max - text->size()), &piece, scratch.data());
    if (!status.ok() || piece.empty()) return status;
    text->append(piece.data(), piece.size());
  }
  return Status::OK();
}

bool IsFolder(leveldb::Env* env, const std::string& path, std::vector<std::string>* children) {
  return env->GetChildren(path, children).ok();
}

bool LooksLikeStatsFile(leveldb::Env* env, const std::string& path) {
  std::string begin;
  const Status status = ReadBegin(env, path, sizeof(kStatsFileBegin) - 1, &begin);
  if (status.IsNotFound()) return false;  // removed meanwhile
  return !status.ok() || begin == kStatsFileBegin;
}

void Search(leveldb::Env* env, const std::string& folder, std::vector<std::string> names, int depth,
            std::vector<StatsSource>* found) {
  for (const std::string& name : names) {
    // Skips what cannot be or contain a stats file, so that a large store is searched quickly.
    if (name == "." || name == ".." || ParseFileName(name)) continue;
    const std::string path = folder.ends_with('/') ? folder + name : folder + "/" + name;
    std::vector<std::string> children;
    if (name.ends_with(".prom")) {
      if (LooksLikeStatsFile(env, path)) found->push_back({path, Status::OK()});
    } else if (depth > 0 && IsFolder(env, path, &children)) {
      Search(env, path, std::move(children), depth - 1, found);
    }
  }
}

void AddPath(leveldb::Env* env, const std::string& path, std::vector<StatsSource>* found) {
  std::vector<std::string> children;
  if (!IsFolder(env, path, &children)) {
    found->push_back({path, env->FileExists(path)
                                ? Status::OK()
                                : Status::NotFound(path, "no such file or directory")});
    return;
  }
  const size_t before = found->size();
  Search(env, path, children, kSearchDepth, found);
  if (found->size() > before) return;
  const bool is_store = std::ranges::find(children, "CURRENT") != children.end();
  found->push_back(
      {path,
       Status::NotFound(path, is_store ? "no stats file in this store: no program has it open "
                                         "with the option stats_file"
                                       : "no stats files (*.prom) in this directory")});
}

}  // namespace

std::vector<StatsSource> FindStatsFiles(leveldb::Env* env, const std::vector<std::string>& paths) {
  std::vector<StatsSource> found;
  for (const std::string& path : paths) AddPath(env, path, &found);
  std::ranges::stable_sort(found, {}, &StatsSource::path);
  const auto same_path = [](const StatsSource& a, const StatsSource& b) {
    return a.path == b.path;
  };
  found.erase(std::unique(found.begin(), found.end(), same_path), found.end());
  return found;
}

Status CheckPaths(leveldb::Env* env, const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    std::vector<std::string> children;
    if (!env->FileExists(path) && !IsFolder(env, path, &children)) {
      return Status::NotFound(path,
                              "no such file or directory; pass a stats file, a store or a folder");
    }
  }
  return Status::OK();
}

Status ReadStatsFile(leveldb::Env* env, const std::string& path, MetricsText* result) {
  std::string text;
  Status status = ReadBegin(env, path, kFileBytesMax + 1, &text);
  if (!status.ok()) return status;
  if (text.size() > kFileBytesMax)
    return Status::InvalidArgument(path, "is not a stats file of Lull: more than 4 MiB");
  return MetricsText::Parse(path, text, result);
}

}  // namespace lull::tools
