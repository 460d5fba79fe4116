// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include <dirent.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/magic.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>
#if defined(__aarch64__)
#include <sys/auxv.h>
#endif

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <memory>
#include <string>

#include "util/os.h"
#include "util/posix/file_os.h"
#include "util/posix/sched_attributes.h"

namespace lull::os {
namespace {

/// Calls `is_it` with each name in the directory until it returns true.
template <class IsIt>
bool FindIn(const std::string& directory, IsIt is_it) {
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(opendir(directory.c_str()), &closedir);
  const dirent* entry = nullptr;
  while (stream != nullptr && (entry = readdir(stream.get())) != nullptr) {
    if (is_it(std::string(entry->d_name))) return true;
  }
  return false;
}

bool IsOneOf(int fd, std::initializer_list<long> file_systems) {
  struct statfs info;
  return fstatfs(fd, &info) == 0 && std::find(file_systems.begin(), file_systems.end(),
                                              static_cast<long>(info.f_type)) != file_systems.end();
}

}  // namespace

// ---- files

int SyncData(int fd) {
  return Uninterrupted([&] { return fdatasync(fd); });
}

int SyncNames(int fd) {
  return Uninterrupted([&] { return fsync(fd); });
}

int Allocate(int fd, uint64_t bytes) {
  return Uninterrupted([&] { return fallocate(fd, 0, 0, static_cast<off_t>(bytes)); });
}

int WriteBack(int fd, uint64_t begin, uint64_t end, Writeback writeback) {
  unsigned flags = 0;
  if (writeback != Writeback::kFinish) flags |= SYNC_FILE_RANGE_WRITE;
  if (writeback == Writeback::kFinish) flags |= SYNC_FILE_RANGE_WAIT_BEFORE;
  if (writeback == Writeback::kBeginAndFinish) flags |= SYNC_FILE_RANGE_WAIT_AFTER;
  const int failed =
      sync_file_range(fd, static_cast<off_t>(begin), static_cast<off_t>(end - begin), flags);
  const bool lost = failed != 0 && (errno == EIO || errno == ENOSPC || errno == EDQUOT);
  return lost ? errno : 0;
}

void Advise(int fd, FileUse use, uint64_t offset, uint64_t bytes) {
  constexpr int kAdvice[] = {POSIX_FADV_SEQUENTIAL, POSIX_FADV_WILLNEED, POSIX_FADV_DONTNEED};
  posix_fadvise(fd, static_cast<off_t>(offset), static_cast<off_t>(bytes),
                kAdvice[static_cast<size_t>(use)]);
}

const int kOpenWithoutAccessTime = O_NOATIME;
const int kSetOpenFileLock = F_OFD_SETLK;

/// /proc/locks has -1 in place of the process. But each descriptor's fdinfo lists its locks. A stat
/// comes after it, since it follows the descriptor to its file, and can hang: on a dead network
/// file system for ever.
int64_t OpenFileLockHolder(int fd) {
  struct stat wanted;
  if (fstat(fd, &wanted) != 0) return 0;
  int64_t holder = 0;
  FindIn("/proc", [&](const std::string& process) {
    if (process.find_first_not_of("0123456789") != process.npos) return false;
    const std::string files = "/proc/" + process + "/fd/";
    const bool has_lock = FindIn(files, [&](const std::string& name) {
      std::ifstream fdinfo("/proc/" + process + "/fdinfo/" + name);
      bool is_locked = false;
      for (std::string line; !is_locked && std::getline(fdinfo, line);)
        is_locked = line.find("OFDLCK") != line.npos;
      struct stat info;
      return is_locked && stat((files + name).c_str(), &info) == 0 &&
             info.st_dev == wanted.st_dev && info.st_ino == wanted.st_ino;
    });
    if (has_lock) holder = std::atoll(process.c_str());
    return has_lock;
  });
  return holder;
}

/// On XFS, a copy of the file (by cp, for example) can share its blocks; each store then allocates
/// a new block.
bool KeepsAllocations(int fd) { return IsOneOf(fd, {EXT4_SUPER_MAGIC, TMPFS_MAGIC}); }

/// Copy-on-write file systems cannot.
bool OverwritesInPlace(int fd) {
  return IsOneOf(fd, {EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC, TMPFS_MAGIC});
}

/// Root of a container can be an ordinary user outside. The first user namespace has this inode.
bool OwnsReservedBlocks() {
  constexpr ino_t kFirstNamespace = 0xEFFFFFFD;
  struct stat info;
  return geteuid() == 0 && stat("/proc/self/ns/user", &info) == 0 && info.st_ino == kFirstNamespace;
}

// ---- memory

int FaultIn(void* start, size_t bytes) {
  constexpr int kPopulateWrite = 23;  // MADV_POPULATE_WRITE (Linux 5.14); older headers lack it
  return Uninterrupted([&] { return madvise(start, bytes, kPopulateWrite); });
}

void DropPages(void* start, size_t bytes) { madvise(start, bytes, MADV_DONTNEED); }

// ---- the calling thread

void NameThread(const char* name) { pthread_setname_np(pthread_self(), name); }

uint64_t ThreadId() { return static_cast<uint64_t>(syscall(SYS_gettid)); }

void EnterIdleClass() {
  const sched_param no_priority = {};
  sched_setscheduler(0, SCHED_IDLE, &no_priority);  // 0 is the calling thread
}

bool IsInIdleClass() { return sched_getscheduler(0) == SCHED_IDLE; }

/// Kernels before 6.12 ignore the request.
void ShortenSlices() {
  constexpr uint64_t kSliceNanos = 100'000;  // the kernel's minimum
  SchedAttributes attributes = {};
  if (!GetSchedAttributes(&attributes)) return;
  if (attributes.policy != SCHED_OTHER && attributes.policy != SCHED_BATCH) return;
  attributes.slice_nanos = kSliceNanos;
  SetSchedAttributes(attributes);
}

// ---- waiting

static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t), "a futex is 4 bytes");

/// The kernel compares the word with the value atomically, so a change before the call makes it
/// return at once.
bool WaitWhile(const std::atomic<uint32_t>* word, uint32_t value, uint64_t nanos) {
  // Seconds and nanoseconds. The call takes no timespec where time_t is wider than long.
  const long limit[] = {static_cast<long>(std::min<uint64_t>(nanos / 1'000'000'000, INT_MAX)),
                        static_cast<long>(nanos % 1'000'000'000)};
  const long* const until = nanos == UINT64_MAX ? nullptr : limit;
  return syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, until, nullptr, 0) == 0 ||
         errno != ETIMEDOUT;
}

void WakeAll(const std::atomic<uint32_t>* word) {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

// ---- the process and the machine

const char* Environment(const char* name) { return secure_getenv(name); }

int CoreCount() {
  cpu_set_t usable;
  if (sched_getaffinity(0, sizeof(usable), &usable) != 0) return 1;
  return std::max(CPU_COUNT(&usable), 1);
}

bool HasArmCrc32c() {
#if defined(__aarch64__)
  constexpr unsigned long kCapability = 1ul << 7;  // HWCAP_CRC32
  return (getauxval(AT_HWCAP) & kCapability) != 0;
#else
  return false;
#endif
}

}  // namespace lull::os
