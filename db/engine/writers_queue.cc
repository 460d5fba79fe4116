// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/engine/writers_queue.h"

#include "db/memory/batch_format.h"
#include "util/profiled_part.h"

namespace lull {
namespace {

constexpr size_t kGroupBytesMax = 1 << 20;
constexpr size_t kSmallWriteBytes = 128 << 10;

}  // namespace

bool WritersQueue::Join(Writer* writer) {
  MutexLock lock(mutex_);
  if (last_ == nullptr) {
    first_ = last_ = writer;
    return true;
  }
  last_->next = writer;
  last_ = writer;
  const ProfiledPart part(CallPart::kQueue);
  AwaitTurnLocked(writer);
  return first_ == writer && !writer->done;
}

/// Waits until `writer` leads, its write is done, or it has left.
void WritersQueue::AwaitTurnLocked(Writer* writer) {
  while (!writer->done && first_ != writer) {
    uint64_t nanos_max = WakeSignal::kForEver;
    if (writer->until_nanos != UINT64_MAX && !writer->is_in_group) {
      const uint64_t now = clock_->NowNanos();
      if (now >= writer->until_nanos) return LeaveLocked(writer);
      nanos_max = writer->until_nanos - now;
    }
    writer->wake.WaitFor(mutex_, nanos_max);
  }
}

/// REQUIRES: `writer` is queued, and not the first.
void WritersQueue::LeaveLocked(Writer* writer) {
  Writer* before = first_;
  while (before->next != writer) before = before->next;
  before->next = writer->next;
  if (last_ == writer) last_ = before;
  writer->has_left = true;
}

bool WritersQueue::TryJoin(Writer* writer) {
  MutexLock lock(mutex_);
  if (last_ != nullptr) return false;
  first_ = last_ = writer;
  return true;
}

WritersQueue::Writer* WritersQueue::GroupEnd(Writer* leader) {
  if (leader->batch == nullptr) return leader;
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
  size_t length = 0;
  for (const Writer* writer = first_; writer != nullptr; writer = writer->next) ++length;
  return length;
}

void WritersQueue::Finish(Writer* leader, Writer* last, const leveldb::Status& status) {
  MutexLock lock(mutex_);
  Writer* writer = leader;
  Writer* const next_leader = last->next;
  while (writer != next_leader) {
    Writer* const next = writer->next;  // a woken writer's stack frame disappears
    writer->status = status;
    if (writer != leader) {
      writer->done = true;
      writer->wake.NotifyAll();
    }
    writer = next;
  }
  first_ = next_leader;
  if (next_leader == nullptr) {
    last_ = nullptr;
  } else {
    next_leader->wake.NotifyAll();
  }
}

}  // namespace lull
