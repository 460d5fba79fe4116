// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// For macOS, the BSDs and any other POSIX system. Without preallocated files, logs are written with
// write(2) and never mapped. Without an idle class, background threads compete with the program's;
// the scheduler's slices and pauses are what remains.
#include <pthread.h>
#include <unistd.h>
#if defined(__APPLE__)
#include <fcntl.h>
#endif

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <functional>
#include <mutex>

#include "util/fork.h"
#include "util/os.h"
#include "util/posix/file_os.h"

namespace lull::os {

// ---- files

int SyncData(int fd) {
#if defined(__APPLE__)
  // fsync leaves the data in the device's volatile cache. Some file systems lack this call.
  const int error = Uninterrupted([fd] { return fcntl(fd, F_FULLFSYNC); });
  if (error != ENOTSUP && error != ENOTTY && error != EINVAL) return error;
#endif
  return Uninterrupted([fd] { return fsync(fd); });
}

/// With its barrier too: the device could otherwise write the removal of an old MANIFEST before the
/// CURRENT that no longer names it.
int SyncNames(int fd) { return SyncData(fd); }

int Allocate(int, uint64_t) { return EOPNOTSUPP; }
int WriteBack(int, uint64_t, uint64_t, Writeback) { return 0; }
void Advise(int, FileUse, uint64_t, uint64_t) {}
const int kOpenWithoutAccessTime = 0;
#if defined(__APPLE__) && defined(F_OFD_SETLK)
const int kSetOpenFileLock = F_OFD_SETLK;
#else
const int kSetOpenFileLock = 0;
#endif
int64_t OpenFileLockHolder(int) { return 0; }
bool KeepsAllocations(int) { return false; }
bool OverwritesInPlace(int) { return false; }
bool OwnsReservedBlocks() { return geteuid() == 0; }

// ---- memory

int FaultIn(void*, size_t) { return EINVAL; }
void DropPages(void*, size_t) {}

// ---- the calling thread

void NameThread(const char*) {}

uint64_t ThreadId() {
  static std::atomic<uint64_t> next{1};
  thread_local const uint64_t id = next.fetch_add(1, std::memory_order_relaxed);
  return id;
}

void EnterIdleClass() {}
bool IsInIdleClass() { return false; }
void ShortenSlices() {}

// ---- waiting

namespace {

/// Words share condition variables, by their address. WakeAll takes the mutex, so it cannot come
/// between a waiter's look at the word and its wait.
struct Bucket {
  std::mutex mutex;
  std::condition_variable changed;
};

Bucket& BucketOf(const std::atomic<uint32_t>* word) {
  static constinit PerProcess<std::array<Bucket, 16>> buckets;
  std::array<Bucket, 16>& all = buckets.Get();
  return all[std::hash<const void*>()(word) / alignof(std::max_align_t) % all.size()];
}

}  // namespace

bool WaitWhile(const std::atomic<uint32_t>* word, uint32_t value, uint64_t nanos) {
  Bucket& bucket = BucketOf(word);
  std::unique_lock<std::mutex> lock(bucket.mutex);
  if (word->load(std::memory_order_seq_cst) != value) return true;
  constexpr uint64_t kHourNanos = 3'600'000'000'000;  // more would overflow the time of the end
  const std::chrono::nanoseconds limit(std::min(nanos, kHourNanos));
  return bucket.changed.wait_for(lock, limit) == std::cv_status::no_timeout || nanos > kHourNanos;
}

void WakeAll(const std::atomic<uint32_t>* word) {
  Bucket& bucket = BucketOf(word);
  { const std::lock_guard<std::mutex> lock(bucket.mutex); }
  bucket.changed.notify_all();
}

// ---- the process and the machine

const char* Environment(const char* name) {
  const bool has_other_rights = getuid() != geteuid() || getgid() != getegid();
  return has_other_rights ? nullptr : std::getenv(name);
}

int CoreCount() { return std::max(static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)), 1); }

bool HasArmCrc32c() {
#if defined(__aarch64__) && defined(__APPLE__)
  return true;  // each of their processors
#else
  return false;
#endif
}

}  // namespace lull::os
