// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/engine/table_ingester.h"

#include <algorithm>
#include <optional>
#include <system_error>
#include <utility>

#include "util/logging.h"

namespace lull {

using leveldb::Status;

TableIngester::TableIngester(const EngineParts& parts, WritePath* writes, VersionSet* versions,
                             ClientWaits* waits, RangeRemover* remover)
    : context_(parts.context),
      coordinator_(parts.coordinator),
      state_(parts.state),
      reader_(parts.reader),
      writes_(writes),
      versions_(versions),
      waits_(waits),
      remover_(remover) {}

Status TableIngester::Ingest(const std::vector<std::string>& paths) {
  MutexLock ingestion_lock(mutex_);
  Ingestion ingestion(context_);
  Request request;
  Status status = ingestion.Open(paths);
  if (status.ok()) status = Prepare(&ingestion, &request.sequence);
  if (!status.ok()) return status;
  request.copies = &ingestion.outputs();
  request.ranges = ingestion.Ranges();
  // Beforehand, so that writers wait for little more than what they write meanwhile.
  if (writes_->HasKeysOf(request.ranges)) status = waits_->Flush();
  if (!status.ok()) return status;
  MutexLock removal_lock(remover_->mutex());
  status = writes_->InsertTables(request.ranges, request.sequence, [&](bool* has_sequence) {
    Status installed;
    state_->RunOnFlushThread([&]() LULL_REQUIRES(kFlushThread) { installed = Install(&request); });
    *has_sequence = request.has_sequence;
    return installed;
  });
  if (status.ok()) {
    Log(context_->logger(), "Ingested %zu tables of %llu bytes as %zu tables of %llu bytes",
        paths.size(), static_cast<unsigned long long>(ingestion.input_bytes()),
        request.ranges.size(),
        static_cast<unsigned long long>(ingestion.outputs().FinishedBytes()));
  }
  return status;
}

/// Copies the tables, with a sequence that writes cannot reach meanwhile.
Status TableIngester::Prepare(Ingestion* ingestion, SequenceNumber* sequence) {
  // Copying a byte takes less time than a write. The sum lasts for 2^31 ingestions.
  constexpr SequenceNumber kLeadMin = 1 << 24;
  Status status = CheckSpace(ingestion->input_bytes());
  if (!status.ok()) return status;
  VersionRef version;
  LayoutOptions layout;
  {
    MutexLock lock(state_->mutex());
    if (!state_->health().write_error().ok()) return state_->health().write_error();
    version = state_->version();
    layout = state_->compactions().layout();
  }
  *sequence = reader_->published() + kLeadMin + ingestion->input_bytes();
  if (*sequence > kMaxStoredSequence)
    return Status::Corruption(context_->name, "has no sequence numbers left");
  return ingestion->Copy(*sequence, *version, layout, &written_bytes_);
}

/// The disk must not become full: flushes need space too.
Status TableIngester::CheckSpace(uint64_t bytes) const {
  if (context_->extension == nullptr) return Status::OK();
  const std::optional<uint64_t> free_bytes = context_->extension->FreeBytes(context_->name);
  const uint64_t wanted_bytes = bytes + 2 * context_->options.write_buffer_size;
  if (!free_bytes || *free_bytes >= wanted_bytes) return Status::OK();
  return Status::IOError(
      context_->name,
      "the ingestion and the next flushes need about " + std::to_string(wanted_bytes) + " bytes, " +
          std::to_string(*free_bytes) +
          " are free: " + std::make_error_code(std::errc::no_space_on_device).message());
}

/// Chooses a level for each copy, and lets no compaction begin that could need its place.
std::vector<int> TableIngester::PlaceCopies(const Request& request) {
  VersionRef version;
  std::vector<RunningRange> running;
  {
    MutexLock lock(state_->mutex());
    version = state_->version();
    running = state_->compactions().jobs().Ranges();
    state_->compactions().Withhold(
        context_->order, {request.ranges.front().smallest, request.ranges.back().largest});
  }
  std::vector<int> levels;
  for (const UserRange& range : request.ranges)
    levels.push_back(LevelFor(*version, running, range));
  return levels;
}

Status TableIngester::InstallCopies(Request* request, VersionRef* version) {
  const std::vector<int> levels = PlaceCopies(*request);
  VersionEdit sequence_edit;
  sequence_edit.last_sequence = request->sequence;
  // After a failed WAL the MANIFEST names none. This sequence would hide that the next is missing.
  sequence_edit.prev_log_number = 0;
  {
    MutexLock lock(state_->mutex());
    sequence_edit.log_number = state_->memtables().LogNumberAfter(0);
  }
  VersionRef unchanged;
  Status status = versions_->Install(&sequence_edit, {}, &unchanged);
  request->has_sequence = status.ok();
  if (status.ok()) status = request->copies->GiveNames(levels);
  if (!status.ok()) return status;
  VersionEdit edit;
  edit.last_sequence = request->sequence;
  return versions_->Install(&edit, {request->copies}, version);
}

Status TableIngester::Install(Request* request) {
  VersionRef version;
  const Status status = InstallCopies(request, &version);
  MutexLock lock(state_->mutex());
  state_->compactions().EndWithholding();
  if (request->has_sequence) state_->SkipSequencesLocked(request->sequence);
  if (status.ok()) state_->CommitIngestionLocked(request->copies->finished(), std::move(version));
  coordinator_->WakeMonitor();
  return status;
}

}  // namespace lull
