// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/recovery/lost_files.h"

#include <algorithm>
#include <memory>
#include <tuple>

#include "db/base/filename.h"
#include "db/recovery/file_content.h"
#include "db/wal/log_format.h"
#include "db/wal/wal_reader.h"
#include "leveldb/env.h"
#include "util/env_extension.h"
#include "util/file_util.h"
#include "util/logging.h"

namespace lull {
namespace {

/// The size of the file up to the end of the block with its last byte that is not zero.
uint64_t BytesWithoutZeros(leveldb::Env* env, const std::string& path) {
  std::unique_ptr<leveldb::SequentialFile> file;
  if (!OpenForReading(env, path, &file).ok()) return UINT64_MAX;
  const auto scratch = std::make_unique_for_overwrite<char[]>(log::kBlockBytes);
  uint64_t at = 0, end = 0;
  leveldb::Slice piece;
  while (true) {
    if (!file->Read(log::kBlockBytes, &piece, scratch.get()).ok()) return UINT64_MAX;
    if (piece.empty()) return end;
    const auto is_zero = [](char c) { return c == 0; };
    at += piece.size();
    if (!std::all_of(piece.data(), piece.data() + piece.size(), is_zero))
      end = (at + log::kBlockBytes - 1) / log::kBlockBytes * log::kBlockBytes;
  }
}

/// How many bytes of a log to keep: up to its last record, or with the damage after that. 0 if it
/// has no entry, and no damage that can hide one.
uint64_t BytesToKeep(leveldb::Env* env, const std::string& path) {
  std::unique_ptr<WalReader> reader;
  if (!OpenWal(env, path, /*may_grow=*/false, &reader).ok()) return UINT64_MAX;
  bool has_entries = false;
  for (leveldb::Slice record; reader->ReadRecord(&record);)
    has_entries = has_entries || !IsWalPreamble(record);
  if (!reader->status().ok()) return BytesWithoutZeros(env, path);
  return has_entries ? reader->ValidBytes() : 0;
}

/// The n-th name of a file in lost/.
std::string NameInLost(const StoreContext& context, const std::string& file, int n) {
  const std::string first = LostDirectoryName(context.name) + "/" + file;
  return n == 1 ? first : first + "." + std::to_string(n);
}

/// Creates lost/ unless it exists.
leveldb::Status CreateLost(const StoreContext& context) {
  leveldb::Env* const env = context.env();
  const std::string directory = LostDirectoryName(context.name);
  std::vector<std::string> names;
  const leveldb::Status created = env->CreateDir(directory);
  const leveldb::Status listed = env->GetChildren(directory, &names);
  if (created.ok() || listed.ok()) return leveldb::Status::OK();
  const leveldb::Status& cause = env->FileExists(directory) ? listed : created;
  return leveldb::Status::IOError(
      directory,
      "the store needs a directory of this name for unreadable files: " + cause.ToString());
}

/// Makes the names in lost/ and in the store's directory durable.
leveldb::Status SyncNames(const StoreContext& context) {
  if (context.extension == nullptr) return leveldb::Status::OK();
  const leveldb::Status status = context.extension->SyncDirectory(LostDirectoryName(context.name));
  return status.ok() ? context.extension->SyncDirectory(context.name) : status;
}

/// Gives a file a name in lost/. With a note, a log is cut to what it holds, or not kept at all.
leveldb::Status KeepOne(const StoreContext& context, const std::string& file,
                        const std::string& note) {
  leveldb::Env* const env = context.env();
  const std::string from = context.name + "/" + file;
  bool exists = false;
  leveldb::Status status = FindFile(env, from, &exists);
  if (!exists || IsNoFile(env, from)) return status;
  uint64_t bytes = 0;
  status = env->GetFileSize(from, &bytes);
  if (!status.ok()) return status;
  const std::optional<ParsedFileName> parsed = ParseFileName(file);
  if (!note.empty() && parsed && parsed->kind == FileKind::kLog) {
    const uint64_t kept = BytesToKeep(env, from);
    if (kept == 0) return status;
    // The rest is zeros, or records of an older log. On an error the file keeps its length.
    if (kept < bytes && context.extension != nullptr &&
        context.extension->TruncateFile(from, kept).ok()) {
      bytes = kept;
    }
  }
  std::string to = NameInLost(context, file, 1);
  for (int n = 2; env->FileExists(to); ++n) {
    bool is_same = false;
    if (SameContent(env, from, to, &is_same).ok() && is_same) return leveldb::Status::OK();
    to = NameInLost(context, file, n);
  }
  // Write the note before the file: a file already in lost/ gets no note.
  if (!note.empty()) status = WriteStringToFileSync(env, note, to + kReplayedToSuffix);
  if (status.ok()) status = LinkOrCopy(context, from, to, bytes);
  if (status.ok()) Log(context.logger(), "%s is kept as %s", file.c_str(), to.c_str());
  return status;
}

/// A file that an open kept.
struct KeptFile {
  uint64_t number;
  std::string name;
  uint64_t bytes;
};

/// Removes the oldest files that opens kept, except those of `newest`, if they are too large
/// together. Each file is removed before its note, since without a note it would stay.
void BoundLost(const StoreContext& context, const std::vector<std::string>& newest) {
  leveldb::Env* const env = context.env();
  const std::string directory = LostDirectoryName(context.name) + "/";
  std::vector<std::string> names;
  env->GetChildren(directory, &names);
  std::vector<KeptFile> kept;
  uint64_t total = 0;
  for (const std::string& note : names) {
    if (!note.ends_with(kReplayedToSuffix)) continue;
    const std::string name = note.substr(0, note.size() - sizeof(kReplayedToSuffix) + 1);
    const size_t end = name.find_first_of("0123456789");
    uint64_t bytes = 0;
    env->GetFileSize(directory + name, &bytes);
    leveldb::Slice digits(name);
    digits.remove_prefix(std::min(end, name.size()));
    KeptFile file{0, name, bytes};
    ConsumeDecimal(&digits, &file.number);
    kept.push_back(std::move(file));
    total += bytes;
  }
  std::ranges::sort(kept, {},
                    [](const KeptFile& file) { return std::tie(file.number, file.name); });
  for (const KeptFile& file : kept) {
    if (total <= kLostBytesMax) return;
    const auto is_newest = [&](const std::string& name) { return file.name.starts_with(name); };
    if (std::any_of(newest.begin(), newest.end(), is_newest)) continue;
    env->RemoveFile(directory + file.name);
    env->RemoveFile(directory + file.name + kReplayedToSuffix);
    total -= file.bytes;
    Log(context.logger(), "%s is removed from lost/, which is too large", file.name.c_str());
  }
}

}  // namespace

leveldb::Status KeepUnderLost(const StoreContext& context, const std::vector<std::string>& files,
                              std::optional<SequenceNumber> replayed_to) {
  if (files.empty()) return leveldb::Status::OK();
  const std::string note = replayed_to ? std::to_string(*replayed_to) + "\n" : "";
  leveldb::Status status = CreateLost(context);
  for (const std::string& file : files) {
    if (status.ok()) status = KeepOne(context, file, note);
  }
  if (status.ok()) status = SyncNames(context);
  if (status.ok() && replayed_to) BoundLost(context, files);
  return status;
}

leveldb::Status NoteRangeRemoval(const StoreContext& context) {
  leveldb::Env* const env = context.env();
  const std::string directory = LostDirectoryName(context.name) + "/";
  std::vector<std::string> names;
  leveldb::Status status = env->GetChildren(LostDirectoryName(context.name), &names);
  if (status.IsNotFound()) return leveldb::Status::OK();
  bool changed = false;
  for (const std::string& name : names) {
    if (!name.ends_with(kReplayedToSuffix)) continue;
    const std::string path = directory + name;
    std::string note;
    if (status.ok()) status = leveldb::ReadFileToString(env, path, &note);
    if (!status.ok() || note.find('\n') + 1 < note.size()) continue;
    status = WriteStringToFileSync(env, note + "removed\n", path + ".dbtmp");
    if (status.ok()) status = env->RenameFile(path + ".dbtmp", path);
    changed = true;
  }
  return status.ok() && changed ? SyncNames(context) : status;
}

leveldb::Status MoveToLost(const StoreContext& context, const std::string& name) {
  leveldb::Env* const env = context.env();
  leveldb::Status status = CreateLost(context);
  int n = 1;
  while (env->FileExists(NameInLost(context, name, n))) ++n;
  if (status.ok())
    status = env->RenameFile(context.name + "/" + name, NameInLost(context, name, n));
  return status.ok() ? SyncNames(context) : status;
}

FileTotals LostTotals(leveldb::Env* env, const std::string& store) {
  return TotalsOf(env, LostDirectoryName(store), [](const std::string& name) {
    return name != "." && name != ".." && !name.ends_with(kReplayedToSuffix);
  });
}

}  // namespace lull
