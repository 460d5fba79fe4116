// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// ProfiledPart: adds the time from its construction to its destruction to the profile of the
// calling thread, if there is one. Any thread.
#pragma once

#include <cstdint>

#include "lull/call_profile.h"

namespace lull {

class ProfiledPart {
 public:
  explicit ProfiledPart(CallPart part) : profile_(current_), part_(part) {
    if (profile_ != nullptr) [[unlikely]]
      Begin();
  }
  ~ProfiledPart() {
    if (profile_ != nullptr) [[unlikely]]
      End();
  }
  ProfiledPart(const ProfiledPart&) = delete;
  ProfiledPart& operator=(const ProfiledPart&) = delete;

 private:
  friend class CallProfile;
  void Begin();
  void End();

  static thread_local constinit CallProfile* current_;

  CallProfile* const profile_;
  const CallPart part_;
  uint64_t begin_nanos_ = 0;
};

}  // namespace lull
