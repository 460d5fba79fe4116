// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/recovery/lost_files.h"

#include "db/filename.h"
#include "db/recovery/copy_file.h"
#include "leveldb/env.h"
#include "util/env_extension.h"
#include "util/file_util.h"
#include "util/logging.h"

namespace lull {
namespace {

bool HaveSameContents(leveldb::Env* env, const std::string& a, const std::string& b) {
  std::string bytes_of_a, bytes_of_b;
  return leveldb::ReadFileToString(env, a, &bytes_of_a).ok() &&
         leveldb::ReadFileToString(env, b, &bytes_of_b).ok() && bytes_of_a == bytes_of_b;
}

leveldb::Status KeepOne(const StoreContext& context, const std::string& from,
                        const std::string& first, const std::string& note) {
  leveldb::Env* const env = context.env();
  std::string to = first;
  for (int n = 2; env->FileExists(to); ++n) {
    if (HaveSameContents(env, from, to)) return leveldb::Status::OK();
    to = first + "." + std::to_string(n);
  }
  uint64_t bytes = 0;
  leveldb::Status status = env->GetFileSize(from, &bytes);
  // Write the note before the log: a file already in lost/ gets no note.
  if (status.ok() && !note.empty())
    status = WriteStringToFileSync(env, note, to + kReplayedToSuffix);
  return status.ok() ? LinkOrCopy(context, from, to, bytes) : status;
}

}  // namespace

leveldb::Status KeepUnderLost(const StoreContext& context, const std::vector<std::string>& files,
                              std::optional<SequenceNumber> replayed_to) {
  if (files.empty()) return leveldb::Status::OK();
  leveldb::Env* const env = context.env();
  const std::string folder = LostFolderName(context.name);
  env->CreateDir(folder);  // if this fails, so do the links below
  for (const std::string& file : files) {
    const std::string from = context.name + "/" + file;
    if (!env->FileExists(from)) continue;
    const std::optional<ParsedFileName> parsed = ParseFileName(file);
    const bool has_entries =
        parsed && (parsed->kind == FileKind::kLog || parsed->kind == FileKind::kTable);
    const std::string note = has_entries && replayed_to ? std::to_string(*replayed_to) + "\n" : "";
    const leveldb::Status status = KeepOne(context, from, folder + "/" + file, note);
    if (!status.ok()) return status;
    Log(context.logger(), "%s is kept in %s", file.c_str(), folder.c_str());
  }
  if (context.extension == nullptr) return leveldb::Status::OK();
  const leveldb::Status status = context.extension->SyncDirectory(folder);
  return status.ok() ? context.extension->SyncDirectory(context.name) : status;
}

}  // namespace lull
