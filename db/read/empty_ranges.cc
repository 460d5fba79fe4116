// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/read/empty_ranges.h"

#include <utility>

#include "db/memory/batch_format.h"

namespace lull {
namespace {

// Writes are checked until so many in a row found no use of the known range.
constexpr uint64_t kUnusedChecksMax = 100'000;

std::optional<std::string> Copy(const std::optional<leveldb::Slice>& key) {
  return key ? std::optional(key->ToString()) : std::nullopt;
}

}  // namespace

EmptyRanges::EmptyRanges(const KeyOrder& order, GraceDomain* grace,
                         std::function<void()> on_retired)
    : order_(order), grace_(grace), on_retired_(std::move(on_retired)) {}

EmptyRanges::~EmptyRanges() {
  if (const EmptyRange* const range = known_.load()) range->Unref();
}

const EmptyRange* EmptyRanges::Known(SequenceNumber sequence) {
  const EmptyRange* const range = known_.load(std::memory_order_acquire);
  if (range == nullptr || sequence < range->since) return nullptr;
  checks_since_use_.store(0, std::memory_order_relaxed);
  range->Ref();
  return range;
}

void EmptyRanges::SetKnown(const EmptyRange* range) {
  const EmptyRange* const previous = known_.exchange(range, std::memory_order_acq_rel);
  if (previous == nullptr) return;
  grace_->Retire([previous] { previous->Unref(); });
  on_retired_();
}

/// The part of the watched range in which an iterator as of `sequence` found nothing is known to be
/// empty, if each later write was checked against it.
void EmptyRanges::Confirm(const leveldb::Slice& begin, const std::optional<leveldb::Slice>& end,
                          SequenceNumber sequence) {
  if (!watched_ || !watched_->checked_from || sequence < *watched_->checked_from) return;
  const bool begins_later = order_.CompareUser(begin, *watched_->span.begin) > 0;
  std::string first = begins_later ? begin.ToString() : *watched_->span.begin;
  std::optional<std::string> last = watched_->span.end;
  if (end && (!last || order_.CompareUser(*end, *last) < 0)) last = end->ToString();
  if (last && order_.CompareUser(first, *last) >= 0) return;
  SetKnown(new EmptyRange({std::move(first), std::move(last)}, sequence));
}

void EmptyRanges::Report(const leveldb::Slice& begin, const std::optional<leveldb::Slice>& end,
                         SequenceNumber sequence) {
  if (opened_in_ != ForkGeneration()) return;  // in a child, mutexes can stay locked
  MutexLock lock(mutex_);
  Confirm(begin, end, sequence);
  // Writes so far were checked, but not against this range.
  watched_ = Watched{{begin.ToString(), Copy(end)}, checked_};
  Confirm(begin, end, sequence);
  checks_since_use_.store(0, std::memory_order_relaxed);
  checks_.store(true, std::memory_order_release);
}

void EmptyRanges::CheckSlowly(const leveldb::Slice& record) {
  MutexLock lock(mutex_);
  const SequenceNumber first = batch::SequenceOf(record);
  if (watched_ && !watched_->checked_from) watched_->checked_from = first - 1;
  checked_ = first + batch::CountOf(record) - 1;
  const EmptyRange* const known = known_.load(std::memory_order_relaxed);
  bool ends_known = false;
  bool ends_watched = false;
  const Watched* const watched = watched_ ? &*watched_ : nullptr;
  const auto compare = [&](ValueKind kind, const leveldb::Slice& key, const leveldb::Slice&) {
    if (kind != ValueKind::kValue) return;
    ends_known = ends_known || (known != nullptr && known->span.Includes(order_, key));
    ends_watched = ends_watched || (watched != nullptr && watched->span.Includes(order_, key));
  };
  batch::ForEach(record, compare);  // the record was validated
  const uint64_t unused = checks_since_use_.load(std::memory_order_relaxed) + 1;
  checks_since_use_.store(unused, std::memory_order_relaxed);
  const bool stops = unused > kUnusedChecksMax;
  if (ends_known || stops) SetKnown(nullptr);
  if (ends_watched || stops) watched_.reset();
  if (!watched_ && known_.load(std::memory_order_relaxed) == nullptr) StopChecks();
}

void EmptyRanges::Forget() {
  MutexLock lock(mutex_);
  SetKnown(nullptr);
  watched_.reset();
  StopChecks();
}

void EmptyRanges::StopChecks() {
  checks_.store(false, std::memory_order_relaxed);
  checked_.reset();
}

}  // namespace lull
