// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// What the benchmarks need from the operating system: a monotonic clock, sleeping until a time, and
// the resource usage of this process. Includes nothing from the library, because these programs are
// also built against other stores. Any thread can call every function.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace lull::bench {

inline constexpr uint64_t kNsPerSecond = 1'000'000'000;

// Nanoseconds of a monotonic clock.
uint64_t NowNs();

// Sleeps until NowNs() reaches `due_ns`; returns immediately if that is past. Never spins: a
// spinning client would take CPU time from the store's background threads and distort the result.
void SleepUntilNs(uint64_t due_ns);

// The same, but returns early, within a tenth of a second, once `stop` is set.
void SleepUntilNs(uint64_t due_ns, const std::atomic<bool>& stop);

// Whether the program must stop, because something failed or the user asked for it. Long loops
// check it regularly.
const std::atomic<bool>& StopRequested();
void RequestStop();
// Makes the first Ctrl-C or SIGTERM request the stop; the second one ends the process.
void StopOnInterrupt();
bool Interrupted();

// Lowers the calling thread's timer slack from the usual 50 us to 1 ns, so that sleeps end on time.
void UsePreciseSleep();

struct ProcessUsage {
  double cpu_seconds = 0;  // user and system time of all threads
  // CPU time that the host gave to other virtual machines while this one needed it, on all cores.
  double stolen_cpu_seconds = 0;
  // Meaningful only as differences. Bytes that all processes wrote to the block device under the
  // directory. Without such a device: process_write_bytes.
  int64_t device_write_bytes = 0;
  // Pages that this process dirtied, without those that were deleted before they were written. The
  // kernel counts whole pages, even if only a few bytes of a large page were written.
  int64_t process_write_bytes = 0;
  int64_t device_read_bytes = 0;  // read or paged in from the device, by this process
  int64_t device_reads = 0;       // by all processes; 0 without a block device
  // Bytes passed to write() and similar calls. Excludes writes through a memory mapping.
  int64_t call_write_bytes = 0;
};
ProcessUsage ReadProcessUsage(const std::string& directory);

double ReadCpuSeconds();  // as in ProcessUsage

// The largest resident set since ResetPeakRss(), or since the process started if the kernel cannot
// reset it.
uint64_t PeakRssBytes();
void ResetPeakRss();

uint64_t RssBytes();  // now

// Total size of the files in a directory, without subdirectories. Other threads can add or delete
// files.
uint64_t DirectoryBytes(const std::string& directory);

// Waits until everything written to the file system of a directory is on its device. ProcessUsage
// still counts those bytes if the files are deleted later.
void SyncFileSystemOf(const std::string& directory);

struct CpuFacts {
  int count = 0;
  std::string model;
  std::string cache;
};
CpuFacts ReadCpuFacts();

struct SystemFacts {
  std::string kernel;       // "6.1.0-18-amd64"
  std::string file_system;  // type and mount options: "ext4 rw,relatime"
  std::string disk;         // device and, if known, model: "/dev/nvme0n1p2, Samsung SSD 980"
};
// The file system and the disk are those of the directory.
SystemFacts ReadSystemFacts(const std::string& directory);

// "2026-01-31T12:00:00Z"
std::string UtcTimestamp();

}  // namespace lull::bench
