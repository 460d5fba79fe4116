// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include "util/thread.h"

#include <atomic>
#include <string>
#include <thread>
#include <utility>

#include "util/exceptions.h"
#include "util/os.h"

namespace lull {
namespace {

leveldb::Status Create(const std::string& name, CpuClass cpu_class, std::function<void()> body,
                       std::thread* thread) {
  constexpr size_t kNameBytesMax = 15;
  auto run = [name = name.substr(0, kNameBytesMax), cpu_class, body = std::move(body)] {
    // The body depends on none of these, so failures are ignored.
    os::NameThread(name.c_str());
    cpu_class == CpuClass::kIdle ? os::EnterIdleClass() : os::ShortenSlices();
    body();
  };
  LULL_TRY {
    os::WithoutSignals([&] { *thread = std::thread(std::move(run)); });
  }
  LULL_CATCH {
    return leveldb::Status::IOError(
        "cannot start thread " + name,
        ExceptionText() + "; raise the limit on threads (ulimit -u, cgroup pids.max) or on memory");
  }
  return leveldb::Status::OK();
}

class SystemThreadHandle final : public ThreadHandle {
 public:
  explicit SystemThreadHandle(std::thread thread) : thread_(std::move(thread)) {}
  ~SystemThreadHandle() override { thread_.join(); }

 private:
  std::thread thread_;
};

class SystemThreadFactory final : public ThreadFactory {
 public:
  leveldb::Status TryStart(const std::string& name, CpuClass cpu_class, std::function<void()> body,
                           std::unique_ptr<ThreadHandle>* result) override {
    std::thread thread;
    leveldb::Status status = Create(name, cpu_class, std::move(body), &thread);
    if (status.ok()) *result = std::make_unique<SystemThreadHandle>(std::move(thread));
    return status;
  }
  leveldb::Status TryStartDetached(const std::string& name, CpuClass cpu_class,
                                   std::function<void()> body) override {
    std::thread thread;
    leveldb::Status status = Create(name, cpu_class, std::move(body), &thread);
    if (status.ok()) thread.detach();
    return status;
  }
};

}  // namespace

ThreadFactory* ThreadFactory::System() {
  static ThreadFactory* const factory =
      new SystemThreadFactory;  // never destroyed: threads can outlive main
  return factory;
}

void OfferCore() { std::this_thread::yield(); }

int CoreCount() { return os::CoreCount(); }

unsigned ThreadOrdinal() {
  static std::atomic<unsigned> next{0};
  thread_local const unsigned ordinal = next.fetch_add(1, std::memory_order_relaxed);
  return ordinal;
}

}  // namespace lull
