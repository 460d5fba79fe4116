// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/recovery/store_follower.h"

#include <algorithm>
#include <string>
#include <utility>

#include "db/base/filename.h"
#include "db/memory/batch_format.h"
#include "db/memory/memtable.h"
#include "db/recovery/live_store.h"

namespace lull {

using leveldb::Status;

StoreFollower::StoreFollower(StoreContext* context, VersionBuilder::MakeTable make_table)
    : context_(context), make_table_(std::move(make_table)) {}

Status StoreFollower::Update(const std::function<void(const Version&)>& open_tables) {
  if (!lock_) lock_ = context_->StampOf(LockFileName(context_->name));
  if (sequence_min_ && !context_->env()->FileExists(CurrentFileName(context_->name))) {
    return Status::IOError(context_->name,
                           "was destroyed since it was opened; open the store again if there is "
                           "a new one");
  }
  Status status = context_->CheckPlace(nullptr);
  if (!status.ok()) return status;
  status = LoadUnchanged(*context_, [&] {
    // A writer can begin a WAL after the one before was read: then the next try finds its entries.
    is_whole_ = is_whole_ && (ReadNew() || (is_whole_ && ReadNew()));
    const Status read = is_whole_ ? Status::OK() : ReadAll();
    if (read.ok()) open_tables(*state_.manifest.version);
    return read;
  });
  if (IsOtherStore(status.ok())) {
    status = Status::IOError(context_->name,
                             "is not the store that was opened: it was destroyed and created "
                             "again, or replaced; open it again");
  }
  is_whole_ = is_whole_ && status.ok();
  if (status.ok()) sequence_min_ = state_.last_sequence;
  return status;
}

/// Reads everything.
Status StoreFollower::ReadAll() {
  std::erase_if(tables_, [](const auto& table) { return table.second.file.expired(); });
  const auto make_table = [this](const TableMeta& table) { return MakeTable(table); };
  const Status status = RecoverInMemory(context_, make_table, &state_);
  if (!status.ok()) return status;
  manifest_ =
      context_->StampOf(DescriptorFileName(context_->name, state_.manifest.manifest_number));
  next_sequence_ = state_.last_sequence + 1;
  may_skip_ = false;
  is_whole_ =
      lock_ && manifest_ && state_.lost.empty() && state_.memtables.size() == state_.wals.size();
  return status;
}

/// Adds what is new since the last call. Returns false if it cannot tell. A part is then in state_,
/// and another call can add the rest while is_whole_.
bool StoreFollower::ReadNew() {
  if (!IsSameManifest()) return false;
  const auto make_table = [this](const TableMeta& table) { return MakeTable(table); };
  if (!ReadAppended(context_, make_table, &state_.manifest).ok()) return is_whole_ = false;
  state_.obsolete.clear();
  state_.lost.clear();
  DirectoryFiles files;
  if (!ReadDirectory(context_, &state_, &files).ok() || !state_.lost.empty()) return false;
  if (!DropFlushed() || !ReadWals(files.wals)) return false;
  const SequenceNumber in_manifest = state_.manifest.last_sequence;
  if (in_manifest >= next_sequence_) {
    // After a flush of all WALs that were read. Otherwise entries are missing.
    if (!may_skip_) return false;
    next_sequence_ = in_manifest + 1;
  }
  state_.last_sequence = next_sequence_ - 1;
  return true;
}

bool StoreFollower::IsSameManifest() const {
  uint64_t number = 0;
  if (!ReadCurrent(*context_, &number).ok() || number != state_.manifest.manifest_number)
    return false;
  const std::optional<FileStamp> now =
      context_->StampOf(DescriptorFileName(context_->name, number));
  return now && now->inode == manifest_->inode;
}

/// Drops the memtables that are in tables now. They must be the oldest.
bool StoreFollower::DropFlushed() {
  const auto is_flushed = [this](const RecoveredWal& wal) {
    return !state_.manifest.NeedsLog(wal.number);
  };
  auto& wals = state_.wals;
  if (!std::is_partitioned(wals.begin(), wals.end(), is_flushed)) return false;
  const auto flushed = std::count_if(wals.begin(), wals.end(), is_flushed);
  wals.erase(wals.begin(), wals.begin() + flushed);
  state_.memtables.erase(state_.memtables.begin(), state_.memtables.begin() + flushed);
  return true;
}

/// Reads the rest of the last WAL, and those after it. `numbers`: the WALs that are needed.
bool StoreFollower::ReadWals(const std::vector<uint64_t>& numbers) {
  const uint64_t last = state_.last_wal == nullptr ? 0 : state_.last_wal_number;
  const bool needs_last = last > 0 && state_.manifest.NeedsLog(last);
  if (needs_last && std::find(numbers.begin(), numbers.end(), last) == numbers.end()) return false;
  may_skip_ = !needs_last;
  for (const uint64_t number : numbers) {
    if (number < last) continue;  // it ended before the last one began
    std::unique_ptr<WalReader> opened;
    if (number == last) {
      state_.last_wal->Continue();
    } else {
      const std::string path = LogFileName(context_->name, number);
      if (!OpenWal(context_->env(), path, /*may_grow=*/true, &opened).ok()) return false;
    }
    WalReader& reader = opened != nullptr ? *opened : *state_.last_wal;
    reader.StopAtZeros();
    leveldb::Slice record;
    bool has_records = false;
    for (; reader.ReadRecord(&record); has_records = true) {
      if (!TakeRecord(number, record)) return false;
    }
    if (reader.end() == log::LogEnd::kError || log::IsDamage(reader.end())) return false;
    if (opened == nullptr || !has_records) continue;
    state_.last_wal = std::move(opened);
    state_.last_wal_number = number;
  }
  return true;
}

/// Inserts a record that continues the state.
bool StoreFollower::TakeRecord(uint64_t wal_number, const leveldb::Slice& record) {
  if (!batch::Validate(record).ok() || !batch::HasPossibleSequence(record)) return false;
  const SequenceNumber sequence = batch::SequenceOf(record);
  const SequenceNumber sequence_max =
      may_skip_ ? std::max(next_sequence_, state_.manifest.last_sequence + 1) : next_sequence_;
  if (sequence < next_sequence_ || sequence > sequence_max) return false;
  const uint32_t count = batch::CountOf(record);
  next_sequence_ = sequence + count;
  may_skip_ = false;
  if (count == 0) return true;
  if (state_.wals.empty() || state_.wals.back().number != wal_number) {
    SealedMemTable& begun = state_.memtables.emplace_back();
    begun.memtable = std::make_shared<MemTable>(context_->order, context_->memtable_blocks);
    begun.wal_number = wal_number;
    state_.wals.push_back({.number = wal_number});
  }
  return batch::InsertInto(record, state_.memtables.back().memtable.get()).ok();
}

/// Whether this is not the store of the first Update. `is_loaded`: state_ has all of it.
bool StoreFollower::IsOtherStore(bool is_loaded) const {
  const std::optional<FileStamp> lock = context_->StampOf(LockFileName(context_->name));
  if (lock && lock_) return !(*lock == *lock_);
  return is_loaded && sequence_min_ && state_.last_sequence < *sequence_min_;
}

TableRef StoreFollower::MakeTable(const TableMeta& table) {
  KnownTable& known = tables_[table.number];
  const std::optional<FileStamp> stamp =
      context_->StampOf(TableFileName(context_->name, table.number));
  TableRef file = stamp && stamp == known.stamp ? known.file.lock() : nullptr;
  const bool is_same = file != nullptr && file->file_bytes() == table.file_bytes &&
                       file->smallest() == table.smallest && file->largest() == table.largest;
  if (!is_same) file = make_table_(table);
  known = {file, stamp};
  return file;
}

}  // namespace lull
