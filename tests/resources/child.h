// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Work in a forked process. The parent has a single thread, so that the child may start threads.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

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
  pid_t pid() const { return pid_; }

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

}  // namespace lull::testing
