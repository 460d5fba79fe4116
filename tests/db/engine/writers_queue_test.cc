// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/engine/writers_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/manual_clock.h"
#include "util/thread.h"

namespace lull {
namespace {

using leveldb::Status;
using Writer = WritersQueue::Writer;

// Writers join one after the other, each on its own thread; the first leads.
class WritersQueueTest : public ::testing::Test {
 protected:
  struct Client {
    leveldb::WriteBatch batch;
    Writer writer;
    bool led = false;
  };

  ~WritersQueueTest() override { threads_.clear(); }

  // `bytes`: approximate size of the batch; 0: a request to seal.
  Writer* Join(size_t bytes, bool sync, uint64_t until_nanos = UINT64_MAX) {
    Client& client = clients_.emplace_back();
    client.writer.until_nanos = until_nanos;
    if (bytes > 0) {
      client.batch.Put("k", std::string(bytes, 'v'));
      client.writer.batch = &client.batch;
    }
    client.writer.sync = sync;
    const size_t length = queue_.Length();
    if (length == 0) {
      EXPECT_TRUE(queue_.Join(&client.writer));
      return &client.writer;
    }
    threads_.push_back(ThreadFactory::System()->Start("writer", CpuClass::kNormal, [this, &client] {
      client.led = queue_.Join(&client.writer);
      if (client.led) FinishAlone(&client.writer);
    }));
    // Only the queue's length shows that a writer waits in it.
    while (queue_.Length() == length) OfferCore();
    return &client.writer;
  }

  void FinishAlone(Writer* leader) {
    const RoleScope leads(kLeadingWriter);
    queue_.Finish(leader, leader, Status::OK());
  }

  void AwaitLength(size_t length) {
    while (queue_.Length() != length) OfferCore();
  }

  ManualClock clock_;
  WritersQueue queue_{&clock_};
  std::deque<Client> clients_;
  std::vector<std::unique_ptr<ThreadHandle>> threads_;
};

struct GroupRow {
  const char* name;
  const char* writers;  // w: a small write, s: a synced one, L: a large one, -: a request to seal
  const char* members;
};

class WritersGroupTest : public WritersQueueTest, public ::testing::WithParamInterface<GroupRow> {};

TEST_P(WritersGroupTest, EndsWithOneStatus) {
  for (const char writer : std::string_view(GetParam().writers))
    Join(writer == '-' ? 0 : writer == 'L' ? 100 << 10 : 10, writer == 's');
  // Ends the group of the first writer; the others then lead and end by themselves.
  const Status status = Status::IOError("the disk");
  {
    const RoleScope leads(kLeadingWriter);
    Writer* const leader = &clients_.front().writer;
    queue_.Finish(leader, queue_.GroupEnd(leader), status);
  }
  threads_.clear();  // joins
  std::string members;
  for (const Client& client : clients_) {
    members += client.led ? '-' : 'g';
    EXPECT_EQ(client.writer.status.ToString(), (client.led ? Status::OK() : status).ToString());
  }
  EXPECT_EQ(members, GetParam().members);
  EXPECT_EQ(queue_.Length(), 0u);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, WritersGroupTest,
    ::testing::Values(GroupRow{"ALoneWriterLeadsItself", "w", "g"},
                      GroupRow{"WritersOfOneKindShareAGroup", "wwww", "gggg"},
                      // Otherwise its write would be acknowledged without being durable.
                      GroupRow{"ASyncedWriteIsNotLedByOneThatDoesNotSync", "wwsw", "gg--"},
                      GroupRow{"OneThatSyncsLeadsBothKinds", "sws", "ggg"},
                      GroupRow{"ARequestToSealStandsAlone", "w-w", "g--"},
                      GroupRow{"ARequestToSealLeadsNobody", "-w", "g-"},
                      GroupRow{"ASmallWriteIsNotHeldUpByLargeOnes", "wLL", "gg-"}),
    [](const auto& row) { return row.param.name; });

TEST_F(WritersQueueTest, AWriterThatMustNotWaitLeadsOnlyAnEmptyQueue) {
  Writer patient;
  Writer hasty;
  ASSERT_TRUE(queue_.Join(&patient));
  EXPECT_FALSE(queue_.TryJoin(&hasty));
  FinishAlone(&patient);
  EXPECT_TRUE(queue_.TryJoin(&hasty));
  EXPECT_EQ(queue_.Length(), 1u);
  FinishAlone(&hasty);
}

TEST_F(WritersQueueTest, EachWriteIsDoneOnceAndByOneLeaderAtATime) {
  constexpr int kThreads = 4;
  constexpr int kWrites = 3000;
  int done = 0;  // only leaders use it: the queue must order their accesses
  std::atomic<int> left = 0;
  for (int i = 0; i < kThreads; ++i) {
    threads_.push_back(ThreadFactory::System()->Start("writer", CpuClass::kNormal, [&, i] {
      leveldb::WriteBatch batch;
      for (int write = 0; write < kWrites; ++write) {
        Writer writer;
        writer.batch = &batch;
        if (i == 0) writer.until_nanos = clock_.NowNanos();
        writer.sync = i == 1;
        if (queue_.Join(&writer)) {
          const RoleScope leads(kLeadingWriter);
          Writer* const last = queue_.GroupEnd(&writer);
          for (Writer* member = &writer; member != last; member = WritersQueue::NextOf(member))
            ++done;
          ++done;
          queue_.Finish(&writer, last, Status::OK());
        } else if (writer.has_left) {
          ++left;
        }
      }
    }));
  }
  threads_.clear();  // joins
  EXPECT_EQ(done + left, kThreads * kWrites);
  EXPECT_EQ(queue_.Length(), 0u);
}

TEST_F(WritersQueueTest, WhoseTimeHasPassedLeaves) {
  const uint64_t soon = clock_.NowNanos() + 1'000'000;
  Writer* const leader = Join(10, false, soon);
  for (const uint64_t until : {soon, UINT64_MAX, soon, soon, UINT64_MAX, soon})
    Join(10, false, until);
  clock_.Advance(1'000'000);
  AwaitLength(3);  // also from between two and from the end
  FinishAlone(leader);
  threads_.clear();  // joins
  std::string ends;
  for (const Client& client : clients_)
    ends += client.writer.has_left ? '.' : client.led ? '-' : 'g';
  EXPECT_EQ(ends, "g.-..-.");
  EXPECT_EQ(queue_.Length(), 0u);
}

TEST_F(WritersQueueTest, WhoIsInAGroupStays) {
  const uint64_t soon = clock_.NowNanos() + 1'000'000;
  Writer* const leader = Join(10, false);
  Join(10, false, soon);
  {
    const RoleScope leads(kLeadingWriter);
    Writer* const last = queue_.GroupEnd(leader);
    Join(10, false, soon);  // after the group
    clock_.Advance(1'000'000);
    AwaitLength(2);
    queue_.Finish(leader, last, Status::OK());
  }
  threads_.clear();  // joins
  EXPECT_FALSE(clients_[1].writer.has_left);
  EXPECT_TRUE(clients_[2].writer.has_left);
}

}  // namespace
}  // namespace lull
