// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// What the benchmarks ask of the operating system: a monotonic clock, sleeping until a moment, and
// what this process has used so far. The programs here are also built against a store that is not
// ours, so this file stands on its own and includes nothing from the library. Every function may be
// called from any thread.
#pragma once

#include <cstdint>
#include <string>

namespace lull::bench {

inline constexpr uint64_t kNsPerSecond = 1'000'000'000;

// Nanoseconds of a clock that never jumps.
uint64_t NowNs();

// Sleeps until NowNs() reaches `due_ns`; returns at once if it is past. Never spins: a spinning
// client would take the CPU that the store's background threads need, and measure that.
void SleepUntilNs(uint64_t due_ns);

// Lowers the calling thread's timer slack from the usual 50 us to 1 ns, so that a sleep ends when
// it should.
void UsePreciseSleep();

struct ProcessUsage {
  double cpu_seconds = 0;  // user and system time of all threads
  // Dirtied pages that reached, or must still reach, the device. Only differences mean something:
  // it falls when a file is deleted whose pages never got there, even if another process wrote
  // them.
  int64_t device_write_bytes = 0;
  // Bytes handed to write() and its kin. A store that writes through a mapping does not show here.
  int64_t call_write_bytes = 0;
};
ProcessUsage ReadProcessUsage();

// The largest resident set since ResetPeakRss(), or since the start where the kernel cannot reset
// it.
uint64_t PeakRssBytes();
void ResetPeakRss();

struct CpuFacts {
  int count = 0;
  std::string model;
  std::string cache;
};
CpuFacts ReadCpuFacts();

// "2026-01-31T12:00:00Z"
std::string UtcTimestamp();

}  // namespace lull::bench
