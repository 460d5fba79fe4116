// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Delivers a store's events to its listeners. Any thread posts; one thread of the process,
// "lull-events", calls the listeners of all stores in turn. So the poster, who may hold any lock,
// never waits for a listener.
//
// What always holds: a listener gets the events posted after it was added, in order, each at most
// once, and none after it was removed. It misses only what was dropped because kQueuedMax newer
// events of its store wait.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <variant>
#include <vector>

#include "leveldb/status.h"
#include "lull/listener.h"
#include "util/mutex.h"

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
  static constexpr size_t kQueuedMax = 4096;

  EventHub();
  /// Stops.
  ~EventHub();
  EventHub(const EventHub&) = delete;
  EventHub& operator=(const EventHub&) = delete;

  /// Delivers on this thread what still waits, so that a listener of another store that hangs
  /// cannot delay it. First waits for a listener of this hub that is being called. Later posts are
  /// dropped.
  void Stop() LULL_EXCLUDES(mutex_);

  /// Any thread, any lock held but those that are taken by Add's caller.
  void Post(Event event) LULL_EXCLUDES(mutex_);

  enum class Wants { kEverything, kSummaries };  ///< summaries: no begin, pause or resume of a job

  /// `past` is for this listener alone, before everything that is posted from now on.
  /// InvalidArgument if it is there already, IOError if the event thread cannot be started. Any
  /// thread.
  leveldb::Status Add(std::shared_ptr<EventListener> listener, Wants wants, std::vector<Event> past)
      LULL_EXCLUDES(mutex_);

  /// False when it is not there. Otherwise, on return, none of its functions runs any more and the
  /// hub does not hold it any more, unless one of them is the caller. Any thread; holds no lock
  /// that a listener may want.
  bool Remove(const EventListener* listener) LULL_EXCLUDES(mutex_);

  /// Events that no listener got because the queue was full.
  uint64_t Dropped() const LULL_EXCLUDES(mutex_);

 private:
  class Thread;  // the one that all hubs share
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
  void EnqueueLocked(Event event, SubscriberRef only_for) LULL_REQUIRES(mutex_);
  bool DeliverOne() LULL_EXCLUDES(mutex_);
  void Call(const SubscriberRef& subscriber, const Event& event) LULL_EXCLUDES(mutex_);

  mutable Mutex mutex_;
  CondVar call_ended_;
  std::shared_ptr<Thread> thread_ LULL_GUARDED_BY(mutex_);  // from the first Add until Stop
  std::deque<Queued> queue_ LULL_GUARDED_BY(mutex_);
  std::vector<SubscriberRef> subscribers_ LULL_GUARDED_BY(mutex_);
  uint64_t next_ticket_ LULL_GUARDED_BY(mutex_) = 0;
  uint64_t dropped_ LULL_GUARDED_BY(mutex_) = 0;
  bool stopping_ LULL_GUARDED_BY(mutex_) = false;
  SubscriberRef called_ LULL_GUARDED_BY(mutex_);    // whose function runs now
  unsigned called_by_ LULL_GUARDED_BY(mutex_) = 0;  // the ordinal of the thread that runs it
};

}  // namespace lull
