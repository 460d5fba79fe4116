// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Log files. New ones are preallocated and written with write(2) or through a shared mapping.
// Recycled ones are overwritten.

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <optional>
#include <span>

#include "leveldb/slice.h"
#include "util/clock.h"
#include "util/mutex.h"
#include "util/os.h"
#include "util/owned_counter.h"
#include "util/posix/file.h"
#include "util/posix/file_os.h"
#include "util/thread.h"

namespace lull::posix {
namespace {

using leveldb::Slice;
using leveldb::Status;

/// A writable mapping of a file, which can be longer than the file; its destructor unmaps it.
class Mapping {
 public:
  /// Returns nullopt if the system refuses.
  static std::optional<Mapping> Make(int fd, size_t bytes) {
    void* const start = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (start == MAP_FAILED) return std::nullopt;
    return Mapping({static_cast<char*>(start), bytes});
  }
  Mapping(Mapping&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  Mapping& operator=(Mapping&&) = delete;
  ~Mapping() {
    if (!bytes_.empty()) munmap(bytes_.data(), bytes_.size());
  }

  std::span<char> bytes() const { return bytes_; }

  /// Faults in the pages of [begin, end), writable. (After the kernel writes a page out, the next
  /// store to it faults once.) Returns false if a store would fail. REQUIRES: a page begins at
  /// `begin`.
  bool FaultIn(size_t begin, size_t end) const {
    constexpr size_t kPieceBytes = 256 << 10;  // a thread can wait for this core meanwhile
    int error = 0;
    while (begin < end && error == 0) {
      const size_t bytes = std::min(end - begin, kPieceBytes);
      error = os::FaultIn(bytes_.data() + begin, bytes);
      if (error == 0) begin += bytes;
      OfferCore();
    }
    if (error == 0) return true;
    if (error != EINVAL) return false;  // supported, but failed: a store would have failed too
    const auto page_bytes = os::PageBytes();
    // Atomic: another thread can append meanwhile.
    for (size_t at = begin; at < end; at += page_bytes)
      std::atomic_ref<char>(bytes_[at]).fetch_or(0, std::memory_order_relaxed);
    return true;
  }

  /// Removes the pages of the first `bytes` bytes from the address space. They stay in the page
  /// cache, dirty if they were.
  void Drop(size_t bytes) const {
    if (bytes > 0) os::DropPages(bytes_.data(), bytes);
  }

 private:
  explicit Mapping(std::span<char> bytes) : bytes_(bytes) {}

  std::span<char> bytes_;
};

/// Closes a log whose last append ended at `end`; truncates it there unless it has failed.
Status CloseAt(uint64_t end, const std::string& name, Status failure, UniqueFd* fd) {
  if (failure.ok() && ftruncate(fd->get(), static_cast<off_t>(end)) != 0)
    failure = Error(name, errno);
  const int error = fd->Close();
  return failure.ok() && error != 0 ? Error(name, error) : failure;
}

/// A log whose appends are plain stores. Stored bytes are in the page cache at once, so they
/// survive a crash of the process without any call. fdatasync writes dirty pages of a shared
/// mapping like those of write(2).
///
/// An append inside the mapping appears atomically to readers, even if the process is killed in the
/// middle. Its first bytes are zero before, and are stored last. So a reader finds either a record
/// header with the complete record, or the zeros that end a log.
class MappedLogFile final : public LogFile {
 public:
  MappedLogFile(const std::string& name, UniqueFd fd, Mapping mapping)
      : name_(name),
        fd_(std::move(fd)),
        mapping_(std::move(mapping)),
        ready_(mapping_->bytes().size()) {}

  Status Append(const Slice& data) override {
    if (!failure_.ok()) return failure_;
    if (mapping_ && written_ == 0 && !Load()) failure_ = LeaveMapping();
    if (!failure_.ok()) return failure_;
    if (mapping_) {
      if (data.size() <= ready_.load(std::memory_order_acquire) - written_) {
        StoreHeadLast(mapping_->bytes().data() + written_, data);
        written_ += data.size();
        return Status::OK();
      }
      failure_ = LeaveMapping();
      if (!failure_.ok()) return failure_;
    }
    iovec pieces[] = {{const_cast<char*>(data.data()), data.size()}};
    failure_ = WriteAll(fd_.get(), name_, pieces);
    if (failure_.ok()) written_ += data.size();
    return failure_;
  }

  Status Flush() override { return failure_; }

