// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "scheduler/read_loss.h"

#include <utility>

namespace lull {
namespace {

// To read, merge and write a byte of tables takes about so much longer than to flush one of a
// memtable.
constexpr double kMergePerFlush = 2;

}  // namespace

void ReadLoss::Observe(const Pressure& pressure) {
  if (pressure.l0_tables < std::exchange(seen_l0_tables_, pressure.l0_tables))
    misses_before_ = pressure.l0_misses_total;
  pays_ = false;
  // Without a flush there is nothing to set the scale.
  if (!pressure.l0_due || pressure.flush_bytes_per_sec == 0) return;
  const uint64_t misses = pressure.l0_misses_total - misses_before_;
  const double lost_seconds = static_cast<double>(misses * miss_ns_) / 1e9;
  // A job of L0 rewrites what overlaps it in L1, most often all of it.
  const double job_bytes = static_cast<double>(pressure.l0_bytes + pressure.l1_bytes);
  const double job_seconds =
      kMergePerFlush * job_bytes / static_cast<double>(pressure.flush_bytes_per_sec);
  pays_ = misses > 0 && lost_seconds >= job_seconds;
}

}  // namespace lull
