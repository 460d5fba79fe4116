// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/report/event_hub.h"

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/event_count.h"
#include "tests/support/gate.h"
#include "tests/support/no_more_threads.h"
#include "tests/util/threads.h"
#include "util/mutex.h"
#include "util/thread.h"

namespace lull::testing {
namespace {

Event EventOf(uint64_t id, JobEvent::Phase phase = JobEvent::Phase::kBegin) {
  JobEvent event;
  event.phase = phase;
  event.job.id = id;
  return event;
}

/// Records the ids that it receives, and calls the test's function at each. Each event passes the
/// gate.
class Notes final : public EventListener {
 public:
  void OnJobBegin(const JobInfo& job) override { Note(job.id); }
  void OnJobEnd(const JobInfo& job) override { Note(job.id); }

  std::vector<uint64_t> Heard() {
    MutexLock lock(mutex_);
    return heard_;
  }
  void AwaitFirst() {
    events_.Await("an event", [this] { return events_.count() > 0; });
  }

  Gate gate;
  std::function<void()> at_each;

 private:
  void Note(uint64_t id) {
    {
      MutexLock lock(mutex_);
      heard_.push_back(id);
    }
    events_.Note();
    if (at_each) at_each();
    gate.Pass();
  }

  EventCount events_;
  Mutex mutex_;
  std::vector<uint64_t> heard_ LULL_GUARDED_BY(mutex_);
};

using Ids = std::vector<uint64_t>;

class EventHubTest : public ::testing::Test {
 protected:
  leveldb::Status Add(const std::shared_ptr<Notes>& notes, const std::vector<Event>& past = {}) {
    return hub_.Add(notes, EventHub::Wants::kEverything, past);
  }
  void Post(uint64_t first, uint64_t last) {
    for (uint64_t id = first; id <= last; ++id) hub_.Post(EventOf(id));
  }
  /// notes_ hangs in an event until its gate opens.
  void Hang() {
    notes_->gate.Close();
    hub_.Post(EventOf(0));
    notes_->gate.AwaitBlocked();
  }

  const std::shared_ptr<Notes> notes_ = std::make_shared<Notes>();
  const std::shared_ptr<Notes> second_ = std::make_shared<Notes>();
  EventHub hub_;
};

TEST_F(EventHubTest, WhoComesLaterHearsOfThePastItIsToldAndOfWhatFollows) {
  Add(notes_);
  Post(1, 1);
  EXPECT_TRUE(Add(second_, {EventOf(7), EventOf(8)}).ok());
  EXPECT_TRUE(Add(second_, {EventOf(9)}).IsInvalidArgument());
  Post(2, 2);
  hub_.Stop();
  Post(3, 3);
  EXPECT_EQ(notes_->Heard(), (Ids{1, 2}));
  EXPECT_EQ(second_->Heard(), (Ids{7, 8, 2}));
}

TEST_F(EventHubTest, SummariesAreEndsOnly) {
  hub_.Add(notes_, EventHub::Wants::kSummaries, {});
  hub_.Post(EventOf(1));
  hub_.Post(EventOf(2, JobEvent::Phase::kEnd));
  hub_.Stop();
  EXPECT_EQ(notes_->Heard(), (Ids{2}));
}

TEST_F(EventHubTest, RemoveWaitsForTheCallThatRuns) {
  std::atomic<bool> inside{false};
  std::atomic<bool> removed{false};
  std::atomic<bool> left{false};
  EventCount removes;
  std::unique_ptr<ThreadHandle> remover;
  notes_->at_each = [&] {
    if (inside.exchange(true)) return;
    remover = ThreadFactory::System()->Start("remove", CpuClass::kNormal, [&] {
      removes.Note();
      EXPECT_TRUE(hub_.Remove(notes_.get()));
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
  Add(notes_);
  Post(1, 2);
  hub_.Stop();
  remover.reset();
  EXPECT_TRUE(inside.load());
  EXPECT_TRUE(removed.load());
  EXPECT_FALSE(hub_.Remove(notes_.get()));
}

TEST_F(EventHubTest, HoldsNoListenerThatWasRemovedWhileAnEventIsOnItsWayToIt) {
  Add(notes_);
  Add(second_);
  Hang();
  EXPECT_TRUE(hub_.Remove(second_.get()));
  EXPECT_EQ(second_.use_count(), 1);
  notes_->gate.Open();
  hub_.Stop();
  EXPECT_EQ(second_->Heard(), Ids{});
}

TEST_F(EventHubTest, AListenerMayRemoveItself) {
  notes_->at_each = [&] { EXPECT_TRUE(hub_.Remove(notes_.get())); };
  Add(notes_);
  Post(1, 2);
  hub_.Stop();
  EXPECT_EQ(notes_->Heard(), (Ids{1}));
}

// Posters do not wait for it.
TEST_F(EventHubTest, AListenerThatHangsLosesTheOldestEvents) {
  constexpr uint64_t kLost = 10;
  Add(notes_);
  Hang();
  EXPECT_EQ(hub_.Dropped(), 0u);
  Post(1, EventHub::kQueuedMax + kLost);
  EXPECT_EQ(hub_.Dropped(), kLost);
  EXPECT_EQ(notes_->Heard().size(), 1u);
  notes_->gate.Open();
  hub_.Stop();
  const Ids heard = notes_->Heard();
  ASSERT_EQ(heard.size(), 1 + EventHub::kQueuedMax);
  EXPECT_EQ(heard[1], kLost + 1);
  EXPECT_EQ(heard.back(), EventHub::kQueuedMax + kLost);
}

TEST_F(EventHubTest, AListenerThatHangsStopsNoOtherHub) {
  Add(notes_);
  Hang();
  EventHub other;
  ASSERT_TRUE(other.Add(second_, EventHub::Wants::kEverything, {}).ok());
  other.Post(EventOf(1));
  second_->AwaitFirst();
  other.Post(EventOf(2));
  other.Stop();
  EXPECT_EQ(second_->Heard(), (Ids{1, 2}));
  notes_->gate.Open();
  hub_.Stop();
}

TEST_F(EventHubTest, WithoutAThreadNoListenerIsAdded) {
  {
    const NoMoreThreads refused;
    EXPECT_TRUE(Add(notes_).IsIOError());
  }
  EXPECT_FALSE(hub_.Remove(notes_.get()));
  EXPECT_TRUE(Add(notes_).ok());
  Post(1, 1);
  hub_.Stop();
  EXPECT_EQ(notes_->Heard(), (Ids{1}));
}

TEST_F(EventHubTest, ManyPostersKeepTheirOwnOrder) {
  constexpr uint64_t kPosters = 4;
  constexpr uint64_t kEach = EventHub::kQueuedMax / kPosters;
  Add(notes_);
  RunThreads(kPosters, [this](int poster) {
    const uint64_t first = static_cast<uint64_t>(poster) * kEach;
    Post(first, first + kEach - 1);
  });
  hub_.Stop();
  const Ids heard = notes_->Heard();
  ASSERT_EQ(heard.size(), kPosters * kEach);
  std::vector<uint64_t> next(kPosters, 0);
  for (uint64_t id : heard) ASSERT_EQ(id % kEach, next[id / kEach]++);
}

}  // namespace
}  // namespace lull::testing
