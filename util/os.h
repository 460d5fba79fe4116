// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// What Lull asks of the operating system beyond POSIX. os/linux.cc uses what Linux has. os/posix.cc
// does the same with POSIX alone, or nothing where only speed is lost. The build compiles one of
// them (LULL_GENERIC_POSIX), and no other file of the library depends on the operating system.
//
// All functions can be called from any thread. None is interrupted by signals.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace lull::os {

// ---- files; int: 0 or errno

/// Makes the file's data durable, with the metadata needed to read it.
int SyncData(int fd);

/// Allocates the first `bytes` of an empty file. EOPNOTSUPP if the system or file system cannot.
int Allocate(int fd, uint64_t bytes);

enum class Writeback { kBegin, kFinish, kBeginAndFinish };
/// Writes the pages from `begin` to `end` to the device, without making them durable. 0 if the
/// system cannot. But a device error must be returned: the kernel reports each one only once, so
/// the next sync would not report it.
int WriteBack(int fd, uint64_t begin, uint64_t end, Writeback writeback);

enum class FileUse { kSequential, kSoon, kNoLonger };
/// A hint about how the program will use the file's pages.
void Advise(int fd, FileUse use);

/// A flag for open(2) that saves updates of the access time. Only the file's owner can use it. 0 if
/// the system has no such flag.
extern const int kOpenWithoutAccessTime;

/// True if allocated space stays allocated. Otherwise a store into a mapping could fail for lack of
/// space and kill the process.
bool KeepsAllocations(int fd);
/// True if an overwrite changes no metadata.
bool OverwritesInPlace(int fd);

// ---- memory

/// Faults in all pages, writable, which is faster than one fault per page. 0 or errno; EINVAL if
/// the system cannot.
int FaultIn(void* start, size_t bytes);
/// Gives the pages back, if the system can. The contents of private memory can be lost.
void DropPages(void* start, size_t bytes);
/// Returns the free pages of the heap to the system, if it can. free() returns only memory at the
/// end of an arena: after many compactions, the heap can keep tens of megabytes. Takes about a
/// millisecond, during which threads that share an arena wait for malloc.
void ReturnFreeHeap();

// ---- the calling thread

/// Names it, for debuggers; at most 15 characters.
void NameThread(const char* name);
uint64_t ThreadId();
/// From now on it runs only on otherwise idle cores, if the system has such a class. It cannot
/// leave the class.
void EnterIdleClass();
bool IsInIdleClass();
/// Gives it short time slices, if the system can, so that a client's thread that wakes soon gets
/// the core.
void ShortenSlices();

// ---- waiting

/// Waits while *word is `value`, for at most `nanos`. Can return earlier. If *word changes before a
/// call of WakeAll, the wait ends.
void WaitWhile(const std::atomic<uint32_t>* word, uint32_t value, uint64_t nanos);
void WakeAll(const std::atomic<uint32_t>* word);

// ---- the machine

/// Number of cores that this process can use; at least 1.
int CoreCount();
/// Whether this is a 64-bit Arm processor with instructions for CRC-32C.
bool HasArmCrc32c();

}  // namespace lull::os