  /// The mapping works without fd_: it keeps the file open and msync reports its writeback errors.
  Status Seal() override {
    if (!failure_.ok() || !mapping_ || !fd_.is_open()) return failure_;
    if (ftruncate(fd_.get(), static_cast<off_t>(written_)) != 0) return Error(name_, errno);
    fd_.Close();
    return failure_;
  }
  bool HoldsDescriptor() const override { return fd_.is_open(); }

  /// A client that syncs once will sync again. A store into a mapping marks a whole folio dirty, up
  /// to a megabyte, and each sync would write all of it. So the first sync switches to write(2).
  Status Sync() override {
    if (!failure_.ok()) return failure_;
    if (!fd_.is_open()) return SyncMapping();
    const bool was_mapped = mapping_.has_value();
    if (was_mapped) failure_ = LeaveMapping();
    if (failure_.ok()) failure_ = SyncData(fd_.get(), name_);
    // The page cache still holds the large folio. Drop it, or each append would dirty, and each
    // sync write, all of it.
    if (was_mapped && failure_.ok()) os::Advise(fd_.get(), os::FileUse::kNoLonger);
    return failure_;
  }

  Status Close() override {
    Unmap();
    return fd_.is_open() ? CloseAt(written_, name_, failure_, &fd_) : failure_;  // sealed
  }

  void CountMemory(MemoryCounter* counter) override {
    MutexLock lock(pages_mutex_);
    charge_ = MemoryCharge(counter, charge_.bytes());
  }

  void Reserve(uint64_t bytes_max) override {
    MutexLock lock(pages_mutex_);
    if (!mapping_ || bytes_max <= mapping_->bytes().size()) return;
    std::optional<Mapping> larger = Mapping::Make(fd_.get(), static_cast<size_t>(bytes_max));
    if (larger) mapping_.emplace(*std::move(larger));
  }

  Status Grow(uint64_t bytes) override;

  void LoadPages() override { Load(); }

  void DropPages(bool all) override {
    MutexLock lock(pages_mutex_);
    if (!mapping_) return;
    const size_t page_bytes = os::PageBytes();
    const size_t ready = ready_.load(std::memory_order_relaxed);
    const size_t dropped = all ? ready : written_ / page_bytes * page_bytes;
    mapping_->Drop(dropped);
    charge_.Set(std::min<uint64_t>(charge_.bytes(), ready - dropped));
  }

 private:
  static void StoreHeadLast(char* out, Slice data) {
    // Skip leading zeros, which pad the end of a block before a record: the file already has them.
    while (!data.empty() && data[0] == 0) {
      data.remove_prefix(1);
      ++out;
    }
    constexpr size_t kHeadBytes =
        sizeof(uint64_t);  // one store; a log record's header has seven bytes
    if (data.size() < kHeadBytes) {
      std::memcpy(out, data.data(), data.size());
      return;
    }
    std::memcpy(out + kHeadBytes, data.data() + kHeadBytes, data.size() - kHeadBytes);
    std::atomic_thread_fence(std::memory_order_release);
    std::memcpy(out, data.data(), kHeadBytes);
  }

  /// REQUIRES: sealed.
  Status SyncMapping() {
    if (msync(mapping_->bytes().data(), written_, MS_SYNC) != 0) failure_ = Error(name_, errno);
    return failure_;
  }

  /// Switches to write(2) for all later appends. Truncates the zeros after the last append.
  Status LeaveMapping() {
    Unmap();
    const auto end = static_cast<off_t>(written_);
    if (ftruncate(fd_.get(), end) != 0 || lseek(fd_.get(), end, SEEK_SET) != end)
      return Error(name_, errno);
    return Status::OK();
  }

  void Unmap() {
    MutexLock lock(pages_mutex_);
    mapping_.reset();
    charge_.Set(0);
  }

  /// Returns false if a store would fail.
  bool Load() {
    MutexLock lock(pages_mutex_);
    // A log that has records was loaded before the first one.
    if (!mapping_ || written_ > 0 || charge_.bytes() > 0) return true;
    const size_t ready = ready_.load(std::memory_order_relaxed);
    if (!mapping_->FaultIn(0, ready)) return false;
    charge_.Set(ready);
    return true;
  }

  const std::string name_;
  UniqueFd fd_;
  OwnedCounter written_;  // added to by Append
  Status failure_;
  Mutex pages_mutex_;
  // The thread that appends reads it without the mutex, and unmaps with it: other threads load and
  // drop pages meanwhile.
  std::optional<Mapping> mapping_;
  std::atomic<size_t> ready_;  // bytes of the mapping that the file has; stored with the mutex
  MemoryCharge charge_ LULL_GUARDED_BY(pages_mutex_);  // of the loaded pages
};

/// A log in a recycled file; see EnvExtension::ReuseLogFile. Unbuffered: an append is a fragment of
/// a record, rarely a small one in stores whose clients sync.
class RecycledLogFile final : public LogFile {
 public:
  RecycledLogFile(const std::string& name, UniqueFd fd, const LogBlocks& blocks)
      : name_(name), fd_(std::move(fd)), blocks_(blocks) {}

