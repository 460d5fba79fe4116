// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/engine/writers_queue.h"

#include "db/memory/batch_format.h"
#include "util/profiled_part.h"
#include "util/thread.h"

namespace lull {
namespace {

constexpr size_t kGroupBytesMax = 1 << 20;
constexpr size_t kSmallWriteBytes = 128 << 10;
constexpr int kLooks = 100;  // 2 us on a Xeon of 2023; fewer were slower, more no faster

}  // namespace

WritersQueue::WritersQueue(const Clock* clock)
    : clock_(clock), looks_(CoreCount() > 1 ? kLooks : 0) {}

bool WritersQueue::TryJoin(Writer* writer) {
  Writer* none = nullptr;
  return last_.compare_exchange_strong(none, writer, std::memory_order_acq_rel,
                                       std::memory_order_relaxed);
}

bool WritersQueue::Join(Writer* writer) {
  if (TryJoin(writer)) return true;
  {
    MutexLock lock(mutex_);
    writer->before = last_.exchange(writer, std::memory_order_acq_rel);
    if (writer->before == nullptr) return true;
    writer->before->next = writer;
    ++waiting_;
  }
  const ProfiledPart part(CallPart::kQueue);
  if (!IsSoonItsTurn(writer)) SleepUntilItsTurn(writer);
  return writer->turn.load(std::memory_order_relaxed) == Writer::Turn::kLeads;
}

/// Watches `writer`'s turn for a few microseconds.
bool WritersQueue::IsSoonItsTurn(const Writer* writer) const {
  for (int i = writer->sync ? 0 : looks_; i > 0; --i) {
    if (writer->turn.load(std::memory_order_acquire) != Writer::Turn::kWaits) return true;
    PauseCore();
  }
  return false;
}

/// Returns after `writer` got its turn or has left.
void WritersQueue::SleepUntilItsTurn(Writer* writer) {
  MutexLock lock(mutex_);
  while (writer->turn.load(std::memory_order_acquire) == Writer::Turn::kWaits) {
    uint64_t nanos_max = WakeSignal::kForEver;
    if (writer->until_nanos != UINT64_MAX && !writer->is_in_group) {
      const uint64_t now = clock_->NowNanos();
      if (now >= writer->until_nanos) return LeaveLocked(writer);
      nanos_max = writer->until_nanos - now;
    }
    writer->sleeps = true;
    writer->wake.WaitFor(mutex_, nanos_max);
  }
}

/// REQUIRES: `writer` waits.
void WritersQueue::LeaveLocked(Writer* writer) {
  writer->before->next = writer->next;
  if (writer->next != nullptr) {
    writer->next->before = writer->before;
  } else {
    last_.store(writer->before, std::memory_order_release);
  }
  --waiting_;
  writer->has_left = true;
}

WritersQueue::Writer* WritersQueue::GroupEnd(Writer* leader) {
  if (leader->batch == nullptr || last_.load(std::memory_order_relaxed) == leader) return leader;
  MutexLock lock(mutex_);
  size_t bytes = batch::Contents(*leader->batch).size();
  const size_t bytes_max = bytes <= kSmallWriteBytes ? bytes + kSmallWriteBytes : kGroupBytesMax;
  Writer* end = leader;
  for (Writer* writer = leader->next; writer != nullptr; writer = writer->next) {
    if (writer->batch == nullptr || (writer->sync && !leader->sync)) break;
    bytes += batch::Contents(*writer->batch).size();
    if (bytes > bytes_max) break;
    writer->is_in_group = true;
    end = writer;
  }
  return end;
}

size_t WritersQueue::Length() {
  MutexLock lock(mutex_);
  return waiting_ + (last_.load(std::memory_order_relaxed) != nullptr);
}

void WritersQueue::Finish(Writer* leader, Writer* last, const leveldb::Status& status) {
  leader->status = status;
  Writer* alone = leader;
  // It also acquires: a writer that has left can have written to this one.
  if (last_.compare_exchange_strong(alone, nullptr, std::memory_order_acq_rel,
                                    std::memory_order_relaxed))
    return;
  MutexLock lock(mutex_);
  Writer* const next_leader = last->next;
  Writer* member = leader->next;
  while (member != next_leader) {
    Writer* const next = member->next;
    member->status = status;
    --waiting_;
    GiveTurnLocked(member, Writer::Turn::kDone);
    member = next;
  }
  if (next_leader == nullptr) return last_.store(nullptr, std::memory_order_release);
  --waiting_;
  GiveTurnLocked(next_leader, Writer::Turn::kLeads);
}

/// Does not touch `writer` after its turn is set, unless it sleeps: then it needs the mutex to
/// return.
void WritersQueue::GiveTurnLocked(Writer* writer, Writer::Turn turn) {
  const bool sleeps = writer->sleeps;
  writer->turn.store(turn, std::memory_order_release);
  if (sleeps) writer->wake.NotifyAll();
}

}  // namespace lull
