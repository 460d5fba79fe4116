// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// EventHub: delivers a store's events to its listeners. Any thread posts. The store's thread
// "lull-events" calls the listeners; it exists while events wait, and for a second after. So a
// posting thread, which can hold any lock, never waits for a listener, nor for one of another
// store.
//
// Invariants: a listener gets the events posted after it was added, in order, each at most once,
// and none after it was removed. It misses only events dropped because kQueuedMax newer events of
// its store wait.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "leveldb/env.h"
#include "leveldb/status.h"
#include "lull/listener.h"
#include "util/mutex.h"
#include "util/thread.h"

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

/// A line for a log. No listener gets it.
struct LineEvent {
  leveldb::Logger* logger = nullptr;
  std::string text;
};

using Event = std::variant<JobEvent, StallEvent, OptionsInfo, WritesRefusedInfo, LineEvent>;

class EventHub {
 public:
  static constexpr size_t kQueuedMax = 4096;

  EventHub();
  /// Calls Stop.
  ~EventHub();

  /// Waits until the listeners have the events posted so far. Later posts are dropped.
  void Stop() LULL_EXCLUDES(mutex_);

  /// Any thread. The caller can hold any lock that precedes the hub's in the lock order.
  void Post(Event event) LULL_EXCLUDES(mutex_);

  /// Writes a line to `logger` on the event thread; without a listener, here. Same callers.
  void PostLine(leveldb::Logger* logger, std::string text) LULL_EXCLUDES(mutex_);

  enum class Wants { kEverything, kSummaries };  ///< summaries: no job begins, pauses or resumes

  /// Delivers `past` to this listener only, before all later posts. Returns InvalidArgument if it
  /// was added before, IOError if the event thread cannot start. Any thread.
  leveldb::Status Add(std::shared_ptr<EventListener> listener, Wants wants, std::vector<Event> past)
      LULL_EXCLUDES(mutex_);

  /// Returns false if the listener is unknown. Otherwise, on return, no function of it runs and the
  /// hub has released it, unless one of its functions is the caller. Any thread, holding no lock
  /// that a listener can take.
  bool Remove(const EventListener* listener) LULL_EXCLUDES(mutex_);

  /// Memory of the waiting events, in bytes.
  uint64_t MemoryBytes() const LULL_EXCLUDES(mutex_);
  /// Count of events dropped because the queue was full.
  uint64_t Dropped() const LULL_EXCLUDES(mutex_);

 private:
  struct Subscriber {
    std::shared_ptr<EventListener> listener;  // null after removal, outside calls
    Wants wants = Wants::kEverything;
    uint64_t first_ticket = 0;  // it gets no earlier events
    bool removed = false;       // guarded by the hub's mutex
  };
  using SubscriberRef = std::shared_ptr<Subscriber>;
  struct Queued {
    uint64_t ticket = 0;
    Event event;
    SubscriberRef only_for;  // null: for all
  };

  static bool IsFor(const Subscriber& subscriber, const Event& event);
  void EnqueueLocked(Event event, SubscriberRef only_for) LULL_REQUIRES(mutex_);
  leveldb::Status StartThreadLocked() LULL_REQUIRES(mutex_);
  void Loop() LULL_EXCLUDES(mutex_);
  void DeliverOne() LULL_EXCLUDES(mutex_);
  void Call(const SubscriberRef& subscriber, const Event& event) LULL_EXCLUDES(mutex_);

  mutable Mutex mutex_;
  CondVar call_ended_;
  CondVar posted_;
  std::unique_ptr<ThreadHandle> thread_ LULL_GUARDED_BY(mutex_);  // can have ended
  bool delivers_ LULL_GUARDED_BY(mutex_) = false;                 // it has not ended
  std::deque<Queued> queue_ LULL_GUARDED_BY(mutex_);
  std::vector<SubscriberRef> subscribers_ LULL_GUARDED_BY(mutex_);
  uint64_t next_ticket_ LULL_GUARDED_BY(mutex_) = 0;
  uint64_t dropped_ LULL_GUARDED_BY(mutex_) = 0;
  bool stopping_ LULL_GUARDED_BY(mutex_) = false;
  SubscriberRef called_ LULL_GUARDED_BY(mutex_);    // its listener is being called
  unsigned called_by_ LULL_GUARDED_BY(mutex_) = 0;  // ordinal of the calling thread
};

}  // namespace lull