  Status Append(const Slice& data) override {
    if (!failure_.ok()) return failure_;
    const std::string_view mark = blocks_.MarkAt(written_ + data.size());
    iovec pieces[] = {{const_cast<char*>(data.data()), data.size()},
                      {const_cast<char*>(mark.data()), mark.size()}};
    failure_ = WriteAllAt(fd_.get(), name_, written_, pieces);
    if (failure_.ok()) written_ += data.size();
    return failure_;
  }

  Status Flush() override { return failure_; }

  Status Sync() override {
    if (failure_.ok()) failure_ = SyncData(fd_.get(), name_);
    return failure_;
  }

  Status Close() override { return CloseAt(written_, name_, failure_, &fd_); }

 private:
  const std::string name_;
  UniqueFd fd_;
  const LogBlocks blocks_;
  uint64_t written_ = 0;  // without the mark that follows
  Status failure_;
};

/// Preallocates the first `bytes` of the file. If the file system cannot, sets *allocated to false
/// and returns OK.
Status Preallocate(int fd, const std::string& name, uint64_t bytes, bool* allocated) {
  *allocated = false;
  if (bytes == 0 || bytes > FileBytesMax()) return Status::OK();
  const int error = os::Allocate(fd, bytes);
  *allocated = error == 0;
  return error == ENOSPC || error == EDQUOT ? Error(name, error) : Status::OK();
}

Status WriteBackAndWait(int fd, const std::string& name, uint64_t begin, uint64_t end) {
  const int error = os::WriteBack(fd, begin, end, os::Writeback::kBeginAndFinish);
  return error != 0 ? Error(name, error) : Status::OK();
}

/// Fills [begin, end) of the file with zeros. Does not move its position.
///
/// For a mapping: large writes make the page cache use large folios. Faulting those in costs a
/// seventh of faulting in the pages of a hole one by one.
///
/// For syncs: makes the zeros durable. Only blocks that were written before can be overwritten
/// without a metadata change, so that a sync needs no journal commit. Writes small pieces and waits
/// for each, so that a client's sync waits for at most one. Pauses between pieces, because
/// otherwise a rate-limited device has no rate left for that sync. (Without pauses, under a limit
/// of 100 MB/s, the first two logs of a store made a client wait for 70 ms.)
Status WriteZeros(int fd, const std::string& name, uint64_t begin, uint64_t end, LogFileMode mode) {
  constexpr uint64_t kPausesNanos = 50'000'000;  // per log: it must be ready in time
  static char zeros[1 << 20];
  const bool to_sync = mode == LogFileMode::kWrite;
  const uint64_t piece_bytes = to_sync ? sizeof(zeros) / 8 : sizeof(zeros);
  const uint64_t pause_nanos = kPausesNanos / ((end - begin) / piece_bytes + 1);
  for (uint64_t at = begin; at < end; at += piece_bytes) {
    const uint64_t length = std::min(end - at, piece_bytes);
    iovec pieces[] = {{zeros, static_cast<size_t>(length)}};
    if (Status s = WriteAllAt(fd, name, at, pieces); !s.ok()) return s;
    if (to_sync) {
      if (Status s = WriteBackAndWait(fd, name, at, at + length); !s.ok()) return s;
      Clock::System()->SleepForNanos(pause_nanos);
    } else {
      OfferCore();
    }
  }
  return to_sync ? SyncData(fd, name) : Status::OK();
}

Status MappedLogFile::Grow(uint64_t bytes) {
  MutexLock lock(pages_mutex_);
  if (!mapping_ || !fd_.is_open()) return Status::NotSupported(name_, "is not mapped");
  const size_t ready = ready_.load(std::memory_order_relaxed);
  const size_t page_bytes = os::PageBytes();
  const size_t wanted = std::min<size_t>((bytes + page_bytes - 1) / page_bytes * page_bytes,
                                         mapping_->bytes().size());
  if (wanted <= ready) return Status::OK();
  // Otherwise a signal can end the process.
  if (wanted > FileBytesMax()) return Error(name_, EFBIG);
  if (const int error = os::Allocate(fd_.get(), wanted); error != 0) return Error(name_, error);
  if (Status s = WriteZeros(fd_.get(), name_, ready, wanted, LogFileMode::kMapped); !s.ok())
    return s;
  // The page with the old end can be in the part that has records.
  const size_t begin = ready / page_bytes * page_bytes;
  if (written_ > 0 || charge_.bytes() > 0) {
    if (!mapping_->FaultIn(begin, wanted))
      return Status::IOError(name_, "its new part cannot be loaded");
    charge_.Set(charge_.bytes() + wanted - ready);
  }
  ready_.store(wanted, std::memory_order_release);
  return Status::OK();
}

/// Durably makes a file of `file_bytes` read as an empty log that ends with a mark. Like
/// WriteZeros, waits at intervals, so that a client's sync never waits long.
Status MarkBlocks(int fd, const std::string& name, uint64_t file_bytes, const LogBlocks& blocks) {
  constexpr uint64_t kBlocksAtOnce = 32;
  std::string mark(blocks.block_bytes, '\0');  // of the first block
  uint64_t marked = 0;
  uint64_t waited_for_bytes = 0;
  uint64_t marked_bytes = 0;
  for (uint64_t at = 0; marked_bytes < file_bytes; at += blocks.block_bytes) {
    iovec pieces[] = {{mark.data(), mark.size()}};
    if (Status s = WriteAllAt(fd, name, at, pieces); !s.ok()) return s;
    marked_bytes = at + mark.size();
    mark = blocks.mark;
    if (++marked % kBlocksAtOnce != 0) continue;
    const uint64_t end = at + blocks.block_bytes;
    if (Status s = WriteBackAndWait(fd, name, waited_for_bytes, end); !s.ok()) return s;
    waited_for_bytes = end;
  }
  return SyncData(fd, name);
}

}  // namespace

Status CreateLogFile(const Path& path, uint64_t capacity_bytes, LogFileMode mode,
                     LogFile** result) {
  // Small appends are buffered until Flush. From this size on, writing directly is cheaper than
  // copying.
  constexpr size_t kDirectBytes = 4 << 10;
  *result = nullptr;
  UniqueFd fd;
  if (Status s = Open(path, O_RDWR | O_CREAT | O_TRUNC, &fd); !s.ok()) return s;
  const std::string& name = path.name();
  bool allocated;
  if (Status s = Preallocate(fd.get(), name, capacity_bytes, &allocated); !s.ok()) {
    unlinkat(path.dir(), path.in_dir(), 0);  // frees what it did allocate
    return s;
  }
  const bool maps = mode == LogFileMode::kMapped && allocated && os::KeepsAllocations(fd.get());
  const bool syncs = mode == LogFileMode::kWrite && allocated && os::OverwritesInPlace(fd.get());
  if (maps || syncs) {
    if (Status s = WriteZeros(fd.get(), name, 0, capacity_bytes, mode); !s.ok()) {
      unlinkat(path.dir(), path.in_dir(), 0);
      return s;
    }
  }
  if (maps) {
    if (std::optional<Mapping> mapping = Mapping::Make(fd.get(), capacity_bytes)) {
      *result = new MappedLogFile(name, std::move(fd), *std::move(mapping));
      return Status::OK();
    }
  }
  *result = MakeWritable(path, std::move(fd), {.direct_bytes = kDirectBytes, .trims = allocated})
                .release();
  return Status::OK();
}

Status RecycleLogFile(const Path& from, const Path& to, const LogBlocks& blocks, LogFile** result) {
  *result = nullptr;
  UniqueFd fd;
  if (Status s = Open(from, O_WRONLY, &fd); !s.ok()) return s;
  const std::string& old_name = from.name();
  struct stat info;
  if (fstat(fd.get(), &info) != 0) return Error(old_name, errno);
  if (!os::KeepsAllocations(fd.get()))
    return Status::NotSupported(old_name, "cannot be overwritten in place");
  if (info.st_nlink != 1)
    return Status::IOError(old_name, "cannot be recycled: it has another hard link");
  const auto file_bytes = static_cast<uint64_t>(info.st_size);
  // Read the file ahead, so that an append that overwrites part of a page does not wait for a read.
  os::Advise(fd.get(), os::FileUse::kSoon);
  if (Status s = MarkBlocks(fd.get(), old_name, file_bytes, blocks); !s.ok()) return s;
  if (renameat(from.dir(), from.in_dir(), to.dir(), to.in_dir()) != 0)
    return Error(old_name, errno);
  *result = new RecycledLogFile(to.name(), std::move(fd), blocks);
  return Status::OK();
}

}  // namespace lull::posix
