// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/event_hub.h"

#include <algorithm>
#include <utility>

namespace lull {
namespace {

constexpr uint64_t kWaitNanos = 10'000'000'000;  // a post ends the wait before

/// Calls the function of a listener that an event is for.
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

void EventHub::Start() {
  thread_ = ThreadFactory::System()->Start("lull-events", CpuClass::kNormal, [this] { Loop(); });
}

void EventHub::Stop() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
  }
  signal_.Wake();
  thread_.reset();
}

bool EventHub::IsFor(const Subscriber& subscriber, const Event& event) {
  const auto* const job = std::get_if<JobEvent>(&event);
  return subscriber.wants == Wants::kEverything || job == nullptr ||
         job->phase == JobEvent::Phase::kEnd;
}

void EventHub::Post(Event event) {
  {
    MutexLock lock(mutex_);
    const bool wanted =
        std::any_of(subscribers_.begin(), subscribers_.end(),
                    [&](const SubscriberRef& subscriber) { return IsFor(*subscriber, event); });
    if (stopping_ || !wanted) return;  // nobody is woken for nothing
    queue_.push_back({next_ticket_++, std::move(event), nullptr});
  }
  signal_.Wake();
}

bool EventHub::Add(std::shared_ptr<EventListener> listener, Wants wants, std::vector<Event> past) {
  auto subscriber = std::make_shared<Subscriber>();
  subscriber->wants = wants;
  subscriber->listener = std::move(listener);
  {
    MutexLock lock(mutex_);
    for (const SubscriberRef& present : subscribers_) {
      if (present->listener == subscriber->listener) return false;
    }
    subscriber->first_ticket = next_ticket_;
    subscribers_.push_back(subscriber);
    for (Event& event : past) queue_.push_back({next_ticket_++, std::move(event), subscriber});
  }
  signal_.Wake();
  return true;
}

bool EventHub::Remove(const EventListener* listener) {
  std::shared_ptr<EventListener> released;  // goes last: its destructor must not run under the lock
  MutexLock lock(mutex_);
  const auto found = std::find_if(
      subscribers_.begin(), subscribers_.end(),
      [&](const SubscriberRef& present) { return present->listener.get() == listener; });
  if (found == subscribers_.end()) return false;
  const SubscriberRef subscriber = std::move(*found);
  subscribers_.erase(found);
  subscriber->removed = true;
  if (hub_thread_ != ThreadOrdinal()) {
    while (called_ == subscriber) call_ended_.Wait(mutex_);
  }
  // An event on its way may still hold the subscriber, but not the listener that is in no call.
  if (called_ != subscriber) released = std::move(subscriber->listener);
  return true;
}

void EventHub::Loop() {
  {
    MutexLock lock(mutex_);
    hub_thread_ = ThreadOrdinal();
  }
  while (true) {
    const uint32_t ticket = signal_.Ticket();
    while (DeliverOne()) {
    }
    {
      MutexLock lock(mutex_);
      if (stopping_ && queue_.empty()) return;
    }
    signal_.Wait(ticket, kWaitNanos);
  }
}

/// False when there is none.
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
  }
  std::visit(Dispatch{subscriber->listener.get()}, event);
  MutexLock lock(mutex_);
  called_ = nullptr;
  call_ended_.NotifyAll();
}

}  // namespace lull
