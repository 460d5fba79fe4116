// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "scheduler/threads/flush_thread.h"

#include <utility>

#include "util/os.h"

namespace lull {
/// Shared by the waiting and the running thread: either can be the last to use it.
struct FlushThread::Errand {
  const std::function<void()>* work = nullptr;
  std::atomic<bool> done{false};
  WakeSignal signal;
  Errand* next = nullptr;
  std::shared_ptr<Errand> self;  // keeps it until it has run
};

leveldb::Status FlushThread::Start(Slice slice) {
  slice_ = std::move(slice);
  return ThreadFactory::System()->TryStart(
      "lull-flush", CpuClass::kNormal, [this] { Loop(); }, &thread_);
}

void FlushThread::StopSlices() {
  no_slices_.store(true, std::memory_order_release);
  Wake();
}

void FlushThread::Join() {
  if (thread_ == nullptr) return;
  stopping_.store(true, std::memory_order_release);
  Wake();
  thread_.reset();
}

void FlushThread::RunAtNormalPriority(const std::function<void()>& work) {
  // A whole process can have idle priority, and then this thread has it too.
  const bool is_own = ordinal_.load(std::memory_order_relaxed) == ThreadOrdinal();
  if (is_own || thread_ == nullptr || !os::IsInIdleClass()) return work();
  const auto errand = std::make_shared<Errand>();
  errand->work = &work;
  errand->self = errand;
  errand->next = errands_.load(std::memory_order_relaxed);
  while (!errands_.compare_exchange_weak(errand->next, errand.get(), std::memory_order_release,
                                         std::memory_order_relaxed)) {
  }
  Wake();
  while (true) {
    const uint32_t ticket = errand->signal.Ticket();
    if (errand->done.load(std::memory_order_acquire)) return;
    errand->signal.Wait(ticket, WakeSignal::kForEver);
  }
}

/// Their order does not matter: each caller waits for its own.
void FlushThread::RunErrands() {
  Errand* next = errands_.exchange(nullptr, std::memory_order_acquire);
  while (next != nullptr) {
    const std::shared_ptr<Errand> errand = std::move(next->self);
    next = errand->next;
    (*errand->work)();
    errand->done.store(true, std::memory_order_release);
    errand->signal.Wake();
  }
}

void FlushThread::Loop() {
  ordinal_.store(ThreadOrdinal(), std::memory_order_relaxed);
  while (true) {
    const uint32_t ticket = signal_.Ticket();  // before looking, so that no wake is lost
    RunErrands();
    if (stopping_.load(std::memory_order_acquire)) return;
    uint64_t wait_nanos = WakeSignal::kForEver;
    if (!no_slices_.load(std::memory_order_acquire)) wait_nanos = slice_().value_or(wait_nanos);
    if (wait_nanos > 0) signal_.Wait(ticket, wait_nanos);
  }
}

}  // namespace lull
