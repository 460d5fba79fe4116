// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/report/event_hub.h"

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/event_count.h"
#include "tests/support/no_more_threads.h"
#include "util/mutex.h"
#include "util/thread.h"

namespace lull {
namespace {

Event Begin(uint64_t id) {
  JobEvent event;
  event.job.id = id;
  return event;
}

Event End(uint64_t id) {
  JobEvent event;
  event.phase = JobEvent::Phase::kEnd;
  event.job.id = id;
  return event;
}

/// Records the ids that it receives, and calls the test's function at each.
class Notes final : public EventListener {
 public:
  void OnJobBegin(const JobInfo& job) override { Note(job.id); }
  void OnJobEnd(const JobInfo& job) override { Note(job.id); }

  std::vector<uint64_t> Heard() {
    MutexLock lock(mutex_);
    return heard_;
  }
  void Await(size_t count) {
    MutexLock lock(mutex_);
    while (heard_.size() < count) more_.Wait(mutex_);
  }
  std::function<void()> at_each;

 private:
  void Note(uint64_t id) {
    {
      MutexLock lock(mutex_);
      heard_.push_back(id);
      more_.NotifyAll();
    }
    if (at_each) at_each();
  }

  Mutex mutex_;
  CondVar more_;
  std::vector<uint64_t> heard_ LULL_GUARDED_BY(mutex_);
};

using Ids = std::vector<uint64_t>;
constexpr EventHub::Wants kAll = EventHub::Wants::kEverything;

TEST(EventHub, DeliversInOrderAndAllOfItBeforeItStops) {
  auto notes = std::make_shared<Notes>();
  EventHub hub;
  hub.Add(notes, kAll, {});
  Ids posted;
  for (uint64_t id = 1; id <= 1000; ++id) {
    hub.Post(Begin(id));
    posted.push_back(id);
  }
  hub.Stop();
  EXPECT_EQ(notes->Heard(), posted);
  hub.Post(Begin(1001));
  EXPECT_EQ(notes->Heard(), posted);
}

TEST(EventHub, WhoComesLaterHearsOfThePastItIsToldAndOfWhatFollows) {
  auto first = std::make_shared<Notes>();
  auto second = std::make_shared<Notes>();
  EventHub hub;
  hub.Add(first, kAll, {});
  hub.Post(Begin(1));
  EXPECT_TRUE(hub.Add(second, kAll, {Begin(7), Begin(8)}).ok());
  EXPECT_TRUE(hub.Add(second, kAll, {Begin(9)}).IsInvalidArgument());
  hub.Post(Begin(2));
  hub.Stop();
  EXPECT_EQ(first->Heard(), (Ids{1, 2}));
  EXPECT_EQ(second->Heard(), (Ids{7, 8, 2}));
}

TEST(EventHub, SummariesAreEndsOnly) {
  auto summaries = std::make_shared<Notes>();
  EventHub hub;
  hub.Add(summaries, EventHub::Wants::kSummaries, {});
  hub.Post(Begin(1));
  hub.Post(End(2));
  hub.Stop();
  EXPECT_EQ(summaries->Heard(), (Ids{2}));
}

TEST(EventHub, RemoveWaitsForTheCallThatRuns) {
  std::atomic<bool> inside{false};
  std::atomic<bool> removed{false};
  std::atomic<bool> left{false};
  auto notes = std::make_shared<Notes>();
  EventHub hub;
  testing::EventCount removes;
  std::unique_ptr<ThreadHandle> remover;
  notes->at_each = [&] {
    if (inside.exchange(true)) return;
    remover = ThreadFactory::System()->Start("remove", CpuClass::kNormal, [&] {
      removes.Note();
      EXPECT_TRUE(hub.Remove(notes.get()));
      EXPECT_TRUE(left.load());
      removed.store(true);
    });
    removes.Await("the remover", [&] { return removes.count() > 0; });
    // While this call runs, the removal must not finish. No event shows how far the remover is, so
    // give it time.
    for (int i = 0; i < 1000; ++i) {
      OfferCore();
      EXPECT_FALSE(removed.load());
    }
    left.store(true);
  };
  hub.Add(notes, kAll, {});
  hub.Post(Begin(1));
  hub.Post(Begin(2));
  hub.Stop();
  remover.reset();
  EXPECT_TRUE(inside.load());
  EXPECT_TRUE(removed.load());
  EXPECT_FALSE(hub.Remove(notes.get()));
}

TEST(EventHub, HoldsNoListenerThatWasRemovedWhileAnEventIsOnItsWayToIt) {
  Mutex gate;
  auto slow = std::make_shared<Notes>();
  slow->at_each = [&] { MutexLock lock(gate); };
  auto next = std::make_shared<Notes>();
  EventHub hub;
  hub.Add(slow, kAll, {});
  hub.Add(next, kAll, {});
  gate.Lock();
  hub.Post(Begin(1));
  slow->Await(1);  // the event moves from the slow listener to the next
  EXPECT_TRUE(hub.Remove(next.get()));
  EXPECT_EQ(next.use_count(), 1);
  gate.Unlock();
  hub.Stop();
  EXPECT_EQ(next->Heard(), Ids{});
}

TEST(EventHub, AListenerMayRemoveItself) {
  auto notes = std::make_shared<Notes>();
  EventHub hub;
  notes->at_each = [&] { EXPECT_TRUE(hub.Remove(notes.get())); };
  hub.Add(notes, kAll, {});
  hub.Post(Begin(1));
  hub.Post(Begin(2));
  hub.Stop();
  EXPECT_EQ(notes->Heard(), (Ids{1}));
}

TEST(EventHub, PostersDoNotWaitForASlowListener) {
  Mutex gate;
  auto slow = std::make_shared<Notes>();
  slow->at_each = [&] { MutexLock lock(gate); };
  EventHub hub;
  hub.Add(slow, kAll, {});
  gate.Lock();
  for (uint64_t id = 1; id <= 100; ++id) hub.Post(Begin(id));
  slow->Await(1);
  EXPECT_EQ(slow->Heard().size(), 1u);
  gate.Unlock();
  hub.Stop();
  EXPECT_EQ(slow->Heard().size(), 100u);
}

TEST(EventHub, AListenerThatHangsLosesTheOldestEvents) {
  constexpr uint64_t kLost = 10;
  Mutex gate;
  auto slow = std::make_shared<Notes>();
  slow->at_each = [&] { MutexLock lock(gate); };
  EventHub hub;
  ASSERT_TRUE(hub.Add(slow, kAll, {}).ok());
  gate.Lock();
  hub.Post(Begin(0));
  slow->Await(1);
  EXPECT_EQ(hub.Dropped(), 0u);
  for (uint64_t id = 1; id <= EventHub::kQueuedMax + kLost; ++id) hub.Post(Begin(id));
  EXPECT_EQ(hub.Dropped(), kLost);
  gate.Unlock();
  hub.Stop();
  const Ids heard = slow->Heard();
  ASSERT_EQ(heard.size(), 1 + EventHub::kQueuedMax);
  EXPECT_EQ(heard[1], kLost + 1);
  EXPECT_EQ(heard.back(), EventHub::kQueuedMax + kLost);
}

TEST(EventHub, HubsShareAThreadThatNoneNeedsToStop) {
  Mutex gate;
  auto slow = std::make_shared<Notes>();
  unsigned slow_thread = 0;
  slow->at_each = [&] {
    slow_thread = ThreadOrdinal();
    MutexLock lock(gate);
  };
  auto other = std::make_shared<Notes>();
  unsigned other_thread = 0;
  other->at_each = [&] { other_thread = ThreadOrdinal(); };
  EventHub hangs, shared;
  ASSERT_TRUE(hangs.Add(slow, kAll, {}).ok());
  ASSERT_TRUE(shared.Add(other, kAll, {}).ok());
  shared.Post(Begin(1));
  other->Await(1);
  gate.Lock();
  hangs.Post(Begin(1));
  slow->Await(1);
  shared.Post(Begin(2));
  shared.Stop();  // returns although the thread hangs in the other hub's listener
  EXPECT_EQ(other->Heard(), (Ids{1, 2}));
  EXPECT_EQ(other_thread, ThreadOrdinal());
  gate.Unlock();
  hangs.Stop();
  EXPECT_NE(slow_thread, ThreadOrdinal());
}

TEST(EventHub, WithoutAThreadNoListenerIsAdded) {
  auto notes = std::make_shared<Notes>();
  EventHub hub;
  {
    const testing::NoMoreThreads refused;
    EXPECT_TRUE(hub.Add(notes, kAll, {}).IsIOError());
  }
  EXPECT_FALSE(hub.Remove(notes.get()));
  EXPECT_TRUE(hub.Add(notes, kAll, {}).ok());
  hub.Post(Begin(1));
  hub.Stop();
  EXPECT_EQ(notes->Heard(), (Ids{1}));
}

TEST(EventHub, ManyPostersKeepTheirOwnOrder) {
  constexpr uint64_t kPosters = 4;
  constexpr uint64_t kEach = EventHub::kQueuedMax / kPosters;
  auto notes = std::make_shared<Notes>();
  EventHub hub;
  hub.Add(notes, kAll, {});
  std::vector<std::unique_ptr<ThreadHandle>> posters;
  for (uint64_t poster = 0; poster < kPosters; ++poster) {
    posters.push_back(ThreadFactory::System()->Start("post", CpuClass::kNormal, [&hub, poster] {
      for (uint64_t i = 0; i < kEach; ++i) hub.Post(Begin(poster * kEach + i));
    }));
  }
  posters.clear();
  hub.Stop();
  const Ids heard = notes->Heard();
  ASSERT_EQ(heard.size(), kPosters * kEach);
  std::vector<uint64_t> next(kPosters, 0);
  for (uint64_t id : heard) ASSERT_EQ(id % kEach, next[id / kEach]++);
}

}  // namespace
}  // namespace lull
