// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Takes resources from the calling process, and returns them. A limit applies to the whole process,
// so tests use it in a forked child. Call these functions from one thread.
#pragma once

#include <sys/resource.h>

#include <cstdint>
#include <string>
#include <vector>

namespace lull::testing {

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
