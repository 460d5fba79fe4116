// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Work in a forked process. The parent has no threads of its own, so that the child may start some.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>

namespace lull::testing {

class Child {
 public:
  // Starts a process that says what `body` returns, and ends. The kernel kills it with its parent.
  explicit Child(const std::function<std::string()>& body);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Readable once the child has said something or ended.
  int fd() const { return fd_; }
  pid_t pid() const { return pid_; }

  struct End {
    bool timed_out = false;
    int signal = 0;  // that ended it; 0: none
    std::string said;
    bool ok() const { return !timed_out && signal == 0; }
  };
  // Kills the child if it takes longer.
  End Wait(uint64_t timeout_ms);

 private:
  pid_t pid_ = -1;
  int fd_ = -1;
};

}  // namespace lull::testing
