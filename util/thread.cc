// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include "util/thread.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <utility>

#include "util/os.h"

namespace lull {
namespace {

struct Start {
  std::string name;
  CpuClass cpu_class;
  std::function<void()> body;
};

void* RunStart(void* argument) {
  const std::unique_ptr<Start> start(static_cast<Start*>(argument));
  // The body depends on none of these, so failures are ignored.
  os::NameThread(start->name.c_str());
  start->cpu_class == CpuClass::kIdle ? os::EnterIdleClass() : os::ShortenSlices();
  start->body();
  return nullptr;
}

/// All signals except those that the thread itself causes and those that profilers send to each
/// thread. So the program's signal handlers run only in its own threads.
sigset_t SignalsForOthers() {
  sigset_t signals;
  sigfillset(&signals);
  for (int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPROF})
    sigdelset(&signals, own);
  return signals;
}

leveldb::Status Create(const std::string& name, CpuClass cpu_class, std::function<void()> body,
                       pthread_t* thread) {
  constexpr size_t kNameBytesMax = 15;
  auto start =
      std::make_unique<Start>(Start{name.substr(0, kNameBytesMax), cpu_class, std::move(body)});
  const sigset_t blocked = SignalsForOthers();
  sigset_t before;
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  const int error = pthread_create(thread, nullptr, &RunStart, start.get());
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (error != 0) {
    return leveldb::Status::IOError(
        "cannot start thread " + name,
        std::string(std::strerror(error)) +
            "; raise the limit on threads (ulimit -u, cgroup pids.max) or on memory");
  }
  start.release();  // now owned by RunStart
  return leveldb::Status::OK();
}

class SystemThreadHandle final : public ThreadHandle {
 public:
  explicit SystemThreadHandle(pthread_t thread) : thread_(thread) {}
  ~SystemThreadHandle() override { pthread_join(thread_, nullptr); }

 private:
  const pthread_t thread_;
};

class SystemThreadFactory final : public ThreadFactory {
 public:
  leveldb::Status TryStart(const std::string& name, CpuClass cpu_class, std::function<void()> body,
                           std::unique_ptr<ThreadHandle>* result) override {
    pthread_t thread;
    leveldb::Status status = Create(name, cpu_class, std::move(body), &thread);
    if (status.ok()) *result = std::make_unique<SystemThreadHandle>(thread);
    return status;
  }
  leveldb::Status TryStartDetached(const std::string& name, CpuClass cpu_class,
                                   std::function<void()> body) override {
    pthread_t thread;
    leveldb::Status status = Create(name, cpu_class, std::move(body), &thread);
    if (status.ok()) pthread_detach(thread);
    return status;
  }
};

}  // namespace

ThreadFactory* ThreadFactory::System() {
  static ThreadFactory* const factory =
      new SystemThreadFactory;  // never destroyed: threads can outlive main
  return factory;
}

void OfferCore() { sched_yield(); }

int CoreCount() { return os::CoreCount(); }

unsigned ThreadOrdinal() {
  static std::atomic<unsigned> next{0};
  thread_local const unsigned ordinal = next.fetch_add(1, std::memory_order_relaxed);
  return ordinal;
}

}  // namespace lull
