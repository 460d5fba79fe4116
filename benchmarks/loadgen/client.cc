// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "benchmarks/loadgen/client.h"

#include <bit>

#include "benchmarks/measure/platform.h"

namespace lull::loadgen {
namespace {

using bench::OpKind;

OpKind KindOf(Operation operation) {
  switch (operation) {
    case Operation::kGet:
      return OpKind::kRead;
    case Operation::kScan:
      return OpKind::kScan;
    case Operation::kReadModifyWrite:
      return OpKind::kReadModifyWrite;
    case Operation::kPut:
    case Operation::kDelete:
    case Operation::kInsert:
      break;
  }
  return OpKind::kWrite;
}

uint64_t Fold(uint64_t hash, uint64_t value) {
  constexpr uint64_t kOddMultiplier = 0xbf58476d1ce4e5b9u;
  return std::rotl((hash ^ value) * kOddMultiplier, 29);
}

uint64_t FoldRequest(uint64_t hash, const Request& request) {
  hash = Fold(hash, static_cast<uint64_t>(request.operation));
  hash = Fold(hash, request.scan_entries);
  for (const Entry& entry : request.entries) {
    if (request.operation != Operation::kInsert) hash = Fold(hash, entry.key);
    hash = Fold(hash, entry.value_bytes);
  }
  return hash;
}

}  // namespace

Client::Client(const ClientGroup& group, KeySpace& keys, uint64_t seed, uint64_t load_seed)
    : keys_(keys),
      rng_(seed),
      mix_(group.mix),
      values_(group.values),
      scans_(group.scans),
      chooser_(MakeKeyChooser(group.keys, keys, load_seed)),
      batch_size_(static_cast<size_t>(group.batch_size)) {}

Entry Client::DrawEntry(Operation operation) {
  Entry entry;
  entry.key = operation == Operation::kInsert ? keys_.count.fetch_add(1, std::memory_order_relaxed)
                                              : chooser_->Draw(rng_);
  entry.value_bytes = values_.Draw(rng_);
  return entry;
}

Request Client::NextRequest() {
  Request request;
  request.operation = mix_.Draw(rng_);
  const size_t count = request.operation == Operation::kPut ? batch_size_ : 1;
  entries_.clear();
  while (entries_.size() < count) entries_.push_back(DrawEntry(request.operation));
  request.entries = entries_;
  if (request.operation == Operation::kScan) request.scan_entries = scans_.Draw(rng_);
  return request;
}

uint64_t Client::Run(Arrivals& arrivals, Target& target, bench::Meter& meter, uint64_t begin_ns,
                     uint64_t give_up_ns, const std::atomic<bool>& stop) {
  bench::UsePreciseSleep();
  const auto to_seconds = [begin_ns](uint64_t ns) {
    return ns > begin_ns ? static_cast<double>(ns - begin_ns) / bench::kNsPerSecond : 0;
  };
  uint64_t given_up = 0;
  uint64_t now_ns = bench::NowNs();
  while (const auto arrival = arrivals.Next(to_seconds(now_ns))) {
    if (stop.load(std::memory_order_relaxed)) break;
    if (now_ns >= give_up_ns) {
      ++given_up;
      continue;
    }
    uint64_t due_ns = begin_ns + static_cast<uint64_t>(arrival->due_seconds * bench::kNsPerSecond);
    const Request request = NextRequest();
    operations_hash_ = FoldRequest(operations_hash_, request);
    if (!arrival->closed_loop) {
      operations_hash_ = Fold(operations_hash_, std::bit_cast<uint64_t>(arrival->due_seconds));
    }
    if (now_ns < due_ns) {
      bench::SleepUntilNs(due_ns, stop);
      if (stop.load(std::memory_order_relaxed)) break;
    } else if (arrival->closed_loop) {
      due_ns = now_ns;  // a double of seconds is coarser than a nanosecond
    }
    uint64_t bytes = 0;
    if (!target.Execute(request, &bytes)) break;
    now_ns = bench::NowNs();
    meter.DoneSince(KindOf(request.operation), due_ns, now_ns, request.entries.size(), bytes);
  }
  return given_up;
}

}  // namespace lull::loadgen
