// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "tests/resources/child.h"

#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "util/clock.h"

namespace lull::testing {

namespace {

// Of this process, if it is a child. std::new_handler takes no argument.
bool* ran_out_of_memory = nullptr;

void NoteOutOfMemory() {
  *ran_out_of_memory = true;
  throw std::bad_alloc();
}

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

}  // namespace lull::testing
