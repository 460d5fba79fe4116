// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "tests/resources/limits.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <new>
#include <set>

#include "util/clock.h"

namespace {

constexpr int kUnlimited = std::numeric_limits<int>::max();
std::atomic<int> preallocations_left{kUnlimited};
std::atomic<int> preallocation_error{ENOSPC};

int Preallocate(int fd, int mode, off64_t begin, off64_t bytes) {
  int left = preallocations_left.load();
  while (left != kUnlimited && left > 0 &&
         !preallocations_left.compare_exchange_weak(left, left - 1)) {
  }
  if (left == 0) {
    errno = preallocation_error.load();
    return -1;
  }
  return static_cast<int>(syscall(SYS_fallocate, fd, mode, begin, bytes));
}

}  // namespace

// The linker uses these instead of the C library's.
extern "C" int fallocate(int fd, int mode, off_t begin, off_t bytes) {
  return Preallocate(fd, mode, begin, bytes);
}
extern "C" int fallocate64(int fd, int mode, off64_t begin, off64_t bytes) {
  return Preallocate(fd, mode, begin, bytes);
}
extern "C" int posix_fallocate(int fd, off_t begin, off_t bytes) {
  return Preallocate(fd, 0, begin, bytes) == 0 ? 0 : errno;
}

namespace lull::testing {

namespace {

// Of this process, if it is a child. std::new_handler takes no argument.
bool* ran_out_of_memory = nullptr;

void NoteOutOfMemory() {
  *ran_out_of_memory = true;
  throw std::bad_alloc();
}

// The limit that leaves `count` descriptors. Numbers above it that are in use stay so.
rlim_t LimitThatLeaves(uint64_t count) {
  std::set<rlim_t> used;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
    used.insert(std::strtoul(entry.path().filename().c_str(), nullptr, 10));
  std::erase_if(used, [](rlim_t fd) { return fcntl(static_cast<int>(fd), F_GETFD) < 0; });
  rlim_t limit = 0;
  for (; count > 0 || used.contains(limit); ++limit) count -= !used.contains(limit);
  return limit;
}

// The first number after `word` in the file.
uint64_t NumberAfter(const char* file, const std::string& word) {
  std::ifstream in(file);
  for (std::string seen; in >> seen;) {
    uint64_t number = 0;
    if (seen == word && in >> number) return number;
  }
  return 0;
}

void WriteText(const char* file, const std::string& text) { std::ofstream(file) << text; }

}  // namespace

void* ShareMemory(size_t bytes) {
  void* const memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) std::abort();
  return memory;
}

Child::Child(const std::function<std::string()>& body)
    : ran_out_of_memory_(static_cast<bool*>(ShareMemory(sizeof(bool)))) {
  int ends[2];
  std::fflush(stdout);
  if (pipe(ends) != 0) std::abort();
  pid_ = fork();
  if (pid_ < 0) std::abort();
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close(ends[0]);
    ran_out_of_memory = ran_out_of_memory_;
    std::set_new_handler(NoteOutOfMemory);
    // An exception in the body ends the process, so that it never reaches the test's frames.
    const std::string said = [&]() noexcept { return body(); }();
    const char* from = said.data();
    for (size_t left = said.size(); left > 0;) {
      const ssize_t written = write(ends[1], from, left);
      if (written < 0) _exit(1);
      from += written;
      left -= static_cast<size_t>(written);
    }
    _exit(0);
  }
  close(ends[1]);
  fd_ = ends[0];
}

Child::~Child() {
  if (pid_ > 0) Wait(0);
  close(fd_);
  munmap(ran_out_of_memory_, sizeof(bool));
}

Child::End Child::Wait(uint64_t timeout_ms) {
  End end;
  Clock* const clock = Clock::System();
  const uint64_t deadline = clock->NowNanos() + timeout_ms * 1'000'000;
  for (;;) {
    struct pollfd waiting {
      fd_, POLLIN, 0
    };
    const uint64_t now = clock->NowNanos();
    const uint64_t left_ms = now < deadline ? (deadline - now) / 1'000'000 : 0;
    char buffer[4096];
    if (poll(&waiting, 1, static_cast<int>(left_ms)) > 0) {
      const ssize_t bytes = read(fd_, buffer, sizeof(buffer));
      if (bytes <= 0) break;
      end.said.append(buffer, static_cast<size_t>(bytes));
    } else if (clock->NowNanos() >= deadline) {
      end.timed_out = true;
      kill(pid_, SIGKILL);
      break;
    }
  }
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0) {
  }
  pid_ = -1;
  if (!end.timed_out && WIFSIGNALED(status)) end.signal = WTERMSIG(status);
  end.out_of_memory = end.signal == SIGABRT && *ran_out_of_memory_;
  return end;
}

