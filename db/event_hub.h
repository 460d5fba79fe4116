// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// From where things happen to who wants to hear of them. Whatever thread an event happens on posts
// it; one thread of the hub calls the listeners, in the order of the posts. So the poster, who may
// hold any lock and be in any hurry, never waits for a listener.
//
// What always holds: a listener gets the events posted after it was added, each once, in order, and
// none after it was removed.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <variant>
#include <vector>

#include "leveldb/status.h"
#include "lull/listener.h"
#include "util/mutex.h"
#include "util/thread.h"
#include "util/wake_signal.h"

namespace lull {

struct JobEvent {
  enum class Phase { kBegin, kPause, kResume, kEnd };
  Phase phase = Phase::kBegin;
  JobInfo job;
};

struct StallEvent {
  bool begins = false;
  StallInfo stall;
};

using Event = std::variant<JobEvent, StallEvent, OptionsInfo, WritesRefusedInfo>;

class EventHub {
 public:
  EventHub() = default;
  /// Stops.
  ~EventHub() { Stop(); }
  EventHub(const EventHub&) = delete;
  EventHub& operator=(const EventHub&) = delete;

  /// Starts the thread. What was posted before waits until now.
  void Start();
  /// Delivers what was posted, and ends the thread. What is posted later is dropped.
  void Stop() LULL_EXCLUDES(mutex_);

  /// Any thread, any lock held but those that are taken by Add's caller.
  void Post(Event event) LULL_EXCLUDES(mutex_);

  enum class Wants { kEverything, kSummaries };  ///< summaries: no begin, pause or resume of a job

  /// `past` is for this listener alone, before everything that is posted from now on. False when it
  /// is there already. Any thread.
  bool Add(std::shared_ptr<EventListener> listener, Wants wants, std::vector<Event> past)
      LULL_EXCLUDES(mutex_);

  /// False when it is not there. Otherwise, on return, none of its functions runs any more and the
  /// hub does not hold it any more, unless one of them is the caller. Any thread; holds no lock
  /// that a listener may want.
  bool Remove(const EventListener* listener) LULL_EXCLUDES(mutex_);

 private:
  struct Subscriber {
    std::shared_ptr<EventListener> listener;  // null once removed and not in a call
    Wants wants = Wants::kEverything;
    uint64_t first_ticket = 0;  // events before are not for it
    bool removed = false;       // guarded by the hub's mutex
  };
  using SubscriberRef = std::shared_ptr<Subscriber>;
  struct Queued {
    uint64_t ticket = 0;
    Event event;
    SubscriberRef only_for;  // null: for everyone
  };

  static bool IsFor(const Subscriber& subscriber, const Event& event);
  void Loop();
  bool DeliverOne() LULL_EXCLUDES(mutex_);
  void Call(const SubscriberRef& subscriber, const Event& event) LULL_EXCLUDES(mutex_);

  WakeSignal signal_;
  Mutex mutex_;
  CondVar call_ended_;
  std::deque<Queued> queue_ LULL_GUARDED_BY(mutex_);
  std::vector<SubscriberRef> subscribers_ LULL_GUARDED_BY(mutex_);
  uint64_t next_ticket_ LULL_GUARDED_BY(mutex_) = 0;
  bool stopping_ LULL_GUARDED_BY(mutex_) = false;
  SubscriberRef called_ LULL_GUARDED_BY(mutex_);  // whose function runs now
  unsigned hub_thread_ LULL_GUARDED_BY(mutex_) = UINT32_MAX;
  std::unique_ptr<ThreadHandle> thread_;
};

}  // namespace lull
