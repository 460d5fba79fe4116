// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/recovery/checkpoint.h"

#include <utility>
#include <vector>

#include "db/filename.h"
#include "db/recovery/copy_file.h"
#include "db/version/manifest.h"

namespace lull {
namespace {

class CheckpointWriter {
 public:
  CheckpointWriter(const StoreContext& store, const std::string& dir)
      : store_(store), context_(store.options) {
    context_.name = dir;
    context_.extension = store.extension;
  }

  leveldb::Status Write(const CheckpointSource& source) {
    leveldb::Status status = MakeFolder();
    if (!status.ok()) return status;
    status = WriteFiles(source);
    if (!status.ok()) TakeBack();
    return status;
  }

 private:
  leveldb::Status MakeFolder();
  leveldb::Status WriteFiles(const CheckpointSource& source);
  leveldb::Status AddTable(const TableFile& table);
  leveldb::Status SyncFolder(const std::string& dir) const {
    return context_.extension == nullptr ? leveldb::Status::OK()
                                         : context_.extension->SyncDirectory(dir);
  }
  void TakeBack();

  leveldb::Env* env() const { return context_.env(); }

  const StoreContext& store_;
  StoreContext context_;  // of the checkpoint
  bool made_folder_ = false;
  std::vector<std::string> made_;  // files that might exist, except CURRENT
};

leveldb::Status CheckpointWriter::MakeFolder() {
  const std::string& dir = context_.name;
  if (dir.empty()) return leveldb::Status::InvalidArgument("the checkpoint's name is empty");
  std::vector<std::string> names;
  const leveldb::Status listed = env()->GetChildren(dir, &names);
  if (!listed.ok() && !listed.IsNotFound()) return listed;
  std::erase_if(names, [](const std::string& name) { return name == "." || name == ".."; });
  if (!names.empty()) {
    return leveldb::Status::InvalidArgument(
        dir, "the directory of a checkpoint must be empty, but contains " + names[0]);
  }
  const leveldb::Status made = env()->CreateDir(dir);
  made_folder_ = made.ok();
  return listed.ok() ? listed : made;
}

leveldb::Status CheckpointWriter::WriteFiles(const CheckpointSource& source) {
  leveldb::Status status;
  for (int level = 0; level < kLevels; ++level) {
    for (const TableRef& table : source.version->level(level)) {
      status = AddTable(*table);
      if (!status.ok()) return status;
    }
  }
  // The manifest's number is above those of all tables, which are older than the Version.
  context_.MarkFileNumberUsed(store_.next_file_number.load(std::memory_order_relaxed) - 1);
  const uint64_t number = context_.NewFileNumber();
  VersionEdit edit;
  edit.log_number = 0;  // the checkpoint has no WAL
  edit.last_sequence = source.last_sequence;
  made_.push_back(DescriptorFileName(context_.name, number));
  std::unique_ptr<ManifestWriter> manifest;
  status = ManifestWriter::Create(context_, number, *source.version, source.compact_pointers, edit,
                                  &manifest);
  if (status.ok()) status = manifest->Close();
  // The name of a directory that already existed is its creator's responsibility.
  if (status.ok() && made_folder_) status = SyncFolder(ParentFolderName(context_.name));
  if (!status.ok()) return status;
  made_.push_back(TempFileName(context_.name, number));
  return SetCurrentFile(env(), context_.name, number);
}

leveldb::Status CheckpointWriter::AddTable(const TableFile& table) {
  std::string from = TableFileName(store_.name, table.number());
  if (!env()->FileExists(from)) from = LegacyTableFileName(store_.name, table.number());
  const std::string to = TableFileName(context_.name, table.number());
  made_.push_back(to);
  return LinkOrCopy(context_, from, to, table.file_bytes());
}

/// Removes CURRENT first, durably: without it, the rest is no store. If CURRENT cannot be removed,
/// keeps everything, so that the directory is a complete checkpoint.
void CheckpointWriter::TakeBack() {
  const std::string current = CurrentFileName(context_.name);
  if (env()->FileExists(current)) {
    leveldb::Status status = env()->RemoveFile(current);
    if (status.ok()) status = SyncFolder(context_.name);
    if (!status.ok()) return;
  }
  for (const std::string& path : made_) {
    if (env()->FileExists(path)) env()->RemoveFile(path);
  }
  if (made_folder_) env()->RemoveDir(context_.name);
}

}  // namespace

leveldb::Status WriteCheckpoint(const StoreContext& store, const CheckpointSource& source,
                                const std::string& dir) {
  return CheckpointWriter(store, dir).Write(source);
}

}  // namespace lull
