// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A write, from the client's call to its entry in the memtable.
#include <utility>

#include "db/store.h"
#include "db/write/batch_format.h"
#include "util/logging.h"

namespace lull {

leveldb::Status Store::Put(const leveldb::WriteOptions& options, const leveldb::Slice& key,
                           const leveldb::Slice& value) {
  return leveldb::DB::Put(options, key, value);
}

leveldb::Status Store::Delete(const leveldb::WriteOptions& options, const leveldb::Slice& key) {
  return leveldb::DB::Delete(options, key);
}

leveldb::Status Store::Write(const leveldb::WriteOptions& options, leveldb::WriteBatch* updates) {
  if (updates == nullptr) return leveldb::Status::InvalidArgument("Write: updates is null");
  if (IsInherited()) return InheritedError();
  const leveldb::Slice contents = batch::Contents(*updates);
  leveldb::Status status = batch::Validate(contents);
  if (!status.ok()) return status;
  const LatencyTimer timer(LatencyOf(options.sync ? &Latencies::sync_write : &Latencies::write),
                           coordinator_->clock());
  admission_.Await(contents.size());

  WritersQueue::Writer writer;
  writer.batch = updates;
  writer.sync = options.sync;
  if (!writers_.Join(&writer)) return writer.status;
  write_under_way_.store(true, std::memory_order_relaxed);
  WritersQueue::Writer* const last = writers_.GroupEnd(&writer);
  return Lead(&writer, last, [&] { return WriteGroup(&writer, last); });
}

/// Runs `body` as the leading writer, then hands the queue on.
template <class Body>
leveldb::Status Store::Lead(WritersQueue::Writer* leader, WritersQueue::Writer* last, Body body) {
  leveldb::Status status;
  try {
    status = body();
  } catch (...) {
    // The client's Env or comparator threw, or memory ran out. How much was written is unknown, so
    // no later write may be acknowledged; and the queue must not stand still.
    status = leveldb::Status::IOError(context_->name, "a write ended with an exception");
    FailWrites("a write", status);
    write_under_way_.store(false, std::memory_order_relaxed);
    writers_.Finish(leader, last, status);
    throw;
  }
  write_under_way_.store(false, std::memory_order_relaxed);
  writers_.Finish(leader, last, status);
  return status;
}

/// Seals the active memtable if it holds anything, through the writers' queue, since only the
/// leader may.
leveldb::Status Store::SealForClient() {
  if (IsInherited()) return InheritedError();
  WritersQueue::Writer writer;  // without a batch: a request to seal
  if (!writers_.Join(&writer)) return writer.status;
  return Lead(&writer, &writer, [&] {
    return inserting_->EntryCount() > 0 ? SealMemTable(nullptr) : leveldb::Status::OK();
  });
}

leveldb::Status Store::WriteGroup(WritersQueue::Writer* leader, WritersQueue::Writer* last) {
  leveldb::Status status;
  const leveldb::Slice record = GroupRecord(leader, last);
  if (!batch::HasPossibleSequence(record))
    return leveldb::Status::Corruption(context_->name, "has used up its sequence numbers");
  if (read_only_.load(std::memory_order_acquire)) status = ResumeWrites();
  if (status.ok() && inserting_->MemoryBytes() >= ask_at_bytes_.load(std::memory_order_relaxed) &&
      !MayGrow(record)) {
    status = SealMemTable(&record);
  }
  if (!status.ok()) return status;

  status = wal_.Append(record);
  if (status.ok() && leader->sync) status = wal_.Sync();
  if (!status.ok()) {
    AbandonWal(status);
    return status;
  }
  const SequenceNumber published =
      published_sequence_.load(std::memory_order_relaxed) + batch::CountOf(record);
  status = batch::InsertInto(record, inserting_);
  published_sequence_.store(published, std::memory_order_release);
  const uint64_t bytes = client_bytes_.load(std::memory_order_relaxed);
  client_bytes_.store(bytes + record.size(), std::memory_order_relaxed);
  if (bytes < LogsAheadBytes() && bytes + record.size() >= LogsAheadBytes())
    coordinator_->WakeFlush();
  return status;
}

/// The group's batches as one record, with its sequence.
leveldb::Slice Store::GroupRecord(WritersQueue::Writer* leader, WritersQueue::Writer* last) {
  const SequenceNumber sequence = published_sequence_.load(std::memory_order_relaxed) + 1;
  if (leader == last) {
    auto* const batch =
        const_cast<leveldb::WriteBatch*>(leader->batch);  // Write was given it without const
    batch::SetSequence(batch, sequence);
    return batch::Contents(*batch);
  }
  group_record_.assign(batch::kHeaderBytes, '\0');
  uint32_t count = 0;
  for (WritersQueue::Writer* writer = leader;; writer = WritersQueue::NextOf(writer)) {
    const leveldb::Slice contents = batch::Contents(*writer->batch);
    count += batch::CountOf(contents);
    group_record_.append(contents.data() + batch::kHeaderBytes,
                         contents.size() - batch::kHeaderBytes);
    if (writer == last) break;
  }
  batch::EncodeHeader(group_record_.data(), sequence, count);
  return group_record_;
}

/// Whether the active memtable, which has the size at which the store was opened or is full, takes
/// `record` too: because the policy wants larger ones, or wants a full one to absorb while others
/// wait for their flush, or because its log could not be switched. What it grows by counts in the
/// memory budget before it is there, so that several stores cannot exceed it together.
bool Store::MayGrow(const leveldb::Slice& record) {
  constexpr uint64_t kEntryBytesMax = 128;  // what an entry takes beside its key and value
  constexpr uint64_t kStepBytes = 64 << 10;
  const uint64_t held = inserting_->MemoryBytes();
  const bool absorbs =
      absorb_.load(std::memory_order_relaxed) && unflushed_.load(std::memory_order_relaxed) > 0;
  const uint64_t full_at =
      std::max(memtable_bytes_.load(std::memory_order_relaxed), switch_again_at_bytes_);
  if (held >= full_at && !absorbs) return false;
  const uint64_t opened_with = context_->options.write_buffer_size;
  const uint64_t bytes = held + record.size() + batch::CountOf(record) * kEntryBytesMax +
                         context_->memtable_blocks->block_bytes();
  if (bytes <= opened_with + grown_bytes_) return true;
  const uint64_t more = bytes - opened_with - grown_bytes_ + kStepBytes;
  if (!coordinator_->TryAddMemory(more)) return false;
  grown_bytes_ += more;
  return true;
}

/// Hands the active memtable to the flush thread, and begins a new one with a WAL of its own. Waits
/// only at a hard limit. Where there is no WAL to begin, the memtable may grow for `record`.
leveldb::Status Store::SealMemTable(const leveldb::Slice* record) {
  leveldb::Status status;
  {
    MutexLock lock(mutex_);
    status = AwaitRoomLocked();
  }
  if (!status.ok()) return status;
  const SequenceNumber last_sequence = published_sequence_.load(std::memory_order_relaxed);
  status = wal_.Switch(last_sequence + 1);
  if (status.ok()) {
    HandOverMemTable(wal_.current_number());
  } else if (record != nullptr && wal_.MayGoOn()) {
    // Flushes may free what is missing. Not every write tries again.
    switch_again_at_bytes_ = inserting_->MemoryBytes() + record->size() + (64 << 10);
    log_goes_on_.store(true, std::memory_order_relaxed);
    coordinator_->WakeFlush();
    if (MayGrow(*record)) return leveldb::Status::OK();
  }
  return status;
}

/// Seals the active memtable; the entries of the next one will stand in WALs from `next_wal_number`
/// on.
void Store::HandOverMemTable(uint64_t next_wal_number) {
  auto next = std::make_shared<MemTable>(context_->order, context_->memtable_blocks);
  inserting_ = next.get();
  switch_again_at_bytes_ = 0;
  log_goes_on_.store(false, std::memory_order_relaxed);
  uint64_t sealed_bytes = 0;
  {
    MutexLock lock(mutex_);
    SealedMemTable sealed;
    sealed.memory_bytes = sealed_bytes = active_->MemoryBytes();
    sealed.wal_number = active_wal_number_;
    sealed.last_sequence = published_sequence_.load(std::memory_order_relaxed);
    sealed.memtable = std::exchange(active_, std::move(next));
    active_wal_number_ = next_wal_number;
    immutables_.push_back(std::move(sealed));
    immutable_bytes_ += sealed_bytes;
    unflushed_.fetch_add(1, std::memory_order_relaxed);
    ++seals_;
    PublishViewLocked();
  }
  coordinator_->AddMemory(sealed_bytes - std::min(sealed_bytes, grown_bytes_));
  coordinator_->ReleaseMemory(grown_bytes_ - std::min(sealed_bytes, grown_bytes_));
  grown_bytes_ = 0;
  coordinator_->WakeFlush();
  coordinator_->WakeMonitor();
}

/// The WAL did not take a record. It may be in the file or not, whole or torn, so nothing may be
/// acknowledged behind it. But every acknowledged entry is in memory or in tables: once all are in
/// tables, the MANIFEST needs neither this WAL nor an older one, and another may begin. The
/// memtable is sealed for that even if it is empty, since the flush is what makes the MANIFEST say
/// so.
void Store::AbandonWal(const leveldb::Status& failure) {
  Log(context_->logger(),
      "Writes are refused until memory is flushed: a write-ahead log failed: %s",
      failure.ToString().c_str());
  {
    MutexLock lock(mutex_);
    wal_error_ = failure;
    activity_.WritesRefused("the write-ahead log", failure);
    read_only_.store(true, std::memory_order_release);
  }
  HandOverMemTable(wal_.current_number() + 1);
}

/// Begins a new WAL in place of the one that failed, if everything from before is in tables. OK:
/// writes go on.
leveldb::Status Store::ResumeWrites() {
  leveldb::Status status;
  {
    MutexLock lock(mutex_);
    status = AwaitTablesLocked();
  }
  if (status.ok()) status = wal_.Restart(published_sequence_.load(std::memory_order_relaxed) + 1);
  if (!status.ok()) return status;
  Log(context_->logger(), "Writes go on, in a new write-ahead log");
  MutexLock lock(mutex_);
  if (!write_error_.ok()) return write_error_;
  active_wal_number_ = wal_.current_number();
  wal_error_ = leveldb::Status::OK();
  read_only_.store(false, std::memory_order_release);
  return status;
}

leveldb::Status Store::AwaitTablesLocked() {
  constexpr uint64_t kLookAgainNanos = 10'000'000;
  StoppedWrite stopped(&activity_);
  while (write_error_.ok() && !immutables_.empty()) {
    stopped.Because(StallCause::kMemory);
    if (!flush_error_.ok()) return flush_error_;
    coordinator_->WakeFlush();
    changed_.WaitFor(mutex_, kLookAgainNanos);
  }
  return write_error_;
}

bool Store::HasRoomLocked() const {
  // On a disk that is nearly full the space of a log is needed before the next one may grow.
  const int immutables_max = room_.is_low() ? 1 : immutables_max_.load(std::memory_order_relaxed);
  if (immutables_.size() >= static_cast<size_t>(immutables_max) || IsL0FullLocked()) return false;
  // A store that has nothing sealed may always seal one memtable, however much others hold.
  const uint64_t bytes = active_->MemoryBytes();
  return immutables_.empty() ||
         coordinator_->memory_used_bytes() + bytes - std::min(bytes, grown_bytes_) <=
             coordinator_->memory_budget_bytes();
}

/// Whether a write waits until L0 is compacted. Where no compaction is due, none would end the
/// wait. On a disk that is nearly full compactions give back the space of what was overwritten.
bool Store::IsL0FullLocked() const {
  const int stop = room_.is_low() ? layout_.l0_trigger : l0_stop_.load(std::memory_order_relaxed);
  return version_->TableCount(0) >= stop && LevelScore(*version_, 0, layout_) >= 1.0;
}

/// What keeps background work from its end, if anything but damage does.
const leveldb::Status& Store::ErrorButDamageLocked() const {
  return write_error_.ok() ? background_error_ : write_error_;
}

/// What keeps L0 from being compacted, if anything does; damage, where it is in the way of all
/// jobs.
const leveldb::Status& Store::ErrorOfL0Locked() const {
  const leveldb::Status& error = ErrorButDamageLocked();
  if (!error.ok() || damage_.ok()) return error;
  const bool blocked = !Pick(*version_, Depth::kL0, UnreadableLocked(), compact_pointers_, layout_);
  return blocked ? damage_ : error;
}

leveldb::Status Store::AwaitRoomLocked() {
  constexpr uint64_t kLookAgainNanos =
      10'000'000;  // memory may be freed by another store, which does not know us
  StoppedWrite stopped(&activity_);
  while (!HasRoomLocked()) {
    const StallCause cause = IsL0FullLocked() ? StallCause::kL0 : StallCause::kMemory;
    stopped.Because(cause);
    // Rather an error now than a wait for something that fails: the client may try again. For
    // memory it waits for flushes alone.
    const leveldb::Status& error = cause == StallCause::kL0 ? ErrorOfL0Locked() : flush_error_;
    if (!write_error_.ok()) return write_error_;
    if (!error.ok()) return error;
    ++waiting_writers_;
    coordinator_->WakeFlush();
    coordinator_->WakeMonitor();
    changed_.WaitFor(mutex_, kLookAgainNanos);
    --waiting_writers_;
  }
  return write_error_;
}

void Store::FailWrites(const char* what, const leveldb::Status& status) {
  Log(context_->logger(), "Writes are refused from now on: %s failed: %s", what,
      status.ToString().c_str());
  MutexLock lock(mutex_);
  if (write_error_.ok()) activity_.WritesRefused(what, status);
  if (write_error_.ok()) write_error_ = status;
  read_only_.store(true, std::memory_order_release);
  changed_.NotifyAll();
}

}  // namespace lull