const char* LimitName(LimitKind kind) {
  static constexpr const char* kNames[] = {"descriptors", "file-size", "address-space",
                                           "threads",     "disk",      "preallocation"};
  return kNames[static_cast<size_t>(kind)];
}

const std::vector<uint64_t>& LimitSteps(LimitKind kind) {
  static const auto* const kSteps = new std::vector<uint64_t>[std::size(kAllLimitKinds)] {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 17, 20, 32},
        {0,     1,     100,   1000,  4096,   7000,   16384,  32768,
         40000, 65536, 80000, 98304, 131072, 200000, 300000, 5000000},
        {0,    64,   256,   512,   1024,  2048,  4096,  6144,
         8192, 9000, 12288, 16384, 24576, 32768, 66000, 90000},
        {0, 1, 2, 3, 4, 5}, {0, 4, 8, 12, 16, 32, 48, 64, 80, 96, 128, 192, 256, 384, 512, 2048},
        {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16, 20},
  };
  return kSteps[static_cast<size_t>(kind)];
}

bool MountPrivateDisk(const std::string& directory, uint64_t bytes) {
  const uid_t uid = geteuid();
  const gid_t gid = getegid();
  if (unshare(uid == 0 ? CLONE_NEWNS : CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  if (uid != 0) {
    WriteText("/proc/self/setgroups", "deny");
    WriteText("/proc/self/uid_map", "0 " + std::to_string(uid) + " 1");
    WriteText("/proc/self/gid_map", "0 " + std::to_string(gid) + " 1");
  }
  if (mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
  const std::string options = "mode=0777,size=" + std::to_string(bytes);
  return mount("none", directory.c_str(), "tmpfs", 0, options.c_str()) == 0;
}

bool BecomeLimitedUser() {
  const auto user = static_cast<uid_t>(0x40000000 + getpid());
  if (geteuid() != 0 || setresuid(user, user, user) != 0) return false;
  Limit none(LimitKind::kThreads, 0, "");
  if (!none.Apply()) return false;
  const pid_t child = fork();
  if (child == 0) _exit(0);
  if (child > 0) waitpid(child, nullptr, 0);
  return child < 0;
}

Limit::Limit(LimitKind kind, uint64_t value, const std::string& directory)
    : kind_(kind), value_(value), ballast_(directory + "/ballast") {}

// REQUIRES: the system has a limit of this kind.
int Limit::Resource() const {
  static constexpr int kResources[] = {RLIMIT_NOFILE, RLIMIT_FSIZE, RLIMIT_AS, RLIMIT_NPROC};
  return kResources[static_cast<size_t>(kind_)];
}

bool Limit::SetSoft(rlim_t value) {
  if (getrlimit(Resource(), &before_) != 0) return false;
  const struct rlimit limit { std::min(value, before_.rlim_max), before_.rlim_max };
  return setrlimit(Resource(), &limit) == 0;
}

// fallocate on tmpfs takes the pages at once, so the next write finds the disk full.
bool Limit::FillDisk() const {
  const int fd = open(ballast_.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  if (fd < 0) return false;
  const uint64_t keep = value_ << 10;
  bool filled = false;
  // The store writes in parallel, so the space can disappear between the two calls.
  for (int attempt = 0; attempt < 100 && !filled; ++attempt) {
    struct statvfs disk {};
    if (fstatvfs(fd, &disk) != 0) break;
    const uint64_t free = disk.f_bavail * disk.f_frsize;
    filled = free <= keep ||
             syscall(SYS_fallocate, fd, 0, off64_t{0}, static_cast<off64_t>(free - keep)) == 0;
  }
  close(fd);
  return filled;
}

bool Limit::Apply() {
  applied_ = true;
  switch (kind_) {
    case LimitKind::kDescriptors:
      return SetSoft(LimitThatLeaves(value_));
    case LimitKind::kFileSize:
      std::signal(SIGXFSZ, SIG_IGN);
      return SetSoft(value_);
    case LimitKind::kAddressSpace:
      return SetSoft((NumberAfter("/proc/self/status", "VmSize:") + value_) << 10);
    case LimitKind::kThreads:
      return SetSoft(NumberAfter("/proc/self/status", "Threads:") + value_);
    case LimitKind::kDisk:
      return FillDisk();
    case LimitKind::kPreallocation:
      preallocation_error = value_ % 2 == 0 ? ENOSPC : EDQUOT;
      preallocations_left = static_cast<int>(value_ / 2);
      return true;
  }
  return false;
}

void Limit::Lift() {
  if (!applied_) return;
  applied_ = false;
  if (kind_ == LimitKind::kDisk) {
    unlink(ballast_.c_str());
  } else if (kind_ == LimitKind::kPreallocation) {
    preallocations_left = kUnlimited;
  } else {
    setrlimit(Resource(), &before_);
  }
}

}  // namespace lull::testing
