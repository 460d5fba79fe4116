// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/base/store_mark.h"

#include <optional>
#include <vector>

#include "db/base/filename.h"
#include "util/file_util.h"

namespace lull {
namespace {

using leveldb::Status;

constexpr char kDestroyedText[] = "DESTROYED\n";
constexpr char kUnfinishedText[] = "UNFINISHED\n";

Status RemoveNotes(leveldb::Env* env, const std::string& lost) {
  std::vector<std::string> names;
  env->GetChildren(lost, &names);  // fails if there is no lost/
  Status result;
  for (const std::string& child : names) {
    if (!child.ends_with(kReplayedToSuffix)) continue;
    const Status removed = env->RemoveFile(lost + "/" + child);
    if (result.ok()) result = removed;
  }
  return result;
}

}  // namespace

StoreMark MarkIn(const std::string& current) {
  if (current == kDestroyedText) return StoreMark::kDestroyed;
  return current == kUnfinishedText ? StoreMark::kUnfinished : StoreMark::kNone;
}

StoreMark ReadMark(leveldb::Env* env, const std::string& dir) {
  const std::string current = CurrentFileName(dir);
  std::string text;
  if (IsNoFile(env, current)) return StoreMark::kNone;
  const Status status = leveldb::ReadFileToString(env, current, &text);
  return status.ok() ? MarkIn(text) : StoreMark::kNone;
}

Status RefuseMarked(const std::string& dir, StoreMark mark) {
  switch (mark) {
    case StoreMark::kNone:
      return Status::OK();
    case StoreMark::kDestroyed:
      return Status::InvalidArgument(dir, "was destroyed; call DestroyDB to remove the rest");
    case StoreMark::kUnfinished:
      break;
  }
  return Status::InvalidArgument(
      dir, "is an unfinished checkpoint or restore; repeat that, or call DestroyDB");
}

Status WriteMark(leveldb::Env* env, const std::string& dir, StoreMark mark) {
  return WriteCurrent(env, dir, mark == StoreMark::kDestroyed ? kDestroyedText : kUnfinishedText,
                      TempFileName(dir, 0));
}

Status RemoveStoreFiles(leveldb::Env* env, const std::string& dir) {
  std::vector<std::string> names;
  Status result = env->GetChildren(dir, &names);
  if (!result.ok()) return result;
  result = RemoveNotes(env, LostDirectoryName(dir));
  for (const std::string& child : names) {
    const std::optional<ParsedFileName> parsed = ParseFileName(child);
    if (!parsed || parsed->kind == FileKind::kLock || parsed->kind == FileKind::kInfoLog ||
        parsed->kind == FileKind::kCurrent) {
      continue;
    }
    const std::string path = dir + "/" + child;
    const Status removed = env->RemoveFile(path);
    if (result.ok() && !IsDirectory(env, path)) result = removed;
  }
  if (result.ok()) result = SyncNamesIn(env, dir);
  const std::string current = CurrentFileName(dir);
  return result.ok() && env->FileExists(current) ? env->RemoveFile(current) : result;
}

}  // namespace lull
