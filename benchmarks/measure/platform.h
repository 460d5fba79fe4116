// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// What the benchmarks ask of the operating system: a monotonic clock, sleeping until a moment, and
// what this process has used so far. The programs here are also built against a store that is not
// ours, so this file stands on its own and includes nothing from the library. Every function may be
// called from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace lull::bench {

inline constexpr uint64_t kNsPerSecond = 1'000'000'000;

// Nanoseconds of a clock that never jumps.
uint64_t NowNs();

// Sleeps until NowNs() reaches `due_ns`; returns at once if it is past. Never spins: a spinning
// client would take the CPU that the store's background threads need, and measure that.
void SleepUntilNs(uint64_t due_ns);

// The same, but returns early, within a tenth of a second, once `stop` is set.
void SleepUntilNs(uint64_t due_ns, const std::atomic<bool>& stop);

// Whether the program is to come to its end: because something failed, or the user asked for it.
// Whoever works long looks at it now and then.
const std::atomic<bool>& StopRequested();
void RequestStop();
// From now on Ctrl-C and SIGTERM request the stop, once; the second of them ends the process.
void StopOnInterrupt();
bool Interrupted();

// Lowers the calling thread's timer slack from the usual 50 us to 1 ns, so that a sleep ends when
// it should.
void UsePreciseSleep();

struct ProcessUsage {
  double cpu_seconds = 0;  // user and system time of all threads
  // Of all cores: what this virtual machine wanted and its host gave to others.
  double stolen_cpu_seconds = 0;
  // Only differences mean something. What the block device under the folder took, from all
  // processes; where there is none to ask, the pages that this process dirtied, which the kernel
  // counts whole even if few bytes of a large one are written.
  int64_t device_write_bytes = 0;
  int64_t device_read_bytes = 0;  // read or paged in from the device
  // Bytes handed to write() and its kin. A store that writes through a mapping does not show here.
  int64_t call_write_bytes = 0;
};
ProcessUsage ReadProcessUsage(const std::string& folder);

double ReadCpuSeconds();  // as in ProcessUsage

// The largest resident set since ResetPeakRss(), or since the start where the kernel cannot reset
// it.
uint64_t PeakRssBytes();
void ResetPeakRss();

uint64_t RssBytes();  // at this moment

// Bytes of the files in a folder, not of those below it. Files may come and go meanwhile.
uint64_t FolderBytes(const std::string& folder);

// Waits until what was written to the file system of a folder is on its device. What is deleted
// behind that was written indeed, and is not taken back from ProcessUsage's bytes.
void SyncFileSystemOf(const std::string& folder);

struct CpuFacts {
  int count = 0;
  std::string model;
  std::string cache;
};
CpuFacts ReadCpuFacts();

// "2026-01-31T12:00:00Z"
std::string UtcTimestamp();

}  // namespace lull::bench
