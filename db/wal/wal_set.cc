// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/wal/wal_set.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "db/base/filename.h"
#include "db/wal/log_format.h"
#include "util/descriptor_budget.h"
#include "util/env_extension.h"

namespace lull {
namespace {

// A memtable's records need less space in the WAL than in memory, but the last batch can exceed it.
constexpr uint64_t kSlackBytes = 256 << 10;
constexpr uint64_t kMarginBytes = 16 << 10;

// The limit on preallocation, since a few WALs of this size always exist. A larger memtable's
// records grow the file past it.
constexpr uint64_t kAheadBytesMax = 64 << 20;

// Prepared WALs take at most this share of the tables' size (but a few are always allowed), and at
// rest this one.
constexpr uint64_t kTablesPerPrepared = 4;
constexpr uint64_t kTablesPerPreparedInRest = 16;
// At rest, the current WAL takes at most this share, or this many bytes.
constexpr uint64_t kTablesPerCurrentInRest = 8;
constexpr uint64_t kRestBytes = 256 << 10;

/// How much longer than the last one a WAL can become.
uint64_t HeadroomBytes(uint64_t last_wal_bytes) { return last_wal_bytes / 64 + kMarginBytes; }

}  // namespace

WalSet::~WalSet() { Close(); }

/// If clients sync, WALs use write(2): syncing a mapping that was faulted in would also write its
/// zeros.
LogFileMode WalSet::WantedMode() const {
  return clients_sync_.load(std::memory_order_relaxed) ? LogFileMode::kWrite : LogFileMode::kMapped;
}

/// The size to preallocate for a memtable's records. If all of it is first written with zeros, no
/// more than the last WAL needed.
uint64_t WalSet::CapacityBytes(LogFileMode mode) const {
  const uint64_t bytes_max =
      std::min(memtable_bytes_.load(std::memory_order_relaxed) + kSlackBytes, kAheadBytesMax);
  const uint64_t last = last_wal_bytes_.load(std::memory_order_relaxed);
  if (mode == LogFileMode::kMapped || last == 0) return bytes_max;
  return std::min(bytes_max, last + HeadroomBytes(last));
}

/// How much the current WAL can preallocate while clients rest.
uint64_t WalSet::CapacityInRest() const {
  const uint64_t tables = table_bytes_.load(std::memory_order_relaxed);
  return std::max(tables / kTablesPerCurrentInRest, kRestBytes);
}

/// How many WALs to keep ready.
size_t WalSet::PreparedWanted() const {
  if (disk_low_.load(std::memory_order_relaxed)) return 1;
  const uint64_t tables = table_bytes_.load(std::memory_order_relaxed);
  const uint64_t capacity = CapacityBytes(WantedMode());
  if (rests_.load(std::memory_order_relaxed))
    return std::min<uint64_t>(tables / kTablesPerPreparedInRest / capacity, prepared_wanted_);
  return std::clamp<uint64_t>(tables / kTablesPerPrepared / capacity, kPreparedMin,
                              prepared_wanted_);
}

bool WalSet::CanReuse() const {
  return context_->extension != nullptr && files_reusable_.load(std::memory_order_relaxed);
}

/// Whether an old WAL's file is large enough for a new WAL. Half of the headroom suffices:
/// otherwise WALs of slightly different sizes would often lose a file.
bool WalSet::Fits(uint64_t file_bytes) const {
  const uint64_t last = last_wal_bytes_.load(std::memory_order_relaxed);
  const uint64_t wanted = CapacityBytes(LogFileMode::kWrite);
  return file_bytes >= std::min(wanted, last + HeadroomBytes(last) / 2) && file_bytes <= 2 * wanted;
}

/// REQUIRES: `wal` was released.
bool WalSet::IsWorthReusing(const WalRef& wal) const {
  if (!wal->writer.KnowsEnds() || WantedMode() != LogFileMode::kWrite) return false;
  // A later sync of the leading writer can still use a WAL that did not end synced.
  if (!wal->ended_synced || !CanReuse()) return false;
  uint64_t file_bytes = 0;
  const std::string path = LogFileName(context_->name, wal->number);
  return context_->env()->GetFileSize(path, &file_bytes).ok() && Fits(file_bytes);
}

WalSet::Descriptor::~Descriptor() {
  open_logs_->fetch_sub(1, std::memory_order_relaxed);
  if (lender_ != nullptr) lender_->GiveBack();
}

/// Returns false if the process must not open another log file.
bool WalSet::TakeDescriptor(DescriptorRef* descriptor) {
  DescriptorBudget* const budget =
      context_->extension == nullptr ? nullptr : context_->extension->log_descriptors();
  const bool borrowed = budget != nullptr && budget->TryTake();
  const int open = open_logs_.fetch_add(1, std::memory_order_relaxed);
  *descriptor = std::make_unique<Descriptor>(&open_logs_, borrowed ? budget : nullptr);
  if (budget == nullptr || borrowed || open < kOpenLogsMin) return true;
  descriptor->reset();
  seals_all_.store(true, std::memory_order_relaxed);
  return false;
}

/// How much to preallocate.
uint64_t WalSet::CapacityFor(LogFileMode mode, Purpose purpose) const {
  if (purpose == Purpose::kAhead) return CapacityBytes(mode);
  // When a client waits: writing and syncing zeros takes longer than it saves in later syncs.
  if (mode == LogFileMode::kWrite || disk_low_.load(std::memory_order_relaxed)) return 0;
  return std::min(CapacityBytes(mode), kFirstBytes);
}

/// Sets `log` to null if the Env has no log files. If preallocation fails and a client waits, the
/// file grows with its records instead.
leveldb::Status WalSet::CreateFile(const std::string& path, LogFileMode mode, Purpose purpose,
                                   uint64_t* capacity, LogFile** log,
                                   leveldb::WritableFile** file) {
  *log = nullptr;
  leveldb::Status status = leveldb::Status::NotSupported(path);
  if (context_->extension != nullptr) {
    *capacity = CapacityFor(mode, purpose);
    status = context_->extension->NewLogFile(path, *capacity, mode, log);
    if (purpose != Purpose::kAhead && *capacity > 0 && IsOutOfResources(status)) {
      *capacity = 0;
      status = context_->extension->NewLogFile(path, 0, mode, log);
    }
  }
  *file = *log;
  return status.IsNotSupportedError() ? context_->NewFile(path, file) : status;
}

leveldb::Status WalSet::Create(WalRef* wal, Purpose purpose) {
  const uint64_t number = context_->NewFileNumber();
  const uint64_t failures_before = names_failures_.load(std::memory_order_acquire);
  const std::string path = LogFileName(context_->name, number);
  DescriptorRef descriptor;
  if (!TakeDescriptor(&descriptor))
    return leveldb::Status::IOError(path,
                                    "too many WALs are open for the limit of file descriptors");
  const LogFileMode mode = WantedMode();
  uint64_t capacity = 0;
  LogFile* log = nullptr;
  leveldb::WritableFile* file = nullptr;
  leveldb::Status status = CreateFile(path, mode, purpose, &capacity, &log, &file);
  if (!status.ok()) return status;
  if (log != nullptr) log->CountMemory(&memory_bytes_);
  *wal =
      log != nullptr && mode == LogFileMode::kWrite && CanReuse()
          ? std::make_shared<Wal>(number, std::unique_ptr<LogFile>(log), log::FragmentEnds())
          : std::make_shared<Wal>(number, mode, std::unique_ptr<leveldb::WritableFile>(file), log);
  if (log != nullptr) (*wal)->capacity = capacity;
  if (log != nullptr && capacity > 0 && purpose == Purpose::kNow) {
    (*wal)->capacity_max = CapacityBytes(mode);
    log->Reserve((*wal)->capacity_max);
  }
  (*wal)->failures_before = failures_before;
  (*wal)->descriptor = std::move(descriptor);
  names_made_.fetch_add(1, std::memory_order_acq_rel);
  return status;
}

/// Creates a WAL in the file of a released one. On failure removes the file and returns nullptr.
WalSet::WalRef WalSet::Reuse(Retired retired) {
  constexpr LogBlocks kBlocks{log::kBlockBytes, log::kHeaderBytes};
  const std::string old_path = LogFileName(context_->name, retired.number);
  leveldb::Status status = leveldb::Status::NotSupported(old_path);
  if (WantedMode() == LogFileMode::kWrite) {
    const uint64_t number = context_->NewFileNumber();
    const uint64_t failures_before = names_failures_.load(std::memory_order_acquire);
    const std::string path = LogFileName(context_->name, number);
    DescriptorRef descriptor;
    LogFile* raw = nullptr;
    status = leveldb::Status::IOError(old_path, "too many WALs are open");
    if (TakeDescriptor(&descriptor))
      status = context_->extension->ReuseLogFile(old_path, path, kBlocks, &raw);
    if (status.ok()) {
      names_made_.fetch_add(1, std::memory_order_acq_rel);
      auto wal =
          std::make_shared<Wal>(number, std::unique_ptr<LogFile>(raw), std::move(retired.ends));
      wal->capacity = CapacityBytes(LogFileMode::kWrite);
      wal->failures_before = failures_before;
      wal->descriptor = std::move(descriptor);
      return wal;
    }
    if (status.IsNotSupportedError()) {
      files_reusable_.store(false, std::memory_order_relaxed);
    } else {
      Log(context_->logger(), "Cannot reuse a WAL: %s", status.ToString().c_str());
      context_->RemoveFile(path);  // the rename can have happened nevertheless
    }
  }
  context_->RemoveFile(old_path);
  return nullptr;
}

bool WalSet::NeedsPrepare() {
  if (!retired_.empty()) return true;
  MutexLock lock(mutex_);
  return prepared_.size() < PreparedWanted() || (!prepared_.empty() && IsUnfit(prepared_.front()));
}

leveldb::Status WalSet::Prepare() {
  if (!NeedsPrepare()) return leveldb::Status::OK();
  DiscardUnfit();
  WalRef wal;
  leveldb::Status status;
  if (retired_.empty()) {
    status = Create(&wal, Purpose::kAhead);
  } else {
    Retired retired = std::move(retired_.front());
    retired_.pop_front();
    wal = Reuse(std::move(retired));
  }
  if (wal == nullptr) return status;
  if (clients_sync_.load(std::memory_order_relaxed)) {
    status = SyncNames();
    wal->has_name = status.ok() && !MayLackName(wal);
    if (!status.ok()) {
      Discard(std::move(wal));
      return status;
    }
  }
  MutexLock lock(mutex_);
  prepared_.push_back(std::move(wal));
  return status;
}

/// Makes the names of all WALs so far durable. Any thread. Returns at once if they are durable
/// already, even while another thread syncs newer names.
leveldb::Status WalSet::SyncNames() {
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
bool WalSet::MayLackName(const WalRef& wal) const {
  return !wal->has_name && wal->failures_before != names_failures_.load(std::memory_order_acquire);
}

/// Syncs the names of all WALs that the leading writer has to sync. Fails if a name might be lost.
leveldb::Status WalSet::NameUnsynced(const std::vector<WalRef>& older) {
  leveldb::Status status = SyncNames();
  const auto name = [&](const WalRef& wal) {
    if (status.ok() && MayLackName(wal)) {
      status = leveldb::Status::IOError(LogFileName(context_->name, wal->number),
                                        "its directory could not be synced since it was created");
    }
    wal->has_name = wal->has_name || status.ok();
  };
  const uint64_t released = released_below_.load(std::memory_order_acquire);
  for (const WalRef& wal : older) {
    if (wal->number >= released) name(wal);
  }
  name(current_);
  return status;
}

/// Returns the next prepared WAL, or nullptr. WALs are replayed in order of their numbers. So a WAL
/// that was prepared slowly is discarded if Switch has created a newer one meanwhile.
WalSet::WalRef WalSet::TakePrepared() {
  while (true) {
    WalRef next;
    {
      MutexLock lock(mutex_);
      const bool disk_low = disk_low_.load(std::memory_order_relaxed);
      if (prepared_.size() <= 1 && !disk_low) prepared_wanted_ = kPreparedMax;
      if (prepared_.size() <= (disk_low ? 1 : 0)) return nullptr;
      next = std::move(prepared_.front());
      prepared_.pop_front();
    }
    const bool is_next = current_ == nullptr || next->number > current_->number;
    if (is_next && !MayLackName(next)) return next;
    Discard(std::move(next));
  }
}

/// Writes the first record. On failure, removes the file before the next WAL is created: a replay
/// could treat the torn record as damage, and stop there.
leveldb::Status WalSet::Begin(const WalRef& wal, SequenceNumber first_sequence) {
  const leveldb::Status status = wal->writer.AddRecord(WalPreamble(first_sequence));
  if (status.ok()) return status;
  wal->writer.Close();
  unbegun_ = LogFileName(context_->name, wal->number);
  RemoveUnbegun();  // or later
  return status;
}

leveldb::Status WalSet::RemoveUnbegun() {
  if (unbegun_.empty()) return leveldb::Status::OK();
  const leveldb::Status status = context_->RemoveFile(unbegun_);
  if (!status.ok() && !status.IsNotFound()) return status;
  unbegun_.clear();
  names_made_.fetch_add(1, std::memory_order_acq_rel);
  return leveldb::Status::OK();
}

leveldb::Status WalSet::Restart(SequenceNumber first_sequence) {
  recovered_are_unsynced_ = older_are_unsynced_ = false;
  current_->has_unsynced = false;
  current_->has_failed = true;
  return Switch(first_sequence);
}

bool WalSet::CanTakeMore() const {
  if (current_ == nullptr || current_->has_failed || !current_->writer.status().ok()) return false;
  const uint64_t file_bytes_max =
      context_->extension == nullptr ? UINT64_MAX : context_->extension->FileBytesMax();
  return current_->writer.FileBytes() < file_bytes_max / 2;
}

leveldb::Status WalSet::Switch(SequenceNumber first_sequence, bool in_rest) {
  leveldb::Status status = RemoveUnbegun();
  WalRef next;
  if (status.ok() && !in_rest) next = TakePrepared();
  if (status.ok() && next == nullptr) status = Create(&next, Purpose::kNow);
  if (status.ok()) status = Begin(next, first_sequence);
  if (!status.ok()) return status;
  next->has_unsynced = true;
  current_capacity_.store(next->capacity, std::memory_order_relaxed);
  grow_at_bytes_ =
      next->capacity < next->capacity_max ? AskAt(next->capacity) : next->capacity.load();
  if (!in_rest) rests_.store(false, std::memory_order_relaxed);
  WalRef previous = std::exchange(current_, std::move(next));
  if (previous == nullptr) {
    MutexLock lock(mutex_);
    shared_current_ = current_;
    return status;
  }
  previous->ended_synced = !previous->has_unsynced && !previous->has_failed;
  clients_sync_.store(!previous->has_unsynced, std::memory_order_relaxed);
  last_wal_bytes_.store(previous->writer.FileBytes(), std::memory_order_relaxed);
  older_are_unsynced_ = older_are_unsynced_ || previous->has_unsynced;
  WalRef late;
  {
    MutexLock lock(mutex_);
    shared_current_ = current_;
    // The flush thread can be in a long sync, and the pages of many WALs would add up.
    if (OldestWithPages() != nullptr) {
      previous->has_pages = false;
      late = previous;
    }
    sealed_.push_back(std::move(previous));
  }
  if (late != nullptr && late->log != nullptr) late->log->DropPages(/*all=*/true);
  return status;
}

void WalSet::Adopt(std::vector<RecoveredWal> recovered) {
  recovered_are_unsynced_ = !recovered.empty();
  MutexLock lock(mutex_);
  recovered_ = std::move(recovered);
}

void WalSet::SealEnded() {
  const bool disk_low = disk_low_.load(std::memory_order_relaxed);
  if (!disk_low && !seals_all_.load(std::memory_order_relaxed)) return;
  const auto next = [this, disk_low]() LULL_REQUIRES(mutex_) -> WalRef {
    for (const WalRef& wal : sealed_) {
      // A file that can be recycled keeps its length while disk space lasts.
      const bool seals = wal->mode == LogFileMode::kMapped || disk_low;
      if (seals && !wal->is_sealed && !wal->is_busy && wal->log != nullptr) return wal;
    }
    return nullptr;
  };
  while (true) {
    WalRef wal;
    {
      MutexLock lock(mutex_);
      wal = next();
      if (wal == nullptr) return;
      wal->is_busy = wal->is_sealed = true;
    }
    wal->log->Seal();  // on an error the file keeps its length
    if (!wal->log->HoldsDescriptor()) wal->descriptor.reset();
    MutexLock lock(mutex_);
    wal->is_busy = false;
    not_busy_.NotifyAll();
  }
}

void WalSet::SetDiskLow(bool disk_low) {
  if (disk_low_.exchange(disk_low, std::memory_order_relaxed) == disk_low || !disk_low) return;
  DiscardPrepared(1);
}

void WalSet::ShrinkInRest() {
  size_t wanted = 0;
  {
    MutexLock lock(mutex_);
    rests_.store(true, std::memory_order_relaxed);
    wanted = PreparedWanted();
    if (prepared_.size() <= wanted && retired_.empty()) return;
  }
  DiscardPrepared(wanted);
}

bool WalSet::IsUnfit(const WalRef& wal) const {
  return wal->mode == LogFileMode::kMapped && WantedMode() == LogFileMode::kWrite;
}

void WalSet::DiscardUnfit() {
  std::vector<WalRef> unfit;
  {
    MutexLock lock(mutex_);
    while (!prepared_.empty() && IsUnfit(prepared_.front())) {
      unfit.push_back(std::move(prepared_.front()));
      prepared_.pop_front();
    }
  }
  for (WalRef& wal : unfit) Discard(std::move(wal));
}

bool WalSet::DiscardPrepared(size_t keep) {
  std::vector<WalRef> discarded;
  {
    MutexLock lock(mutex_);
    while (prepared_.size() > keep) {
      discarded.push_back(std::move(prepared_.back()));
      prepared_.pop_back();
    }
  }
  for (WalRef& wal : discarded) Discard(std::move(wal));
  const bool any = !discarded.empty() || !retired_.empty();
  RemoveRetired();
  return any;
}

void WalSet::Discard(WalRef unused) {
  const std::string path = LogFileName(context_->name, unused->number);
  unused->writer.Close();
  unused = nullptr;
  context_->RemoveFile(path);
}

void WalSet::RemoveRetired() {
  for (const Retired& retired : retired_)
    context_->RemoveFile(LogFileName(context_->name, retired.number));
  retired_.clear();
}

/// Returns sealed WALs with unsynced records. The flush thread ignores them until EndSyncOfOlder.
std::vector<WalSet::WalRef> WalSet::BeginSyncOfOlder() {
  std::vector<WalRef> wals;
  if (!older_are_unsynced_) return wals;
  const auto is_unsynced = [](const WalRef& wal) { return wal->has_unsynced; };
  const auto is_taken = [&](const WalRef& wal)
                            LULL_REQUIRES(mutex_) { return is_unsynced(wal) && wal->is_busy; };
  MutexLock lock(mutex_);
  while (std::any_of(sealed_.begin(), sealed_.end(), is_taken)) not_busy_.Wait(mutex_);
  std::copy_if(sealed_.begin(), sealed_.end(), std::back_inserter(wals), is_unsynced);
  for (const WalRef& wal : wals) wal->is_busy = true;
  return wals;
}

void WalSet::EndSyncOfOlder(std::vector<WalRef> wals) {
  if (wals.empty()) return;
  MutexLock lock(mutex_);
  for (const WalRef& wal : wals) wal->is_busy = false;
  wals.clear();  // before the flush thread releases them, so that its reference is the last
}

leveldb::Status WalSet::SyncOlder(const std::vector<WalRef>& wals) {
  for (const WalRef& wal : wals) {
    if (wal->number < released_below_.load(std::memory_order_acquire)) continue;
    leveldb::Status status = wal->writer.Sync();
    if (!status.ok()) return status;
    wal->has_unsynced = false;
  }
  older_are_unsynced_ = false;
  return leveldb::Status::OK();
}

/// The process that wrote them can have ended without a sync.
leveldb::Status WalSet::SyncRecovered() {
  std::vector<RecoveredWal> wals;
  {
    MutexLock lock(mutex_);
    wals = recovered_;
    recovered_are_busy_ = true;
  }
  leveldb::Status status;
  for (const RecoveredWal& wal : wals) {
    leveldb::WritableFile* raw = nullptr;
    status = context_->env()->NewAppendableFile(LogFileName(context_->name, wal.number), &raw);
    if (!status.ok()) break;
    const std::unique_ptr<leveldb::WritableFile> file(raw);
    status = file->Sync();
    if (status.ok()) status = file->Close();
    if (!status.ok()) break;
  }
  recovered_are_unsynced_ = !status.ok();
  MutexLock lock(mutex_);
  recovered_are_busy_ = false;
  return status;
}

leveldb::Status WalSet::Sync() {
  clients_sync_.store(true, std::memory_order_relaxed);
  std::vector<WalRef> older = BeginSyncOfOlder();
  leveldb::Status status = recovered_are_unsynced_ ? SyncRecovered() : leveldb::Status::OK();
  if (status.ok()) status = NameUnsynced(older);
  if (status.ok() && !older.empty()) status = SyncOlder(older);
  EndSyncOfOlder(std::move(older));
  if (status.ok()) status = current_->writer.Sync();
  if (status.ok()) current_->has_unsynced = false;
  return status;
}

std::vector<std::string> WalSet::Release(uint64_t number) {
  released_below_.store(number, std::memory_order_release);
  std::vector<WalRef> released;
  std::vector<std::string> paths;
  size_t room = 0;  // how many more can be ready or wait for reuse
  {
    MutexLock lock(mutex_);
    std::erase_if(recovered_, [&](const RecoveredWal& wal) LULL_REQUIRES(mutex_) {
      if (wal.number >= number || recovered_are_busy_) return false;
      paths.push_back(LogFileName(context_->name, wal.number));
      return true;
    });
    const size_t limit = 2 * PreparedWanted();
    room = limit - std::min(limit, prepared_.size());
    std::erase_if(sealed_, [&](const WalRef& wal) LULL_REQUIRES(mutex_) {
      if (wal->number >= number || wal->is_busy) return false;
      released.push_back(wal);
      return true;
    });
  }
  for (WalRef& wal : released) {
    if (retired_.size() < room && IsWorthReusing(wal)) {
      retired_.push_back({wal->number, wal->writer.TakeEnds()});
    } else {
      paths.push_back(LogFileName(context_->name, wal->number));
    }
    wal.reset();  // the last reference: closes the file
  }
  return paths;
}

WalSet::Numbers WalSet::ListNumbers() {
  Numbers numbers;
  MutexLock lock(mutex_);
  for (const RecoveredWal& wal : recovered_) numbers.in_use.push_back(wal.number);
  for (const WalRef& wal : sealed_) numbers.in_use.push_back(wal->number);
  if (shared_current_ != nullptr) numbers.in_use.push_back(shared_current_->number);
  for (const WalRef& wal : prepared_) numbers.prepared.push_back(wal->number);
  return numbers;
}

uint64_t WalSet::FileBytes() {
  const uint64_t full = memtable_bytes_.load(std::memory_order_relaxed);
  uint64_t bytes = 0;
  MutexLock lock(mutex_);
  // A WAL without preallocated space can grow to the size of its memtable.
  const auto add = [&](const WalRef& wal) {
    const uint64_t capacity = wal->capacity;
    bytes += capacity > 0 ? capacity : full;
  };
  for (const RecoveredWal& wal : recovered_) bytes += wal.file_bytes;
  for (const WalRef& wal : sealed_) add(wal);
  for (const WalRef& wal : prepared_) add(wal);
  if (shared_current_ != nullptr) add(shared_current_);
  return bytes;
}

bool WalSet::HasUnreleased() {
  const uint64_t released_below = released_below_.load(std::memory_order_relaxed);
  MutexLock lock(mutex_);
  return (!sealed_.empty() && sealed_.front()->number < released_below) ||
         (!recovered_.empty() && recovered_.front().number < released_below);
}

void WalSet::Close() {
  MutexLock lock(mutex_);
  for (WalRef& unused : prepared_) Discard(std::move(unused));
  prepared_.clear();
  RemoveRetired();
  for (const WalRef& wal : sealed_) wal->writer.Close();
  if (current_ != nullptr) current_->writer.Close();
  sealed_.clear();
  current_ = shared_current_ = nullptr;
}

}  // namespace lull
