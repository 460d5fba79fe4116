// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// What Lull asks of the operating system, apart from files, which Env::Default() gives it. The
// build compiles one implementation: posix/os_linux.cc or, with POSIX alone (LULL_GENERIC_POSIX),
// posix/os_generic.cc, each with posix/os_common.cc; or windows/os.cc. They do nothing where a
// system lacks something that only adds speed. No file outside util/posix and util/windows depends
// on the system.
//
// All functions can be called from any thread. None is interrupted by signals.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <functional>
#include <string>

namespace lull::os {

// ---- memory

size_t PageBytes();
/// New private pages, zeroed; nullptr if the system has none left. Only used pages take up memory.
char* MapMemory(size_t bytes);
void UnmapMemory(char* start, size_t bytes);
/// Faults in all pages, writable, which is faster than one fault per page. 0 or errno; EINVAL if
/// the system cannot.
int FaultIn(void* start, size_t bytes);
/// Gives the pages back, if the system can. The contents of private memory can be lost.
void DropPages(void* start, size_t bytes);

// ---- the calling thread

/// Names it, for debuggers; at most 15 characters.
void NameThread(const char* name);
uint64_t ThreadId();
/// From now on it runs only on otherwise idle cores, if the system has such a class. It cannot
/// leave the class.
void EnterIdleClass();
bool IsInIdleClass();
/// Calls `call` while the thread blocks all signals, except those that a thread causes itself and
/// those that profilers send. A thread that is started meanwhile blocks them for ever, so that the
/// program's handlers run only in its own threads.
void WithoutSignals(const std::function<void()>& call);
/// Gives it short time slices, if the system can, so that a client's thread that wakes soon gets
/// the core.
void ShortenSlices();

// ---- waiting

/// Waits while *word is `value`, for at most `nanos`; UINT64_MAX is no limit. Returns false if that
/// time has passed. Can return true at any time. If *word changes before a call of WakeAll, the
/// wait ends.
bool WaitWhile(const std::atomic<uint32_t>* word, uint32_t value, uint64_t nanos);
void WakeAll(const std::atomic<uint32_t>* word);

// ---- the process and the machine

/// From now on, calls `in_child` in each forked child. Fails only as operator new does.
void OnFork(void (*in_child)());
/// The environment variable, or nullptr. Always nullptr where the program has rights that the user
/// who set it lacks (set-user-ID).
const char* Environment(const char* name);
/// True if `file` is a terminal, so that a person sees the output at once.
bool IsTerminal(std::FILE* file);
std::tm LocalTime(std::time_t seconds);

/// The absolute name of an existing file, without links in it; "" if the system has none.
std::string RealName(const std::string& name);

/// Number of cores that this process can use; at least 1.
int CoreCount();
/// Whether this is a 64-bit Arm processor with instructions for CRC-32C.
bool HasArmCrc32c();

}  // namespace lull::os
