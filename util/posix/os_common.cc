// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// What POSIX itself has.
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <new>

#include "util/exceptions.h"
#include "util/os.h"

namespace lull::os {

size_t PageBytes() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

char* MapMemory(size_t bytes) {
  void* const start =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return start == MAP_FAILED ? nullptr : static_cast<char*>(start);
}

void UnmapMemory(char* start, size_t bytes) { munmap(start, bytes); }

void WithoutSignals(const std::function<void()>& call) {
  class Blocked {
   public:
    Blocked() {
      sigset_t signals;
      sigfillset(&signals);
      for (int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPROF})
        sigdelset(&signals, own);
      pthread_sigmask(SIG_BLOCK, &signals, &before_);
    }
    ~Blocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

   private:
    sigset_t before_;
  };
  const Blocked blocked;
  call();
}

void OnFork(void (*in_child)()) {
  if (pthread_atfork(nullptr, nullptr, in_child) != 0)
    LULL_THROW(std::bad_alloc());  // its only error
}

std::string RealName(const std::string& name) {
  const std::unique_ptr<char, void (*)(void*)> real(realpath(name.c_str(), nullptr), &std::free);
  return real != nullptr ? real.get() : "";
}

bool IsTerminal(std::FILE* file) { return isatty(fileno(file)) == 1; }

std::tm LocalTime(std::time_t seconds) {
  std::tm local = {};
  localtime_r(&seconds, &local);
  return local;
}

}  // namespace lull::os
