// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/write/write_path.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "db/compaction/picker.h"
#include "db/write/batch_format.h"
#include "util/logging.h"

namespace lull {

WritePath::WritePath(const Parts& parts)
    : context_(parts.context),
      coordinator_(parts.coordinator),
      state_(parts.state),
      reporting_(parts.reporting),
      room_(parts.room),
      admission_(coordinator_->clock(), &reporting_->activity()),
      reader_(parts.reader),
      gates_(parts.gates),
      limits_(parts.limits),
      active_(context_->options.write_buffer_size),
      logs_ahead_at_bytes_(context_->options.write_buffer_size / 8),
      wal_(context_) {}

void WritePath::Begin() {
  auto memtable = std::make_shared<MemTable>(context_->order, context_->memtable_blocks);
  active_.Begin(memtable.get());
  MutexLock lock(state_->mutex);
  state_->memtables.Begin(std::move(memtable), wal_.current_number());
  state_->PublishViewLocked();
}

leveldb::Status WritePath::Write(const leveldb::WriteOptions& options,
                                 leveldb::WriteBatch* updates) {
  const leveldb::Slice contents = batch::Contents(*updates);
  leveldb::Status status = batch::Validate(contents);
  if (!status.ok()) return status;
  const LatencyTimer timer(reporting_->LatencyOf(options.sync ? &Reporting::Latencies::sync_write
                                                              : &Reporting::Latencies::write),
                           coordinator_->clock());
  admission_.Await(contents.size());

  WritersQueue::Writer writer;
  writer.batch = updates;
  writer.sync = options.sync;
  if (!writers_.Join(&writer)) return writer.status;
  is_under_way_.store(true, std::memory_order_relaxed);
  WritersQueue::Writer* const last = writers_.GroupEnd(&writer);
  return Lead(&writer, last, [&] { return WriteGroup(&writer, last); });
}

/// Runs `body` as the leading writer, then hands the queue on.
template <class Body>
leveldb::Status WritePath::Lead(WritersQueue::Writer* leader, WritersQueue::Writer* last,
                                Body body) {
  leveldb::Status status;
  try {
    status = body();
  } catch (...) {
    // The client's Env or comparator threw, or memory ran out. How much was written is unknown, so
    // no later write may be acknowledged; and the queue must not stand still.
    status = leveldb::Status::IOError(context_->name, "a write ended with an exception");
    state_->FailWrites("a write", status);
    is_under_way_.store(false, std::memory_order_relaxed);
    writers_.Finish(leader, last, status);
    throw;
  }
  is_under_way_.store(false, std::memory_order_relaxed);
  writers_.Finish(leader, last, status);
  return status;
}

leveldb::Status WritePath::Seal() {
  WritersQueue::Writer writer;  // without a batch: a request to seal
  if (!writers_.Join(&writer)) return writer.status;
  return Lead(&writer, &writer, [&] {
    return active_->EntryCount() > 0 ? SealMemTable(nullptr) : leveldb::Status::OK();
  });
}

leveldb::Status WritePath::WriteGroup(WritersQueue::Writer* leader, WritersQueue::Writer* last) {
  leveldb::Status status;
  const leveldb::Slice record = GroupRecord(leader, last);
  if (!batch::HasPossibleSequence(record))
    return leveldb::Status::Corruption(context_->name, "has used up its sequence numbers");
  if (gates_->refuses_writes.load(std::memory_order_acquire)) status = ResumeWrites();
  if (status.ok() && active_->MemoryBytes() >= limits_->ask_at_bytes() && !MayGrow(record)) {
    status = SealMemTable(&record);
  }
  if (!status.ok()) return status;

  status = wal_.Append(record);
  if (status.ok() && leader->sync) status = wal_.Sync();
  if (!status.ok()) {
    AbandonWal(status);
    return status;
  }
  const SequenceNumber last_sequence = batch::SequenceOf(record) + batch::CountOf(record) - 1;
  status = batch::InsertInto(record, active_.get());
  reader_->PublishSequence(last_sequence);
  const uint64_t bytes = client_bytes_.load(std::memory_order_relaxed);
  client_bytes_.store(bytes + record.size(), std::memory_order_relaxed);
  if (bytes < logs_ahead_at_bytes_ && bytes + record.size() >= logs_ahead_at_bytes_)
    coordinator_->WakeFlush();
  return status;
}

/// The group's batches as one record, with its sequence.
leveldb::Slice WritePath::GroupRecord(WritersQueue::Writer* leader, WritersQueue::Writer* last) {
  const SequenceNumber sequence = reader_->published() + 1;
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
/// wait for their flush, or because its log could not be switched.
bool WritePath::MayGrow(const leveldb::Slice& record) {
  constexpr uint64_t kEntryBytesMax = 128;  // what an entry takes beside its key and value
  const bool absorbs = limits_->absorbs() && gates_->immutables.load(std::memory_order_relaxed) > 0;
  if (active_.IsFull(limits_->memtable_bytes()) && !absorbs) return false;
  const uint64_t bytes = active_->MemoryBytes() + record.size() +
                         batch::CountOf(record) * kEntryBytesMax +
                         context_->memtable_blocks->block_bytes();
  const uint64_t growth = active_.GrowthFor(bytes);
  if (growth == 0) return true;
  if (!coordinator_->TryAddMemory(growth)) return false;
  active_.Grow(growth);
  return true;
}

/// Hands the active memtable to the flush thread, and begins a new one with a WAL of its own. Waits
/// only at a hard limit. Where there is no WAL to begin, the memtable may grow for `record`.
leveldb::Status WritePath::SealMemTable(const leveldb::Slice* record) {
  leveldb::Status status;
  {
    MutexLock lock(state_->mutex);
    status = AwaitRoomLocked();
  }
  if (!status.ok()) return status;
  status = wal_.Switch(reader_->published() + 1);
  if (status.ok()) {
    HandOverMemTable(wal_.current_number());
  } else if (record != nullptr && wal_.MayGoOn()) {
    // Flushes may free what is missing. Not every write tries again.
    active_.PutOffSeal(active_->MemoryBytes() + record->size() + (64 << 10));
    log_goes_on_.store(true, std::memory_order_relaxed);
    coordinator_->WakeFlush();
    if (MayGrow(*record)) return leveldb::Status::OK();
  }
  return status;
}

/// Seals the active memtable; the entries of the next one will stand in WALs from `next_wal_number`
/// on.
void WritePath::HandOverMemTable(uint64_t next_wal_number) {
  auto next = std::make_shared<MemTable>(context_->order, context_->memtable_blocks);
  log_goes_on_.store(false, std::memory_order_relaxed);
  {
    MutexLock lock(state_->mutex);
    MemTable* const next_active = next.get();
    const uint64_t sealed_bytes =
        state_->memtables.Seal(std::move(next), next_wal_number, reader_->published());
    const uint64_t counted_bytes = active_.Begin(next_active);
    coordinator_->AddMemory(sealed_bytes - std::min(sealed_bytes, counted_bytes));
    coordinator_->ReleaseMemory(counted_bytes - std::min(sealed_bytes, counted_bytes));
    state_->PublishViewLocked();
  }
  coordinator_->WakeFlush();
  coordinator_->WakeMonitor();
}

/// The WAL did not take a record. It may be in the file or not, whole or torn, so nothing may be
/// acknowledged that follows it. But every acknowledged entry is in memory or in tables: once all
/// are in tables, the MANIFEST needs neither this WAL nor an older one, and another may begin. The
/// memtable is sealed for that even if it is empty, since the flush is what makes the MANIFEST say
/// so.
void WritePath::AbandonWal(const leveldb::Status& failure) {
  Log(context_->logger(),
      "Writes are refused until memory is flushed: a write-ahead log failed: %s",
      failure.ToString().c_str());
  {
    MutexLock lock(state_->mutex);
    state_->health.WalFailed(failure);
    reporting_->activity().WritesRefused("the write-ahead log", failure);
  }
  HandOverMemTable(wal_.current_number() + 1);
}

/// Begins a new WAL in place of the one that failed, if everything from before is in tables. OK:
/// writes go on.
leveldb::Status WritePath::ResumeWrites() {
  leveldb::Status status;
  {
    MutexLock lock(state_->mutex);
    status = AwaitTablesLocked();
  }
  if (status.ok()) status = wal_.Restart(reader_->published() + 1);
  if (!status.ok()) return status;
  Log(context_->logger(), "Writes go on, in a new write-ahead log");
  MutexLock lock(state_->mutex);
  if (!state_->health.write_error().ok()) return state_->health.write_error();
  state_->memtables.SetActiveWal(wal_.current_number());
  state_->health.WalRestarted();
  return status;
}

leveldb::Status WritePath::AwaitTablesLocked() {
  constexpr uint64_t kLookAgainNanos = 10'000'000;
  StoppedWrite stopped(&reporting_->activity());
  while (state_->health.write_error().ok() && state_->memtables.immutable_count() > 0) {
    stopped.Because(StallCause::kMemory);
    if (!state_->health.WhyNotFlushed().ok()) return state_->health.WhyNotFlushed();
    coordinator_->WakeFlush();
    state_->changed.WaitFor(state_->mutex, kLookAgainNanos);
  }
  return state_->health.write_error();
}

bool WritePath::HasRoomLocked() const {
  // On a disk that is nearly full the space of a log is needed before the next one may grow.
  const MemTableRoom room = {room_->is_low() ? 1 : limits_->immutables_max(),
                             coordinator_->memory_used_bytes(),
                             coordinator_->memory_budget_bytes()};
  return !IsL0FullLocked() && state_->memtables.HasRoom(room, active_.grown_bytes());
}

/// Whether a write waits until L0 is compacted. Where no compaction is due, none would end the
/// wait. On a disk that is nearly full compactions give back the space of what was overwritten.
bool WritePath::IsL0FullLocked() const {
  const LayoutOptions& layout = state_->board.layout();
  const int stop = room_->is_low() ? layout.l0_trigger : limits_->l0_stop();
  return state_->version->TableCount(0) >= stop && LevelScore(*state_->version, 0, layout) >= 1.0;
}

/// What keeps L0 from being compacted, if anything does; damage, where it is in the way of all
/// jobs.
const leveldb::Status& WritePath::WhyL0StaysLocked() const {
  const leveldb::Status& error = state_->health.WhyNotCompacted();
  if (!error.ok() || state_->health.damage().ok()) return error;
  return state_->board.IsL0Unreadable(*state_->version) ? state_->health.damage() : error;
}

leveldb::Status WritePath::AwaitRoomLocked() {
  // Memory may be freed by another store, which does not know us.
  constexpr uint64_t kLookAgainNanos = 10'000'000;
  StoppedWrite stopped(&reporting_->activity());
  while (!HasRoomLocked()) {
    const StallCause cause = IsL0FullLocked() ? StallCause::kL0 : StallCause::kMemory;
    stopped.Because(cause);
    // Rather an error now than a wait for something that fails: the client may try again. For
    // memory it waits for flushes alone.
    const leveldb::Status& error =
        cause == StallCause::kL0 ? WhyL0StaysLocked() : state_->health.WhyNotFlushed();
    if (!error.ok()) return error;
    ++state_->waiting_writers;
    coordinator_->WakeFlush();
    coordinator_->WakeMonitor();
    state_->changed.WaitFor(state_->mutex, kLookAgainNanos);
    --state_->waiting_writers;
  }
  return state_->health.write_error();
}

}  // namespace lull
