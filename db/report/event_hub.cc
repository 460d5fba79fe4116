// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/report/event_hub.h"

#include <algorithm>
#include <utility>

#include "util/logging.h"

namespace lull {
namespace {

constexpr uint64_t kStayNanos = 1'000'000'000;

/// Calls the listener function for an event.
struct Dispatch {
  EventListener* listener;

  void operator()(const JobEvent& event) const {
    constexpr void (EventListener::*kCalls[])(const JobInfo&) = {
        &EventListener::OnJobBegin, &EventListener::OnJobPause, &EventListener::OnJobResume,
        &EventListener::OnJobEnd};
    (listener->*kCalls[static_cast<size_t>(event.phase)])(event.job);
  }
  void operator()(const StallEvent& event) const {
    event.begins ? listener->OnStallBegin(event.stall) : listener->OnStallEnd(event.stall);
  }
  void operator()(const OptionsInfo& options) const { listener->OnOptionsChange(options); }
  void operator()(const WritesRefusedInfo& refused) const { listener->OnWritesRefused(refused); }
  void operator()(const LineEvent&) const {}
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

EventHub::EventHub() = default;
EventHub::~EventHub() { Stop(); }

leveldb::Status EventHub::StartThreadLocked() {
  if (delivers_ || stopping_) return leveldb::Status::OK();
  thread_.reset();  // its loop has ended
  leveldb::Status status = ThreadFactory::System()->TryStart(
      "lull-events", CpuClass::kNormal, [this] { Loop(); }, &thread_);
  delivers_ = status.ok();
  return status;
}

void EventHub::Loop() {
  MutexLock lock(mutex_);
  while (true) {
    // A spurious wake-up only ends the thread early.
    if (queue_.empty() && !stopping_) posted_.WaitFor(mutex_, kStayNanos);
    if (queue_.empty()) break;
    mutex_.Unlock();
    DeliverOne();
    mutex_.Lock();
  }
  delivers_ = false;
}

void EventHub::Stop() {
  std::unique_ptr<ThreadHandle> thread;
  MutexLock lock(mutex_);
  stopping_ = true;
  posted_.NotifyAll();
  thread = std::move(thread_);
  mutex_.Unlock();
  thread.reset();
  mutex_.Lock();
  while (!queue_.empty()) {  // the system refused a thread
    mutex_.Unlock();
    DeliverOne();
    mutex_.Lock();
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

void EventHub::PostLine(leveldb::Logger* logger, std::string text) {
  {
    MutexLock lock(mutex_);
    if (!subscribers_.empty() && !stopping_)
      return EnqueueLocked(LineEvent{logger, std::move(text)}, nullptr);
  }
  Log(logger, "%s", text.c_str());
}

/// If the queue is full, drops the oldest event, so that listeners see the store's current state.
void EventHub::EnqueueLocked(Event event, SubscriberRef only_for) {
  if (queue_.size() >= kQueuedMax) {
    queue_.pop_front();
    ++dropped_;
  }
  queue_.push_back({next_ticket_++, std::move(event), std::move(only_for)});
  posted_.NotifyAll();
  StartThreadLocked();  // if the system refuses it, the next event tries again
}

leveldb::Status EventHub::Add(std::shared_ptr<EventListener> listener, Wants wants,
                              std::vector<Event> past) {
  auto subscriber = std::make_shared<Subscriber>();
  subscriber->wants = wants;
  subscriber->listener = std::move(listener);
  MutexLock lock(mutex_);
  for (const SubscriberRef& present : subscribers_) {
    if (present->listener == subscriber->listener)
      return leveldb::Status::InvalidArgument("the store already has this listener");
  }
  const leveldb::Status status = StartThreadLocked();
  if (!status.ok()) return status;
  subscriber->first_ticket = next_ticket_;
  subscribers_.push_back(subscriber);
  for (Event& event : past) EnqueueLocked(std::move(event), subscriber);
  return leveldb::Status::OK();
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

/// Delivers one event.
void EventHub::DeliverOne() {
  Queued next;
  std::vector<SubscriberRef> receivers;
  {
    MutexLock lock(mutex_);
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
  if (const auto* const line = std::get_if<LineEvent>(&next.event))
    return Log(line->logger, "%s", line->text.c_str());
  for (const SubscriberRef& receiver : receivers) Call(receiver, next.event);
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
