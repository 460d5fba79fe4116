// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/compaction/table_outputs.h"

#include <utility>

#include "db/base/filename.h"

namespace lull {

TableOutputs::~TableOutputs() {
  const bool unfinished = writer_ != nullptr || file_ != nullptr;
  if (writer_ != nullptr) writer_->Abandon();
  writer_.reset();
  file_.reset();
  // A file that cannot be removed now is removed at the next open.
  if (unfinished) context_->RemoveFile(PathOf(current_, uses_temporary_names_));
  for (size_t i = 0; !kept_ && i < finished_.size(); ++i)
    context_->RemoveFile(PathOf(finished_[i], uses_temporary_names_ && i >= named_));
}

std::string TableOutputs::PathOf(const TableMeta& table, bool is_temporary) const {
  return is_temporary ? TempFileName(context_->name, table.number)
                      : TableFileName(context_->name, table.number);
}

leveldb::Status TableOutputs::GiveNames(const std::vector<int>& levels) {
  for (; named_ < finished_.size(); ++named_) {
    TableMeta& table = finished_[named_];
    const std::string temporary = PathOf(table, /*is_temporary=*/true);
    const uint64_t number = context_->NewFileNumber();
    const leveldb::Status status =
        context_->env()->RenameFile(temporary, TableFileName(context_->name, number));
    if (!status.ok()) return status;
    table.number = number;
    table.level = levels[named_];
  }
  return leveldb::Status::OK();
}

leveldb::Status TableOutputs::CreateFile(const std::string& path, leveldb::WritableFile** file) {
  leveldb::Status status = leveldb::Status::NotSupported(path);
  if (context_->extension != nullptr) {
    const auto writer = level_ == 0 ? TableWriterKind::kFlush : TableWriterKind::kCompaction;
    status = context_->extension->NewTableFile(path, writer, file);
  }
  if (status.IsNotSupportedError()) status = context_->NewFile(path, file);
  return status;
}

leveldb::Status TableOutputs::Begin() {
  current_ = TableMeta{};
  current_contents_ = TableContents{};
  current_.level = level_;
  current_.number = context_->NewFileNumber();
  const std::string path = PathOf(current_, uses_temporary_names_);
  leveldb::WritableFile* raw = nullptr;
  leveldb::Status status;
  const auto create = [&] { status = CreateFile(path, &raw); };
  // Creating a file locks its directory. A thread of idle priority could hold that lock for
  // seconds.
  if (context_->flush_thread != nullptr) {
    context_->flush_thread->RunAtNormalPriority(create);
  } else {
    create();
  }
  if (!status.ok()) return status;
  file_.reset(raw);
  writer_ = std::make_unique<TableWriter>(context_->WriteOptions(), file_.get());
  return status;
}

leveldb::Status TableOutputs::Add(const leveldb::Slice& internal_key, const leveldb::Slice& value) {
  if (writer_ == nullptr) {
    leveldb::Status status = Begin();
    if (!status.ok()) return status;
    current_.smallest.assign(internal_key.data(), internal_key.size());
  }
  current_.largest.assign(internal_key.data(), internal_key.size());
  if (builds_key_filters_) {
    const uint32_t hash = KeyFilter::HashOf(UserKeyOf(internal_key));
    if (key_hashes_.empty() || hash != key_hashes_.back()) key_hashes_.push_back(hash);
  }
  current_contents_.Count(internal_key);
  writer_->Add(internal_key, value);
  return writer_->status();
}

leveldb::Status TableOutputs::FinishTable() {
  if (writer_ == nullptr) return leveldb::Status::OK();
  if (current_contents_.deletions > 0)
    current_contents_.deletions_since = deletions_since_.value_or(context_->WallSeconds());
  const std::string contents = current_contents_.ToBlock();
  std::unique_ptr<const KeyFilter> filter;
  std::vector<MetaBlock> meta_blocks = {{TableContents::kBlockName, contents}};
  if (builds_key_filters_) {
    filter = std::make_unique<KeyFilter>(key_hashes_);
    meta_blocks.push_back({KeyFilter::kBlockName, filter->bytes()});
  }
  leveldb::Status status = writer_->Finish(meta_blocks);
  if (status.ok()) status = file_->Sync();
  if (status.ok()) status = file_->Close();
  if (!status.ok()) return status;  // the destructor removes the file
  current_.file_bytes = writer_->FileBytes();
  finished_.push_back(current_);
  contents_.push_back(current_contents_);
  if (filter != nullptr) key_filters_.push_back(std::move(filter));
  key_hashes_.clear();
  writer_.reset();
  file_.reset();
  return status;
}

uint64_t TableOutputs::BufferBytes() const {
  uint64_t bytes = key_hashes_.capacity() * sizeof(uint32_t);
  for (const auto& filter : key_filters_) bytes += filter->MemoryBytes();
  if (writer_ != nullptr) bytes += kTableFileBufferBytes + writer_->IndexBytesWith({});
  return bytes;
}

void TableOutputs::AttachTo(const Version& version) {
  for (size_t i = 0; i < finished_.size(); ++i) {
    TableFile* const file = version.Find(finished_[i]);
    if (file == nullptr) continue;
    file->contents = contents_[i];
    file->filter_pass = filter_pass_;
    if (builds_key_filters_ && context_->HasKeyFilters(finished_[i].level, version.DeepestLevel()))
      file->key_filter.store(key_filters_[i].release(), std::memory_order_relaxed);
  }
  key_filters_.clear();
}

uint64_t TableOutputs::FinishedBytes() const {
  uint64_t bytes = 0;
  for (const TableMeta& table : finished_) bytes += table.file_bytes;
  return bytes;
}

}  // namespace lull
