// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/engine/space_guard.h"

#include <algorithm>
#include <bit>
#include <string>
#include <system_error>
#include <utility>

namespace lull {
namespace {

// Kept free for logs and flushes. A larger reserve would keep small disks from being used.
constexpr uint64_t kReserveBytesMax = 64 << 20;
constexpr uint64_t kLineEveryNanos = 60'000'000'000;

/// Rounds down by up to a sixteenth: each change of the limit makes the compaction state pick
/// again.
uint64_t Rounded(uint64_t bytes) {
  const uint64_t step = std::max<uint64_t>(std::bit_floor(bytes) / 16, 1);
  return bytes - bytes % step;
}

uint64_t Without(uint64_t bytes, uint64_t used) { return bytes - std::min(bytes, used); }

}  // namespace

void SpaceGuard::Sample(uint64_t now_nanos) {
  free_bytes_ = disk_->free_bytes();
  const uint64_t looked_at_nanos = disk_->looked_at_nanos();
  // An answer is new enough, however long this thread took to see it.
  const bool is_answer = std::exchange(asked_at_nanos_, 0) - 1 < looked_at_nanos;
  is_old_ = !is_answer && now_nanos > looked_at_nanos + context_->pace.retry_nanos / 4;
  if (!is_old_) return;
  asked_at_nanos_ = now_nanos;
  disk_->RequestLook();
}

OutputLimit SpaceGuard::OutputLimitFor(const Use& use) const {
  if (!free_bytes_) return {};
  // The next log, and the tables of the memtables.
  const uint64_t wanted = use.unflushed_bytes + 2 * use.memtable_bytes;
  const uint64_t left = Without(*free_bytes_, use.unwritten_bytes);
  OutputLimit limit;
  limit.bytes_max = Without(left, std::min(wanted, kReserveBytesMax));
  if (limit.bytes_max >= use.table_bytes) return {};
  // One that frees space leaves more for logs and flushes once it is done.
  limit.freeing_bytes_max = Without(left, std::min(use.memtable_bytes, kReserveBytesMax));
  limit.bytes_max = Rounded(limit.bytes_max);
  limit.freeing_bytes_max = Rounded(limit.freeing_bytes_max);
  limit.oldest_snapshot = use.oldest_snapshot;
  return limit;
}

bool SpaceGuard::Refused(JobClass job_class, uint64_t bytes, uint64_t now_nanos,
                         uint64_t patience_nanos) {
  Wait& wait = waits_[static_cast<size_t>(job_class)];
  if (wait.bytes == 0) wait.since_nanos = now_nanos;
  wait.bytes = std::max<uint64_t>(bytes, 1);
  Publish();
  // The client's error must not rest on an old figure.
  if (is_old_ || now_nanos - wait.since_nanos < patience_nanos) return false;
  wait.since_nanos = now_nanos;
  // CompactRange ends with a line of its own.
  if (job_class == JobClass::kManual || is_reported_) return true;
  // Small compactions that fit can end many waits one after another.
  if (reported_at_nanos_ != 0 && now_nanos - reported_at_nanos_ < kLineEveryNanos) return true;
  is_reported_ = true;
  reported_at_nanos_ = now_nanos;
  line_ = "Compactions wait for disk space: " + Error(bytes).ToString();
  return true;
}

void SpaceGuard::Postpone(JobClass job_class, uint64_t now_nanos) {
  waits_[static_cast<size_t>(job_class)].since_nanos = now_nanos;
}

void SpaceGuard::NotRefused(JobClass job_class) {
  Wait& wait = waits_[static_cast<size_t>(job_class)];
  if (wait.bytes == 0) return;
  wait.bytes = 0;
  Publish();
  if (!is_reported_ || bytes_awaited() > 0) return;
  is_reported_ = false;
  line_ = "No compaction waits for disk space any more";
}

void SpaceGuard::LogChange() {
  if (line_.empty()) return;
  activity_->Log(context_->logger(), std::exchange(line_, ""));
}

void SpaceGuard::Publish() {
  uint64_t bytes = 0;
  for (const Wait& wait : waits_) bytes = std::max(bytes, wait.bytes);
  bytes_awaited_.store(bytes, std::memory_order_relaxed);
}

leveldb::Status SpaceGuard::Error(uint64_t bytes) const {
  const std::string detail = "a compaction writes about " + std::to_string(bytes) + " bytes, " +
                             std::to_string(free_bytes_.value_or(0)) +
                             " are free, and logs and flushes need some of them: ";
  return leveldb::Status::IOError(
      context_->name, detail + std::make_error_code(std::errc::no_space_on_device).message());
}

}  // namespace lull
