// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/engine/write_path.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "db/compaction/picker.h"
#include "db/memory/batch_format.h"
#include "util/exceptions.h"
#include "util/logging.h"
#include "util/profiled_part.h"

namespace lull {

WritePath::WritePath(const EngineParts& parts)
    : context_(parts.context),
      coordinator_(parts.coordinator),
      state_(parts.state),
      reporting_(parts.reporting),
      disk_(parts.disk),
      admission_(coordinator_->clock(), &reporting_->activity()),
      writers_(coordinator_->clock()),
      reader_(parts.reader),
      flags_(parts.flags),
      applied_(parts.applied),
      active_(context_->options.write_buffer_size),
      logs_ahead_at_bytes_(context_->options.write_buffer_size / 8),
      tell_at_bytes_(logs_ahead_at_bytes_),
      wal_(context_) {}

void WritePath::Begin(std::vector<SealedMemTable> recovered, SequenceNumber last_in_wals) {
  last_in_wals_ = last_in_wals;
  // A small one takes the next writes too: its entries are then in several WALs.
  const bool is_empty =
      recovered.empty() || recovered.back().memory_bytes > context_->options.write_buffer_size / 2;
  if (is_empty) {
    SealedMemTable& next = recovered.emplace_back();
    next.memtable = std::make_shared<MemTable>(context_->order, context_->memtable_blocks);
    next.wal_number = wal_.current_number();
    next.begun_seconds = context_->WallSeconds();
  }
  active_.Begin(recovered.back().memtable.get());
  state_->BeginWrites(recovered);
}

leveldb::Status WritePath::Write(const leveldb::WriteOptions& options, leveldb::WriteBatch* updates,
                                 uint64_t wait_micros_max, BusyWrite* busy) {
  const leveldb::Slice contents = batch::Contents(*updates);
  leveldb::Status status = batch::Validate(contents);
  if (!status.ok()) return status;
  const LatencyTimer timer(reporting_->LatencyOf(options.sync ? &Reporting::Latencies::sync_write
                                                              : &Reporting::Latencies::write),
                           coordinator_->clock());
  const Patience patience = PatienceFor(wait_micros_max, busy);
  const uint64_t delay_nanos = admission_.Await(contents.size(), patience.until_nanos);
  if (delay_nanos > 0) return GiveUp(patience, CauseOf(admission_.cause()), delay_nanos / 1000);

  WritersQueue::Writer writer;
  writer.batch = updates;
  writer.sync = options.sync;
  writer.until_nanos = patience.until_nanos;
  if (!writers_.Join(&writer)) {
    return writer.has_left ? GiveUp(patience, reporting_->activity().StopCause()) : writer.status;
  }
  is_under_way_.store(true, std::memory_order_relaxed);
  return Lead(&writer, [&](WritersQueue::Writer** last) LULL_REQUIRES(kLeadingWriter) {
    const leveldb::Status room = MakeRoom(contents, patience);
    if (!room.ok()) return room;
    *last = writers_.GroupEnd(&writer);
    return WriteGroup(&writer, *last);
  });
}

/// Runs `body` as the leading writer. It can set the last writer of its group. Then passes the lead
/// to the next writer.
template <class Body>
leveldb::Status WritePath::Lead(WritersQueue::Writer* leader, Body body) {
  const RoleScope leads(kLeadingWriter);
  WritersQueue::Writer* last = leader;
  leveldb::Status status;
  LULL_TRY { status = body(&last); }
  LULL_CATCH {
    // The client's Env or comparator threw, or memory ran out. It is unknown how much was written,
    // so no later write can be acknowledged. The queue must continue, or all writers would hang.
    status = leveldb::Status::IOError(context_->name, "a write ended with an exception");
    state_->FailWrites("a write", status);
    is_under_way_.store(false, std::memory_order_relaxed);
    writers_.Finish(leader, last, status);
    LULL_RETHROW;
  }
  is_under_way_.store(false, std::memory_order_relaxed);
  writers_.Finish(leader, last, status);
  return status;
}

leveldb::Status WritePath::Seal() {
  WritersQueue::Writer writer;  // no batch: a request to seal
  if (!writers_.Join(&writer)) return writer.status;
  return Lead(&writer, [&](WritersQueue::Writer**) LULL_REQUIRES(kLeadingWriter) {
    return active_->EntryCount() > 0 ? SealMemTable(nullptr, {}) : leveldb::Status::OK();
  });
}

void WritePath::SealInRest() {
  WritersQueue::Writer writer;
  if (!writers_.TryJoin(&writer)) return;
  Lead(&writer, [&](WritersQueue::Writer**) LULL_REQUIRES(kLeadingWriter) {
    {
      MutexLock lock(state_->mutex());
      if (WhyNotSealedLocked()) return state_->health().write_error();
    }
    return SwitchMemTable(nullptr, wal_.IsTooLargeForRest());
  });
}

/// The memtable then takes `record`, and those of the writer's group: what they need beyond it is
/// counted by the next write.
leveldb::Status WritePath::MakeRoom(const leveldb::Slice& record, const Patience& patience) {
  leveldb::Status status;
  if (flags_->refuses_writes.load(std::memory_order_acquire)) status = ResumeWrites(patience);
  if (status.ok() && active_->MemoryBytes() >= applied_->ask_at_bytes() && !MayGrow(record)) {
    status = SealMemTable(&record, patience);
  }
  return status;
}

bool WritePath::HasKeysOf(const std::vector<UserRange>& ranges) {
  std::vector<MemTableRef> memtables;
  {
    MutexLock lock(state_->mutex());
    memtables = state_->memtables().ImmutablesNewestFirst();
    memtables.push_back(state_->memtables().active());
  }
  for (const MemTableRef& memtable : memtables) {
    const std::unique_ptr<leveldb::Iterator> entry =
        memtable->NewIterator(kMaxSequence, kMaxSequence);
    for (const UserRange& range : ranges) {
      entry->Seek(LookupKey(*range.smallest, kMaxSequence).internal_key());
      if (entry->Valid() &&
          context_->order.CompareUser(UserKeyOf(entry->key()), *range.largest) <= 0)
        return true;
    }
  }
  return false;
}

leveldb::Status WritePath::InsertTables(
    const std::vector<UserRange>& ranges, SequenceNumber sequence,
    const std::function<leveldb::Status(bool* has_sequence)>& install) {
  WritersQueue::Writer writer;  // no batch: alone in its group, as a request to seal
  if (!writers_.Join(&writer)) return writer.status;
  return Lead(&writer, [&](WritersQueue::Writer**) LULL_REQUIRES(kLeadingWriter) {
    leveldb::Status status = PrepareInsertion(ranges, sequence);
    if (!status.ok()) return status;
    bool has_sequence = false;
    status = install(&has_sequence);
    if (!has_sequence) return status;
    reader_->empty_ranges()->Forget();
    reader_->PublishSequence(sequence);
    return status;
  });
}

leveldb::Status WritePath::PrepareInsertion(const std::vector<UserRange>& ranges,
                                            SequenceNumber sequence) {
  leveldb::Status status;
  if (flags_->refuses_writes.load(std::memory_order_acquire)) status = ResumeWrites({});
  if (status.ok() && reader_->published() >= sequence) {
    status = leveldb::Status::IOError(
        context_->name, "writes have used the sequence numbers of an ingestion; repeat the call");
  }
  if (status.ok() && HasKeysOf(ranges)) {
    if (active_->EntryCount() > 0) status = SealMemTable(nullptr, {});
    MutexLock lock(state_->mutex());
    if (status.ok()) status = AwaitTablesLocked({});
  }
  if (!status.ok()) return status;
  status = wal_.Sync();
  if (!status.ok()) AbandonWal(status);
  return status;
}

leveldb::Status WritePath::WriteGroup(WritersQueue::Writer* leader, WritersQueue::Writer* last) {
  leveldb::Status status;
  const leveldb::Slice record = GroupRecord(leader, last);
  if (!batch::HasPossibleSequence(record))
    return leveldb::Status::Corruption(context_->name, "has no sequence numbers left");
  {
    const ProfiledPart part(CallPart::kLogAppend);
    status = wal_.Append(record);
  }
  if (status.ok() && leader->sync) {
    const ProfiledPart part(CallPart::kLogSync);
    status = wal_.Sync();
  }
  if (!status.ok()) {
    AbandonWal(status);
    return status;
  }
  const SequenceNumber last_sequence = batch::SequenceOf(record) + batch::CountOf(record) - 1;
  reader_->empty_ranges()->Check(record);
  {
    const ProfiledPart part(CallPart::kMemTableAdd);
    status = batch::InsertInto(record, active_.get());
  }
  reader_->PublishSequence(last_sequence);
  last_in_wals_ = last_sequence;
  if (leader->sync) wal_.MoveToPrepared(last_sequence + 1);
  client_entries_ += batch::CountOf(record);
  const uint64_t bytes = client_bytes_.load(std::memory_order_relaxed) + record.size();
  client_bytes_.store(bytes, std::memory_order_relaxed);
  if (bytes >= tell_at_bytes_.load(std::memory_order_relaxed)) TellOfWrite(bytes);
  return status;
}

/// Wakes the threads that sleep until a client writes, or until enough was written to prepare WALs.
void WritePath::TellOfWrite(uint64_t bytes) {
  tell_at_bytes_.store(bytes < logs_ahead_at_bytes_ ? logs_ahead_at_bytes_ : UINT64_MAX,
                       std::memory_order_relaxed);
  context_->flush_thread->Wake();
  coordinator_->WakeMonitor();
}

/// Returns the group's batches as one record, with its sequence.
leveldb::Slice WritePath::GroupRecord(WritersQueue::Writer* leader, WritersQueue::Writer* last) {
  const SequenceNumber sequence = reader_->published() + 1;
  if (leader == last) {
    auto* const batch =
        const_cast<leveldb::WriteBatch*>(leader->batch);  // Write received it non-const
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

/// Whether the active memtable can grow by `record`, although it has reached its opening size or is
/// full. It can if the policy sets a larger size, if a full one absorbs writes while others wait
/// for their flush, or if the WAL could not be switched.
bool WritePath::MayGrow(const leveldb::Slice& record) {
  constexpr uint64_t kEntryBytesMax = 128;  // per entry, besides key and value
  const bool absorbs =
      applied_->absorbs() && flags_->immutables.load(std::memory_order_relaxed) > 0;
  if (active_.IsFull(applied_->memtable_bytes()) && !absorbs) return false;
  const uint64_t bytes = active_->MemoryBytes() + record.size() +
                         batch::CountOf(record) * kEntryBytesMax +
                         context_->memtable_blocks->block_bytes();
  const uint64_t growth = active_.GrowthFor(bytes);
  if (growth == 0) return true;
  if (!coordinator_->TryAddMemory(growth)) return false;
  active_.Grow(growth);
  return true;
}

/// SwitchMemTable, after waiting at hard limits.
leveldb::Status WritePath::SealMemTable(const leveldb::Slice* record, const Patience& patience) {
  leveldb::Status status;
  {
    MutexLock lock(state_->mutex());
    status = AwaitSealLocked(patience);
  }
  return status.ok() ? SwitchMemTable(record, /*in_rest=*/false) : status;
}

/// Passes the active memtable to the flush thread, and begins a new one with its own WAL. If no WAL
/// can be created, the memtable can grow by `record` instead.
leveldb::Status WritePath::SwitchMemTable(const leveldb::Slice* record, bool in_rest) {
  const ProfiledPart part(CallPart::kNewLog);
  const leveldb::Status status = wal_.Switch(last_in_wals_ + 1, in_rest);
  if (status.ok()) {
    HandOverMemTable(wal_.current_number());
  } else if (record != nullptr && wal_.CanTakeMore()) {
    // Flushes can free the missing resource. Not every write retries the switch.
    active_.PutOffSeal(active_->MemoryBytes() + record->size() + (64 << 10));
    lacks_log_.store(true, std::memory_order_relaxed);
    context_->flush_thread->Wake();
    if (MayGrow(*record)) return leveldb::Status::OK();
  }
  return status;
}

/// Seals the active memtable. The next one's entries go to WALs from `next_wal_number` on.
void WritePath::HandOverMemTable(uint64_t next_wal_number) {
  auto next = std::make_shared<MemTable>(context_->order, context_->memtable_blocks);
  lacks_log_.store(false, std::memory_order_relaxed);
  state_->Seal(std::move(next), next_wal_number, &active_);
}

/// Call after the WAL failed to take a record. The file can contain the record whole, in part or
/// not at all, so no later record in it can be acknowledged. But every acknowledged entry is in
/// memory or in tables. After all are in tables, the MANIFEST needs neither this WAL nor an older
/// one, and a new WAL can begin. This seals even an empty memtable, since its flush advances the
/// MANIFEST's log number.
void WritePath::AbandonWal(const leveldb::Status& failure) {
  Log(context_->logger(),
      "Writes are refused until memory is flushed: a write-ahead log failed: %s",
      failure.ToString().c_str());
  state_->WalFailed(failure);
  HandOverMemTable(wal_.current_number() + 1);
}

/// Begins a new WAL in place of the failed one, after all earlier entries are in tables. OK: writes
/// are accepted again.
leveldb::Status WritePath::ResumeWrites(const Patience& patience) {
  leveldb::Status status;
  {
    MutexLock lock(state_->mutex());
    status = AwaitTablesLocked(patience);
  }
  if (status.ok()) status = wal_.Restart(reader_->published() + 1);
  if (!status.ok()) return status;
  last_in_wals_ = reader_->published();
  Log(context_->logger(), "Writes are accepted again, in a new write-ahead log");
  return state_->WalRestarted(wal_.current_number());
}

leveldb::Status WritePath::AwaitTablesLocked(const Patience& patience) {
  StoppedWrite stopped(&reporting_->activity());
  while (state_->health().write_error().ok() && state_->memtables().immutable_count() > 0) {
    if (!state_->health().WhyNotFlushed().ok()) return state_->health().WhyNotFlushed();
    const uint64_t nanos_left = NanosLeft(patience);
    if (nanos_left == 0) return GiveUp(patience, WriteStallCause::kMemory);
    stopped.Because(StallCause::kMemory);
    state_->WaitAtLimitLocked(nanos_left);
  }
  return state_->health().write_error();
}

/// Why the memtable cannot be sealed now; nullopt if it can.
std::optional<StallCause> WritePath::WhyNotSealedLocked() const {
  if (IsL0FullLocked()) return StallCause::kL0;
  if (IsSpaceFullLocked()) return StallCause::kDebt;
  // On an almost full disk, a WAL's space must be freed before the next one can grow.
  const MemTableLimits limits = {disk_->is_low() ? 1 : applied_->immutables_max(),
                                 coordinator_->memory_used_bytes(),
                                 coordinator_->memory_budget_bytes()};
  if (state_->memtables().MaySeal(limits, active_.grown_bytes())) return std::nullopt;
  return StallCause::kMemory;
}

/// Whether a write must wait for a compaction of L0. Never if none is due, since nothing would end
/// the wait. On an almost full disk the limit is lower: compactions free the space of overwritten
/// entries. No compaction of L0 can begin while a client removes a range, and that client writes.
bool WritePath::IsL0FullLocked() const {
  if (state_->compactions().withholds()) return false;
  const LayoutOptions& layout = state_->compactions().layout();
  const int stop = disk_->is_low() ? layout.l0_trigger : applied_->l0_stop();
  return state_->version()->TableCount(0) >= stop &&
         LevelScore(*state_->version(), 0, layout) >= 1.0;
}

/// Whether a write must wait for compactions that free space, for the user's bound. Not while a
/// client removes a range: compactions in the range cannot begin, and that client writes.
bool WritePath::IsSpaceFullLocked() const {
  return state_->space_is_full() && !state_->compactions().withholds();
}

/// The error that prevents a compaction of L0, if any. Damage counts only if it blocks every L0
/// job.
const leveldb::Status& WritePath::WhyL0StaysLocked() const {
  const leveldb::Status& error = state_->health().WhyNotCompacted();
  if (!error.ok() || state_->health().damage().ok()) return error;
  return state_->compactions().IsL0Unreadable(*state_->version()) ? state_->health().damage()
                                                                  : error;
}

/// The error of the work that a stopped write waits for. A wait for memory depends only on flushes,
/// one for disk space on both.
const leveldb::Status& WritePath::BlockingErrorLocked(StallCause cause) const {
  if (cause == StallCause::kL0) return WhyL0StaysLocked();
  const leveldb::Status& compaction = state_->health().WhyNotCompacted();
  if (cause == StallCause::kDebt && !compaction.ok()) return compaction;
  return state_->health().WhyNotFlushed();
}

leveldb::Status WritePath::AwaitSealLocked(const Patience& patience) {
  StoppedWrite stopped(&reporting_->activity());
  while (const std::optional<StallCause> cause = WhyNotSealedLocked()) {
    // Return an error instead of waiting for work that fails; the client can retry.
    const leveldb::Status& error = BlockingErrorLocked(*cause);
    if (!error.ok()) return error;
    const uint64_t nanos_left = NanosLeft(patience);
    if (nanos_left == 0) return GiveUp(patience, CauseOf(*cause));
    stopped.Because(*cause);
    const ProfiledPart part(CallPart::kRoom);
    state_->WaitAtLimitLocked(nanos_left);
  }
  return state_->health().write_error();
}

WritePath::Patience WritePath::PatienceFor(uint64_t wait_micros_max, BusyWrite* busy) const {
  constexpr uint64_t kWaitMicrosMax = 1'000'000'000'000;  // 11 days
  if (wait_micros_max == UINT64_MAX) return {};
  const uint64_t now = coordinator_->clock()->NowNanos();
  return {now + std::min(wait_micros_max, kWaitMicrosMax) * 1000, busy};
}

/// How long a write may still wait. 0: not at all.
uint64_t WritePath::NanosLeft(const Patience& patience) const {
  if (patience.until_nanos == UINT64_MAX) return UINT64_MAX;
  return patience.until_nanos - std::min(patience.until_nanos, coordinator_->clock()->NowNanos());
}

/// Of a write that must wait for a running job.
leveldb::Status WritePath::GiveUp(const Patience& patience, WriteStallCause cause) {
  return GiveUp(patience, cause, reporting_->activity().MicrosToRoom(cause));
}

leveldb::Status WritePath::GiveUp(const Patience& patience, WriteStallCause cause,
                                  uint64_t room_micros) {
  *patience.busy = {true, cause, room_micros};
  return leveldb::Status::IOError(
      context_->name,
      Format("the write would wait longer than its limit, for %s", StallCauseName(cause)));
}

}  // namespace lull
