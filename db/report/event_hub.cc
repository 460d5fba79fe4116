// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/report/event_hub.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "util/shared_in_process.h"
#include "util/thread.h"
#include "util/wake_signal.h"

namespace lull {
namespace {

constexpr uint64_t kWaitNanos = 10'000'000'000;  // a post ends the wait early

/// Calls the listener function for an event.
struct Dispatch {
  EventListener* listener;

  void operator()(const JobEvent& event) const {
    switch (event.phase) {
      case JobEvent::Phase::kBegin:
        return listener->OnJobBegin(event.job);
      case JobEvent::Phase::kPause:
        return listener->OnJobPause(event.job);
      case JobEvent::Phase::kResume:
        return listener->OnJobResume(event.job);
      case JobEvent::Phase::kEnd:
        return listener->OnJobEnd(event.job);
    }
  }
  void operator()(const StallEvent& event) const {
    event.begins ? listener->OnStallBegin(event.stall) : listener->OnStallEnd(event.stall);
  }
  void operator()(const OptionsInfo& options) const { listener->OnOptionsChange(options); }
  void operator()(const WritesRefusedInfo& refused) const { listener->OnWritesRefused(refused); }
};

}  // namespace

EventListener::~EventListener() = default;
void EventListener::OnJobBegin(const JobInfo&) {}
void EventListener::OnJobPause(const JobInfo&) {}
void EventListener::OnJobResume(const JobInfo&) {}
void EventListener::OnJobEnd(const JobInfo&) {}
void EventListener::OnStallBegin(const StallInfo&) {}
void EventListener::OnStallEnd(const StallInfo&) {}
void EventListener::OnOptionsChange(const OptionsInfo&) {}
void EventListener::OnWritesRefused(const WritesRefusedInfo&) {}

/// The event thread. Runs while a hub holds it, and delivers one event per hub in turn.
class EventHub::Thread {
 public:
  /// Returns the thread of this process, and starts it if necessary.
  static leveldb::Status Shared(std::shared_ptr<Thread>* result);
  ~Thread() {
    stopping_.store(true, std::memory_order_release);
    signal_.Wake();
    thread_.reset();
  }

  void Wake() { signal_.Wake(); }
  void Attach(EventHub* hub) LULL_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    hubs_.push_back(hub);
  }
  /// After the return, the thread does not use `hub`.
  void Detach(EventHub* hub) LULL_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    std::erase(hubs_, hub);
    signal_.Wake();  // the current round could skip a hub, since positions shift
    while (current_ == hub) left_.Wait(mutex_);
  }

 private:
  void Loop();
  EventHub* Enter(size_t index) LULL_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    current_ = index < hubs_.size() ? hubs_[index] : nullptr;
    return current_;
  }
  void Leave() LULL_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    current_ = nullptr;
    left_.NotifyAll();
  }

  WakeSignal signal_;
  std::atomic<bool> stopping_{false};
  Mutex mutex_;
  CondVar left_;
  std::vector<EventHub*> hubs_ LULL_GUARDED_BY(mutex_);
  EventHub* current_ LULL_GUARDED_BY(mutex_) = nullptr;  // its listeners are called now
  std::unique_ptr<ThreadHandle> thread_;
};

leveldb::Status EventHub::Thread::Shared(std::shared_ptr<Thread>* result) {
  static constinit SharedInProcess<Thread> shared;
  const auto make = [](std::shared_ptr<Thread>* made) {
    *made = std::make_shared<Thread>();
    return ThreadFactory::System()->TryStart(
        "lull-events", CpuClass::kNormal, [thread = made->get()] { thread->Loop(); },
        &(*made)->thread_);
  };
  return shared.Get(make, result);
}

void EventHub::Thread::Loop() {
  while (!stopping_.load(std::memory_order_acquire)) {
    const uint32_t ticket = signal_.Ticket();
    bool delivered = false;
    size_t index = 0;
    while (EventHub* const hub = Enter(index++)) {
      if (hub->DeliverOne()) delivered = true;
      Leave();
    }
    if (!delivered && !stopping_.load(std::memory_order_acquire)) signal_.Wait(ticket, kWaitNanos);
  }
}

EventHub::EventHub() = default;
EventHub::~EventHub() { Stop(); }

