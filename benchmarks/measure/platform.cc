// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "benchmarks/measure/platform.h"

#include <fcntl.h>
#include <mntent.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>

namespace lull::bench {
namespace {

// The number after `field` in a file of "name: number" lines; 0 if missing.
uint64_t FieldOf(const char* path, std::string_view field) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.compare(0, field.size(), field) == 0) {
      return std::strtoull(line.c_str() + field.size(), nullptr, 10);
    }
  }
  return 0;
}

double Seconds(const timeval& t) {
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
}

std::atomic<bool> stop_requested{false};
std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets them");

void OnInterrupt(int /*signal*/) {
  interrupted = true;
  stop_requested = true;
}

struct DeviceCounters {
  int64_t reads = 0;
  int64_t written_bytes = 0;
};

// What the block device of `directory`, or of its nearest existing parent, did since boot. nullopt
// if the file system is not on exactly one block device.
std::optional<DeviceCounters> ReadDeviceCounters(const std::string& directory) {
  std::filesystem::path path(directory);
  struct stat info;
  while (stat(path.c_str(), &info) != 0) {
    const std::filesystem::path above = path.has_parent_path() ? path.parent_path() : ".";
    if (above == path) return std::nullopt;
    path = above;
  }
  std::ifstream file("/sys/dev/block/" + std::to_string(major(info.st_dev)) + ":" +
                     std::to_string(minor(info.st_dev)) + "/stat");
  constexpr size_t kReads = 0;
  constexpr size_t kSectorsWritten = 6;
  constexpr int64_t kSectorBytes = 512;
  std::array<int64_t, kSectorsWritten + 1> fields;
  for (int64_t& field : fields) {
    if (!(file >> field)) return std::nullopt;
  }
  return DeviceCounters{fields[kReads], fields[kSectorsWritten] * kSectorBytes};
}

double ReadStolenCpuSeconds() {
  // The kernel's `steal` field, after user nice system idle iowait irq softirq.
  constexpr int kSteal = 7;
  std::ifstream file("/proc/stat");
  std::string all_cores;
  file >> all_cores;
  uint64_t ticks = 0;
  for (int i = 0; i <= kSteal; ++i) {
    if (!(file >> ticks)) return 0;
  }
  return static_cast<double>(ticks) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace

uint64_t NowNs() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<uint64_t>(t.tv_sec) * kNsPerSecond + static_cast<uint64_t>(t.tv_nsec);
}

void SleepUntilNs(uint64_t due_ns) {
  timespec due;
  due.tv_sec = static_cast<time_t>(due_ns / kNsPerSecond);
  due.tv_nsec = static_cast<long>(due_ns % kNsPerSecond);
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, nullptr) == EINTR) {
  }
}

void SleepUntilNs(uint64_t due_ns, const std::atomic<bool>& stop) {
  constexpr uint64_t kLookNs = kNsPerSecond / 10;
  while (!stop.load(std::memory_order_relaxed)) {
    const uint64_t look_ns = NowNs() + kLookNs;
    if (look_ns >= due_ns) return SleepUntilNs(due_ns);
    SleepUntilNs(look_ns);
  }
}

const std::atomic<bool>& StopRequested() { return stop_requested; }
void RequestStop() { stop_requested = true; }
bool Interrupted() { return interrupted; }

void StopOnInterrupt() {
  struct sigaction action = {};
  action.sa_handler = OnInterrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

void UsePreciseSleep() { prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL); }

double ReadCpuSeconds() {
  rusage times;
  if (getrusage(RUSAGE_SELF, &times) != 0) return 0;
  return Seconds(times.ru_utime) + Seconds(times.ru_stime);
}

ProcessUsage ReadProcessUsage(const std::string& directory) {
  ProcessUsage usage;
  usage.cpu_seconds = ReadCpuSeconds();
  usage.stolen_cpu_seconds = ReadStolenCpuSeconds();
  const std::optional<DeviceCounters> device = ReadDeviceCounters(directory);
  usage.device_reads = device ? device->reads : 0;
  usage.process_write_bytes =
      static_cast<int64_t>(FieldOf("/proc/self/io", "write_bytes:")) -
      static_cast<int64_t>(FieldOf("/proc/self/io", "cancelled_write_bytes:"));
  usage.device_write_bytes = device ? device->written_bytes : usage.process_write_bytes;
  usage.device_read_bytes = static_cast<int64_t>(FieldOf("/proc/self/io", "read_bytes:"));
  usage.call_write_bytes = static_cast<int64_t>(FieldOf("/proc/self/io", "wchar:"));
  return usage;
}

uint64_t PeakRssBytes() { return FieldOf("/proc/self/status", "VmHWM:") * 1024; }

void ResetPeakRss() { std::ofstream("/proc/self/clear_refs") << "5"; }

uint64_t RssBytes() { return FieldOf("/proc/self/status", "VmRSS:") * 1024; }

uint64_t DirectoryBytes(const std::string& directory) {
  uint64_t sum = 0;
  std::error_code error;
  for (std::filesystem::directory_iterator file(directory, error), end; !error && file != end;
       file.increment(error)) {
    std::error_code vanished;  // the store may delete a file between its listing and its sizing
    const uint64_t size = file->file_size(vanished);
    if (!vanished) sum += size;
  }
  return sum;
}

void SyncFileSystemOf(const std::string& directory) {
  const int fd = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;  // nothing was written to it
  syncfs(fd);
  close(fd);
}

CpuFacts ReadCpuFacts() {
  CpuFacts facts;
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const size_t colon = line.find(": ");
    if (colon == std::string::npos) continue;
    const std::string name = line.substr(0, line.find_first_of("\t:"));
    if (name == "model name") {
      ++facts.count;
      facts.model = line.substr(colon + 2);
    } else if (name == "cache size") {
      facts.cache = line.substr(colon + 2);
    }
  }
  return facts;
}

SystemFacts ReadSystemFacts(const std::string& directory) {
  SystemFacts facts;
  utsname system;
  if (uname(&system) == 0) facts.kernel = system.release;
  std::error_code error;
  const std::string path =
      std::filesystem::weakly_canonical(std::filesystem::absolute(directory, error), error)
          .string() +
      '/';
  FILE* const mounts = setmntent("/proc/self/mounts", "r");
  if (mounts == nullptr) return facts;
  size_t longest = 0;
  // Of several mounts over each other, the last is visible.
  for (const mntent* mount; (mount = getmntent(mounts)) != nullptr;) {
    std::string place = mount->mnt_dir;
    if (place.back() != '/') place += '/';
    if (!path.starts_with(place) || place.size() < longest) continue;
    longest = place.size();
    facts.file_system = std::string(mount->mnt_type) + ' ' + mount->mnt_opts;
    facts.disk = mount->mnt_fsname;
  }
  endmntent(mounts);
  struct stat info;
  if (stat(directory.c_str(), &info) != 0) return facts;
  const std::string block = "/sys/dev/block/" + std::to_string(major(info.st_dev)) + ":" +
                            std::to_string(minor(info.st_dev));
  for (const char* const file : {"/device/model", "/../device/model"}) {  // a disk; a partition
    std::string model;
    if (!std::getline(std::ifstream(block + file), model)) continue;
    facts.disk += ", " + model.substr(0, model.find_last_not_of(' ') + 1);
    break;
  }
  return facts;
}

std::string UtcTimestamp() {
  const time_t now = time(nullptr);
  tm parts;
  gmtime_r(&now, &parts);
  char text[32];
  strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

}  // namespace lull::bench
