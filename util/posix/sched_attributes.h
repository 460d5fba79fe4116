// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Linux only: the kernel's scheduling attributes of the calling thread. Older C libraries have
// neither the structure (sched_attr) nor the calls.
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace lull {

struct SchedAttributes {
  uint32_t size;
  uint32_t policy;
  uint64_t flags;
  int32_t nice;
  uint32_t priority;
  uint64_t slice_nanos;  ///< of the normal class; 0: the kernel has one length for all threads
  uint64_t deadline;
  uint64_t period;
};

inline bool GetSchedAttributes(SchedAttributes* attributes) {
  return syscall(SYS_sched_getattr, 0, attributes, sizeof(*attributes), 0) == 0;
}
/// `attributes`: from GetSchedAttributes, then changed.
inline bool SetSchedAttributes(const SchedAttributes& attributes) {
  return syscall(SYS_sched_setattr, 0, &attributes, 0) == 0;
}

}  // namespace lull