void EventHub::Stop() {
  std::shared_ptr<Thread> thread;
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    thread = std::move(thread_);
  }
  if (thread != nullptr) thread->Detach(this);
  while (DeliverOne()) {
  }
}

bool EventHub::IsFor(const Subscriber& subscriber, const Event& event) {
  const auto* const job = std::get_if<JobEvent>(&event);
  return subscriber.wants == Wants::kEverything || job == nullptr ||
         job->phase == JobEvent::Phase::kEnd;
}

void EventHub::Post(Event event) {
  MutexLock lock(mutex_);
  const bool wanted =
      std::any_of(subscribers_.begin(), subscribers_.end(),
                  [&](const SubscriberRef& subscriber) { return IsFor(*subscriber, event); });
  if (stopping_ || !wanted) return;
  EnqueueLocked(std::move(event), nullptr);
}

/// If the queue is full, drops the oldest event, so that listeners see the store's current state.
void EventHub::EnqueueLocked(Event event, SubscriberRef only_for) {
  if (queue_.size() >= kQueuedMax) {
    queue_.pop_front();
    ++dropped_;
  }
  queue_.push_back({next_ticket_++, std::move(event), std::move(only_for)});
  if (thread_ != nullptr) thread_->Wake();
}

leveldb::Status EventHub::Add(std::shared_ptr<EventListener> listener, Wants wants,
                              std::vector<Event> past) {
  auto subscriber = std::make_shared<Subscriber>();
  subscriber->wants = wants;
  subscriber->listener = std::move(listener);
  std::shared_ptr<Thread> thread;
  leveldb::Status status = Thread::Shared(&thread);
  if (!status.ok()) return status;
  MutexLock lock(mutex_);
  for (const SubscriberRef& present : subscribers_) {
    if (present->listener == subscriber->listener)
      return leveldb::Status::InvalidArgument("the store already has this listener");
  }
  if (thread_ == nullptr && !stopping_) {
    thread_ = std::move(thread);
    thread_->Attach(this);
  }
  subscriber->first_ticket = next_ticket_;
  subscribers_.push_back(subscriber);
  for (Event& event : past) EnqueueLocked(std::move(event), subscriber);
  return status;
}

uint64_t EventHub::MemoryBytes() const {
  MutexLock lock(mutex_);
  return queue_.size() * sizeof(Queued);
}

uint64_t EventHub::Dropped() const {
  MutexLock lock(mutex_);
  return dropped_;
}

bool EventHub::Remove(const EventListener* listener) {
  std::shared_ptr<EventListener> released;  // destroyed last: not under the lock
  MutexLock lock(mutex_);
  const auto found = std::find_if(
      subscribers_.begin(), subscribers_.end(),
      [&](const SubscriberRef& present) { return present->listener.get() == listener; });
  if (found == subscribers_.end()) return false;
  const SubscriberRef subscriber = std::move(*found);
  subscribers_.erase(found);
  subscriber->removed = true;
  while (called_ == subscriber && called_by_ != ThreadOrdinal()) call_ended_.Wait(mutex_);
  // An event in delivery can still hold the subscriber, so release its listener if no call runs.
  if (called_ != subscriber) released = std::move(subscriber->listener);
  return true;
}

/// Delivers one event. Returns false if the queue is empty. One thread at a time: the event thread,
/// or after Detach the stopping thread.
bool EventHub::DeliverOne() {
  Queued next;
  std::vector<SubscriberRef> receivers;
  {
    MutexLock lock(mutex_);
    if (queue_.empty()) return false;
    next = std::move(queue_.front());
    queue_.pop_front();
    if (next.only_for != nullptr) {
      receivers.push_back(next.only_for);
    } else {
      for (const SubscriberRef& subscriber : subscribers_) {
        if (subscriber->first_ticket <= next.ticket && IsFor(*subscriber, next.event)) {
          receivers.push_back(subscriber);
        }
      }
    }
  }
  for (const SubscriberRef& receiver : receivers) Call(receiver, next.event);
  return true;
}

void EventHub::Call(const SubscriberRef& subscriber, const Event& event) {
  {
    MutexLock lock(mutex_);
    if (subscriber->removed) return;
    called_ = subscriber;
    called_by_ = ThreadOrdinal();
  }
  std::visit(Dispatch{subscriber->listener.get()}, event);
  MutexLock lock(mutex_);
  called_ = nullptr;
  call_ended_.NotifyAll();
}

}  // namespace lull
