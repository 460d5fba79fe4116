// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/wal/wal_files.h"

#include <algorithm>
#include <utility>

#include "db/base/filename.h"
#include "db/wal/log_format.h"
#include "db/wal/wal_reader.h"
#include "util/descriptor_budget.h"
#include "util/logging.h"

namespace lull {

LogDescriptor::~LogDescriptor() {
  open_logs_->fetch_sub(1, std::memory_order_relaxed);
  if (lender_ != nullptr) lender_->GiveBack();
}

void WalFile::Grow(uint64_t bytes) {
  bytes = std::min<uint64_t>(bytes, extent_bytes_max);
  if (!log->Grow(bytes).ok()) {
    extent_bytes_max = 0;
  } else if (bytes > extent_bytes) {
    extent_bytes = bytes;
  }
}

// ---- creation ----

/// Returns false if the process must not open another log file.
bool WalFiles::TakeDescriptor(std::unique_ptr<LogDescriptor>* descriptor) {
  DescriptorBudget* const budget =
      context_->extension == nullptr ? nullptr : context_->extension->log_descriptors();
  const bool borrowed = budget != nullptr && budget->TryTake();
  const int open = open_logs_.fetch_add(1, std::memory_order_relaxed);
  *descriptor = std::make_unique<LogDescriptor>(&open_logs_, borrowed ? budget : nullptr);
  if (budget == nullptr || borrowed || open < kOpenLogsMin) return true;
  descriptor->reset();
  lacked_descriptors_.store(true, std::memory_order_relaxed);
  return false;
}

leveldb::Status WalFiles::BeginDraft(Draft* draft) {
  draft->number = context_->NewFileNumber();
  draft->path = LogFileName(context_->name, draft->number);
  draft->name_failures_before = names_failures_.load(std::memory_order_acquire);
  if (TakeDescriptor(&draft->descriptor)) return leveldb::Status::OK();
  return leveldb::Status::IOError(draft->path,
                                  "too many WALs are open for the limit of file descriptors");
}

void WalFiles::EndDraft(Draft draft, WalFile* wal) {
  wal->name_failures_before = draft.name_failures_before;
  wal->descriptor = std::move(draft.descriptor);
  names_made_.fetch_add(1, std::memory_order_acq_rel);
}

/// Sets `log` to null if the Env has no log files. If preallocation fails and a client waits, the
/// file grows with its records instead.
leveldb::Status WalFiles::CreateFile(const std::string& path, LogFileMode mode, Purpose purpose,
                                     uint64_t* capacity, LogFile** log,
                                     leveldb::WritableFile** file) {
  *log = nullptr;
  leveldb::Status status = leveldb::Status::NotSupported(path);
  if (context_->extension != nullptr) {
    status = context_->extension->NewLogFile(path, *capacity, mode, log);
    if (purpose != Purpose::kAhead && *capacity > 0 && IsOutOfResources(status)) {
      *capacity = 0;
      status = context_->extension->NewLogFile(path, 0, mode, log);
    }
  }
  *file = *log;
  return status.IsNotSupportedError() ? context_->NewFile(path, file) : status;
}

leveldb::Status WalFiles::Create(Purpose purpose, WalRef* wal) {
  Draft draft;
  leveldb::Status status = BeginDraft(&draft);
  if (!status.ok()) return status;
  const WalSizes sizes = inputs_->Sizes();
  const LogFileMode mode = sizes.Mode();
  uint64_t capacity = purpose == Purpose::kAhead ? sizes.Capacity(mode) : sizes.FirstCapacity(mode);
  LogFile* log = nullptr;
  leveldb::WritableFile* file = nullptr;
  status = CreateFile(draft.path, mode, purpose, &capacity, &log, &file);
  if (!status.ok()) return status;
  const uint64_t number = draft.number;
  *wal = log != nullptr && mode == LogFileMode::kWrite && CanReuse()
             ? std::make_shared<WalFile>(number, std::unique_ptr<LogFile>(log), log::FragmentEnds())
             : std::make_shared<WalFile>(number, mode, std::unique_ptr<leveldb::WritableFile>(file),
                                         log);
  if (log != nullptr) {
    log->CountMemory(mapped_bytes_);
    (*wal)->extent_bytes = capacity;
    if (capacity > 0 && purpose == Purpose::kNow) {
      (*wal)->extent_bytes_max = sizes.Capacity(mode);
      log->Reserve((*wal)->extent_bytes_max);
    }
  }
  EndDraft(std::move(draft), wal->get());
  return status;
}

// ---- names ----

leveldb::Status WalFiles::SyncNames() {
  const uint64_t made = names_made_.load(std::memory_order_acquire);
  uint64_t durable = names_durable_.load(std::memory_order_acquire);
  if (context_->extension == nullptr || durable >= made) return leveldb::Status::OK();
  leveldb::Status status = context_->extension->SyncDirectory(context_->name);
  while (status.ok() && durable < made &&
         !names_durable_.compare_exchange_weak(durable, made, std::memory_order_acq_rel)) {
  }
  if (!status.ok()) names_failures_.fetch_add(1, std::memory_order_acq_rel);
  return status;
}

/// Whether a failed directory sync might have lost this WAL's name.
bool WalFiles::MayLackName(const WalFile& wal) const {
  return !wal.has_name &&
         wal.name_failures_before != names_failures_.load(std::memory_order_acquire);
}

leveldb::Status WalFiles::ConfirmName(WalFile* wal) const {
  if (MayLackName(*wal)) {
    return leveldb::Status::IOError(LogFileName(context_->name, wal->number),
                                    "its directory could not be synced since it was created");
  }
  wal->has_name = true;
  return leveldb::Status::OK();
}

// ---- recycling ----

bool WalFiles::CanReuse() const {
  return context_->extension != nullptr && files_reusable_.load(std::memory_order_relaxed);
}

bool WalFiles::IsWorthReusing(const WalFile& wal) const {
  const WalSizes sizes = inputs_->Sizes();
  if (!wal.writer.KnowsEnds() || sizes.Mode() != LogFileMode::kWrite) return false;
  // A later sync of the leading writer can still use a WAL that did not end synced.
  if (!wal.ended_synced || !CanReuse()) return false;
  uint64_t file_bytes = 0;
  const std::string path = LogFileName(context_->name, wal.number);
  return context_->env()->GetFileSize(path, &file_bytes).ok() && sizes.FitsReuse(file_bytes);
}

bool WalFiles::TryRetire(WalFile* wal) {
  const size_t limit = 2 * inputs_->Sizes().PreparedCount();
  {
    MutexLock lock(mutex_);
    if (retired_.size() + prepared_.size() >= limit) return false;
  }
  if (!IsWorthReusing(*wal)) return false;
  retired_.push_back({wal->number, wal->writer.TakeEnds()});
  return true;
}

leveldb::Status WalFiles::Reuse(Retired retired, WalRef* wal) {
  constexpr LogBlocks kBlocks{log::kBlockBytes, log::kEndMark};
  Draft draft;
  LogFile* raw = nullptr;
  leveldb::Status status = BeginDraft(&draft);
  const std::string old_path = LogFileName(context_->name, retired.number);
  if (status.ok()) status = context_->extension->ReuseLogFile(old_path, draft.path, kBlocks, &raw);
  if (status.IsNotSupportedError()) {
    files_reusable_.store(false, std::memory_order_relaxed);
    return status;
  }
  if (!status.ok()) {
    Log(context_->logger(), "Cannot reuse a WAL: %s", status.ToString().c_str());
    context_->RemoveFile(draft.path);  // the rename can have happened nevertheless
    return status;
  }
  *wal = std::make_shared<WalFile>(draft.number, std::unique_ptr<LogFile>(raw),
                                   std::move(retired.ends));
  (*wal)->extent_bytes = inputs_->Sizes().Capacity(LogFileMode::kWrite);
  EndDraft(std::move(draft), wal->get());
  return status;
}

/// Creates a WAL in the file of the oldest released one. On failure, or if clients no longer sync,
/// removes the file and returns nullptr.
WalRef WalFiles::ReuseOldest() {
  Retired retired = std::move(retired_.front());
  retired_.pop_front();
  const std::string path = LogFileName(context_->name, retired.number);
  WalRef wal;
  if (inputs_->Sizes().Mode() == LogFileMode::kWrite) Reuse(std::move(retired), &wal);
  if (wal == nullptr) context_->RemoveFile(path);
  return wal;
}

// ---- preparation ----

/// Whether a prepared WAL lacks written blocks although clients sync.
bool WalFiles::IsUnfit(const WalFile& wal) const {
  return wal.mode == LogFileMode::kMapped && inputs_->Sizes().Mode() == LogFileMode::kWrite;
}

bool WalFiles::NeedsPrepare() {
  if (!retired_.empty()) return true;
  const size_t wanted = inputs_->Sizes().PreparedCount();
  MutexLock lock(mutex_);
  return prepared_.size() < wanted || (!prepared_.empty() && IsUnfit(*prepared_.front()));
}

leveldb::Status WalFiles::Prepare() {
  if (!NeedsPrepare()) return leveldb::Status::OK();
  DiscardUnfit();
  WalRef wal;
  leveldb::Status status;
  if (retired_.empty()) {
    status = Create(Purpose::kAhead, &wal);
  } else {
    wal = ReuseOldest();
  }
  if (wal == nullptr) return status;
  if (inputs_->Sizes().clients_sync) {
    status = SyncNames();
    if (!status.ok()) {
      Discard(std::move(wal));
      return status;
    }
    ConfirmName(wal.get());  // if that fails, TakePrepared discards it
  }
  MutexLock lock(mutex_);
  prepared_.push_back(std::move(wal));
  return status;
}

bool WalFiles::HasBlocksAfter(uint64_t number) {
  const WalSizes sizes = inputs_->Sizes();
  if (sizes.disk_low || sizes.clients_rest) return false;
  MutexLock lock(mutex_);
  return !prepared_.empty() && prepared_.front()->number > number &&
         !prepared_.front()->LacksBlocks();
}

/// A WAL that was prepared slowly is discarded if a newer one was created meanwhile.
WalRef WalFiles::TakePrepared(uint64_t number) {
  while (true) {
    WalRef next;
    {
      MutexLock lock(mutex_);
      const bool disk_low = inputs_->disk_low.load(std::memory_order_relaxed);
      if (prepared_.size() <= 1 && !disk_low)
        inputs_->prepared_were_used_up.store(true, std::memory_order_relaxed);
      if (prepared_.size() <= (disk_low ? 1 : 0)) return nullptr;
      next = std::move(prepared_.front());
      prepared_.pop_front();
    }
    if (next->number > number && !MayLackName(*next)) return next;
    Discard(std::move(next));
  }
}

leveldb::Status WalFiles::BeginNext(SequenceNumber first_sequence, uint64_t number, bool in_rest,
                                    WalRef* next) {
  leveldb::Status status = RemoveUnbegun();
  if (status.ok() && !in_rest) *next = TakePrepared(number);
  if (status.ok() && *next == nullptr) status = Create(Purpose::kNow, next);
  if (!status.ok()) return status;
  WalFile& wal = **next;
  status = wal.writer.AddRecord(WalPreamble(first_sequence));
  if (status.ok()) return status;
  wal.writer.Close();
  unbegun_ = LogFileName(context_->name, wal.number);
  RemoveUnbegun();  // or later
  return status;
}

/// A replay could treat the torn record as damage, and stop there.
leveldb::Status WalFiles::RemoveUnbegun() {
  if (unbegun_.empty()) return leveldb::Status::OK();
  const leveldb::Status status = context_->RemoveFile(unbegun_);
  if (!status.ok() && !status.IsNotFound()) return status;
  unbegun_.clear();
  names_made_.fetch_add(1, std::memory_order_acq_rel);
  return leveldb::Status::OK();
}

void WalFiles::DiscardUnfit() {
  std::vector<WalRef> unfit;
  {
    MutexLock lock(mutex_);
    while (!prepared_.empty() && IsUnfit(*prepared_.front())) {
      unfit.push_back(std::move(prepared_.front()));
      prepared_.pop_front();
    }
  }
  for (WalRef& wal : unfit) Discard(std::move(wal));
}

bool WalFiles::DiscardPrepared(size_t keep) {
  std::vector<WalRef> discarded;
  {
    MutexLock lock(mutex_);
    while (prepared_.size() > keep) {
      discarded.push_back(std::move(prepared_.back()));
      prepared_.pop_back();
    }
  }
  const bool any = !discarded.empty() || !retired_.empty();
  for (WalRef& wal : discarded) Discard(std::move(wal));
  for (const Retired& retired : retired_)
    context_->RemoveFile(LogFileName(context_->name, retired.number));
  retired_.clear();
  return any;
}

void WalFiles::Discard(WalRef unused) {
  const std::string path = LogFileName(context_->name, unused->number);
  unused->writer.Close();
  unused = nullptr;
  context_->RemoveFile(path);
}

std::vector<WalRef> WalFiles::Prepared() {
  MutexLock lock(mutex_);
  return {prepared_.begin(), prepared_.end()};
}

}  // namespace lull
