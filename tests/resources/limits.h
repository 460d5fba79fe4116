// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Work in forked processes, and limits on the resources of a process. A limit applies to the whole
// process, so tests use it in a child. The parent has a single thread, so that the child may start
// threads. Call these functions from one thread.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace lull::testing {

// Zeroed memory that children share. Never freed.
void* ShareMemory(size_t bytes);

class Child {
 public:
  // Starts a process that sends the result of `body` and exits. The kernel kills it when its parent
  // dies.
  explicit Child(const std::function<std::string()>& body);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Becomes readable when the child has sent its result or ended.
  int fd() const { return fd_; }

  struct End {
    bool timed_out = false;
    int signal = 0;              // the one that ended it; 0: none
    bool out_of_memory = false;  // std::bad_alloc ended it
    std::string said;
    bool ok() const { return !timed_out && signal == 0; }
  };
  // Waits for the end of the child. Kills it after `timeout_ms`.
  End Wait(uint64_t timeout_ms);

 private:
  bool* const ran_out_of_memory_;
  pid_t pid_ = -1;
  int fd_ = -1;
};

enum class LimitKind {
  kDescriptors,    // value: additional descriptors that the process may open
  kFileSize,       // value: bytes
  kAddressSpace,   // value: KiB beyond the current size
  kThreads,        // value: additional threads that the process may start
  kDisk,           // value: KiB that stay free
  kPreallocation,  // value: twice the number of fallocate calls that succeed; odd for EDQUOT
};
inline constexpr LimitKind kAllLimitKinds[] = {LimitKind::kDescriptors,  LimitKind::kFileSize,
                                               LimitKind::kAddressSpace, LimitKind::kThreads,
                                               LimitKind::kDisk,         LimitKind::kPreallocation};

const char* LimitName(LimitKind kind);
// From the tightest to one that some workloads do not notice.
const std::vector<uint64_t>& LimitSteps(LimitKind kind);

// Mounts a tmpfs that only this process and its children see. Needs root or user namespaces; false
// if the kernel permits neither.
bool MountPrivateDisk(const std::string& directory, uint64_t bytes);

// Switches to a user that runs nothing else, because the kernel counts threads by user and exempts
// root. False if that fails, or if the kernel does not enforce the limit.
bool BecomeLimitedUser();

class Limit {
 public:
  // `directory` is a private disk; used only by kDisk.
  Limit(LimitKind kind, uint64_t value, const std::string& directory);
  ~Limit() { Lift(); }
  Limit(const Limit&) = delete;
  Limit& operator=(const Limit&) = delete;

  // False if the limit cannot be set.
  bool Apply();
  void Lift();

 private:
  bool SetSoft(rlim_t value);
  bool FillDisk() const;
  int Resource() const;

  const LimitKind kind_;
  const uint64_t value_;
  const std::string ballast_;
  bool applied_ = false;
  struct rlimit before_ {};
};

}  // namespace lull::testing
