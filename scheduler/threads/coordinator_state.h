// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// What the coordinator knows of its tenants, jobs and workers; included by its own sources only.
// Fields are the monitor's unless they say otherwise.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "scheduler/threads/coordinator.h"

namespace lull {

inline constexpr int kL0Lane = 0;
inline constexpr int kDeepLane = 1;
inline constexpr int kLanes = 2;
inline constexpr int kNoLane = -1;  // manual compactions and clean-up, which no policy directs

inline int LaneOf(JobClass job_class) {
  if (job_class == JobClass::kL0) return kL0Lane;
  return job_class == JobClass::kDeep ? kDeepLane : kNoLane;
}

struct Coordinator::Lane {
  std::atomic<uint64_t> slices{0};  // run so far; any worker adds to it
  uint64_t seen_slices = 0;
  uint64_t still_since_nanos = 0;  // no slice ran since then, although there was something to do
  bool overdue = false;            // one job runs, whatever the policy says
};

/// A registered tenant.
struct Coordinator::Entry {
  Tenant* tenant = nullptr;
  std::unique_ptr<Policy> policy;
  Directive directive;
  Pressure pressure;
  EventKind event = EventKind::kOpened;
  uint64_t seen_client_bytes = 0;
  uint64_t seen_write_at_nanos = 0;
  int seen_immutables = 0;
  uint64_t last_served = 0;
  std::optional<uint64_t> l0_refused_at_end;  // no L0 job was to be had when so many jobs had ended

  std::array<Lane, kLanes> lanes;
  std::optional<IoBudget::StoreId> budget_id;  // since its first round
  uint64_t seen_flush_bytes = 0;
  std::atomic<uint64_t> compaction_bytes{0};  // written; any worker adds to it
  std::atomic<bool> offers_core{false};       // as the directive says; workers read it
  bool discarded_for_l0 =
      false;  // since a deep job was last finished: the next one is not discarded

  // Guarded by the coordinator's mutex.
  bool closing = false;
  bool monitor_released = false;
  std::unique_ptr<Policy> next_policy;
  std::function<void()> at_change;
};

/// A job and where it is: in a worker's hands, or paused.
struct Coordinator::RunningJob {
  std::shared_ptr<Entry> entry;
  std::unique_ptr<Job> job;
  Worker* worker = nullptr;
  uint64_t started = 0;         // the last time, as a number that grows with each start
  bool in_place_of_l0 = false;  // an L0 job that is due can only run behind this one
  bool wanted = true;           // says this round; its worker is told at the end of it
  bool awaits_budget = false;   // if it has no worker, then only for what is yet to be paid
  std::optional<Loan> loan;     // what its slice draws from the budget
  uint64_t seen_written_bytes = 0;

  /// The lane it counts in.
  int lane() const { return in_place_of_l0 ? kL0Lane : LaneOf(job->job_class()); }
};

/// A thread, and the job in its hands. `state` hands the fields above it back and forth: they are
/// the worker's while it is kBusy, the monitor's otherwise.
struct Coordinator::Worker {
  enum class State { kFree, kBusy, kEnded };

  CpuPriority cpu = CpuPriority::kNormal;
  RunningJob* running = nullptr;  // monitor only
  Job* job = nullptr;
  Entry* entry = nullptr;
  Lane* lane = nullptr;  // null: counts in none
  SliceBudget slice;
  bool one_slice = false;  // comes back behind each slice, to pay for it
  leveldb::Status status;
  Job::Progress progress = Job::Progress::kMore;

  std::atomic<bool> pause{false};
  std::atomic<State> state{State::kFree};
  std::atomic<bool> stopping{false};
  WakeSignal signal;
  std::shared_ptr<WakeSignal> monitor_signal;
  // Null for idle CPU priority: such a thread may wait long for the CPU that it needs to end, and
  // nobody shall wait for it. It shares this object with the coordinator.
  std::unique_ptr<ThreadHandle> thread;
};

}  // namespace lull
