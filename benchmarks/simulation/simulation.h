// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A store in virtual time. Real: the policy, the dispatcher, the picker and the set of tables.
// Modelled: memtables, the flush thread and the workers, the cores and the device that they share,
// and the clients. docs/research/simulator.md describes the model and what it leaves out.
//
// Between two events all speeds are constant, so time jumps from event to event: a memtable is
// full, a job ends, the monitor runs, the clients change their rate. The same options give the same
// result. One thread; it never sleeps.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <queue>
#include <vector>

#include "benchmarks/simulation/clients.h"
#include "benchmarks/simulation/load.h"
#include "benchmarks/simulation/profile.h"
#include "benchmarks/simulation/sharing.h"
#include "benchmarks/simulation/tables.h"
#include "db/report/layout_stats.h"
#include "scheduler/dispatcher.h"
#include "scheduler/policy.h"

namespace lull::sim {

struct SimulationOptions {
  // The machine.
  Costs costs;
  Device device;
  int cores = 2;
  double read_miss_share = 0;   ///< share of clients' reads that go to the device
  double merge_miss_share = 1;  ///< share of compactions' input read from the device
  /// Share of the tables without the searched key whose Bloom filter passes it; 1: no filters.
  double filter_pass_share = 1;
  bool log_writes = true;  ///< false: no WAL

  // The store.
  std::function<std::unique_ptr<Policy>()> make_policy;
  PolicyOptions limits;
  LayoutOptions layout;
  uint64_t memory_budget_bytes = kDefaultMemoryBudgetBytes;
  double populated_bytes = 0;  ///< bytes in tables before the clients begin
  /// L0 compactions are a separate class, which the dispatcher prefers. False: all compactions are
  /// in one class, and the first due goes first.
  bool l0_first = true;

  Load load;
  double seconds = 60;
  uint64_t seed = 1;
};

constexpr size_t kCauses = 4;  // of StallCause

/// One second of the simulation, or less at its end.
struct Interval {
  double at_seconds = 0;  ///< end of the interval
  double arrived = 0;
  double served = 0;
  double backlog = 0;  ///< waiting requests at its end
  double p50_us = 0, p99_us = 0, p999_us = 0, max_us = 0;
  double write_p99_us = 0;
  std::array<double, kCauses> blocked_seconds{};  ///< clients waited for room, by cause
  std::array<double, kCauses> slowed_seconds{};   ///< writes were delayed or paced
  double client_bytes = 0;
  ByClass written_bytes;
  double read_bytes = 0;    ///< by compactions
  double device_share = 0;  ///< share of time that the device was busy
  double cores = 0;         ///< in use, including clients
  int l0_tables = 0;
  int jobs = 0;  ///< running and paused compactions
  uint64_t debt_bytes = 0;
  uint64_t memory_bytes = 0;  ///< sealed and active memtables
  // What the policy sets at its end.
  int compactions_max = 0;
  double memtable_bytes = 0;
};

struct SimulationResult {
  double seconds = 0;
  double arrived = 0;
  double served = 0;
  double at_work_seconds = 0;  ///< while clients were active
  LatencyTally all, writes;
  std::array<double, kCauses> blocked_seconds{};
  std::array<double, kCauses> slowed_seconds{};
  double longest_block_seconds = 0;
  double stalled_seconds = 0;  ///< blocked time, in spans over 100 ms
  double client_bytes = 0;
  ByClass written_bytes;
  double read_bytes = 0;
  int l0_tables_max = 0;
  uint64_t debt_bytes_max = 0;
  uint64_t memory_bytes_max = 0;
  LayoutFigures layout;
  double drained_at_seconds = 0;  ///< end of the last background work
  // Where all entries are at the end. In = active + sealed + listed + dropped.
  double entries_in = 0, entries_in_memory = 0, entries_listed = 0, entries_dropped = 0;
  uint64_t events = 0;
  uint64_t policy_calls = 0;
  uint64_t fingerprint = 0;  ///< hash of all directives and intervals

  double BlockedSeconds() const;
  double SlowedSeconds() const;
};

class Simulation final : private JobSource {
 public:
  using Report = std::function<void(const Interval&)>;

  /// REQUIRES: options.make_policy returns a policy; the load has a phase of more than 0 seconds.
  explicit Simulation(const SimulationOptions& options);

  SimulationResult Run(const Report& report);

 private:
  enum class EventKindOf { kMonitor, kPhase, kInterval, kSliceEnds, kInstalled };
  struct Event {
    uint64_t at_ns, order;
    EventKindOf kind;
    bool operator>(const Event& other) const {
      return at_ns != other.at_ns ? at_ns > other.at_ns : order > other.order;
    }
  };
  enum class JobState { kRunning, kPausing, kPaused };
  struct Job {
    JobId id{};
    TableMerge merge;
    BackgroundThread thread;
    double done = 0;
    JobState state = JobState::kPaused;
    int worker = 0;
    JobClass counts_as = JobClass::kDeep;
    bool one_slice = false;
    double slice_ends = 1;  // the slice ends at this value of `done`, or at this time
    uint64_t slice_ends_at_ns = UINT64_MAX;
    double reported = 0;  // value of `done` already reported
  };
  struct Sealed {
    double bytes, entries;
  };
  struct Flush {
    size_t memtables = 0;
    double bytes = 0;
    double entries = 0;
    double distinct = 0;
    BackgroundThread thread;
    double done = 0;
    uint64_t began_ns = 0;
  };

  // Time (simulation.cc).
  void At(uint64_t at_ns, EventKindOf kind);
  void Handle(const Event& event);
  uint64_t NextStop() const;
  void Advance(uint64_t to_ns);
  void AdvanceWork(double seconds);
  void BeginPhase();
  void EndInterval();
  void AddToFingerprint(double value);
  double Now() const { return static_cast<double>(now_ns_) * 1e-9; }

  // Sharing cores and device (simulation.cc).
  void Share();
  std::vector<BackgroundThread*> AtWork();
  ClientShare ShareOnce(const ClientShare& clients);
  void MeasureQueue(const ClientShare& clients);
  Conditions MakeConditions(const ClientShare& most);

  // Memory and the flush thread (simulation_memory.cc).
  void Settle();
  void SealIfFull();
  std::optional<StallCause> NoRoom() const;
  double MemtableBytesMax() const;
  double AbsorbRoom() const;
  double MemoryUsed() const;
  bool WantsFlush() const;
  double FlushLimit() const;
  void EndBlock();
  void BeginFlush();
  void BeginInstall();
  void FinishInstall();

  // The coordinator (simulation_dispatch.cc).
  std::unique_ptr<Policy> MakeObservedPolicy();
  void NoteDirective(const Directive& wanted);
  void WakeMonitor(uint64_t at_ns);
  void MonitorRound();
  uint64_t PaidBytes() const;
  Measured MeasureStore();
  std::optional<TableMerge> BeginMerge(JobClass job_class);
  Job& JobOf(JobId id);
  void ComeBack(Job* job, WorkerReport::Outcome outcome);
  void JobsEnded();
  bool BeginJob(JobClass job_class, JobId id) override;
  std::vector<JobId> BlockersOfL0(const std::vector<JobId>& deep) override;
  void AbandonJob(JobId id) override;
  void Obey(const WorkerOrder& order);
  void Start(Job* job, const Assignment& assignment);

  const SimulationOptions options_;
  Clients clients_;
  TableModel tables_;

  uint64_t now_ns_ = 0;
  uint64_t end_ns_ = 0;
  uint64_t order_ = 0;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  bool shares_changed_ = true;
  double device_in_use_ = 0;
  double cores_in_use_ = 0;
  double queue_seconds_ = 0;
  double queue_seconds_max_ = 0;

  // Clients.
  size_t phase_ = 0;
  double requests_per_sec_ = 0;
  double client_bytes_ = 0;
  double client_read_bytes_ = 0;
  double l0_misses_ = 0;

  // Memory.
  double active_bytes_ = 0;
  double active_entries_ = 0;
  double sealed_bytes_ = 0;
  std::deque<Sealed> sealed_;
  std::optional<StallCause> blocked_;
  uint64_t blocked_at_ns_ = 0;
  std::optional<Flush> flush_;
  std::deque<TableMerge> to_install_;
  bool installing_ = false;
  bool installing_flush_ = false;
  double flush_bytes_per_sec_ = 0;
  double entries_dropped_by_flush_ = 0;

  // The coordinator.
  Dispatcher dispatcher_;
  StoreId store_{};
  Directive directive_;
  uint64_t rocksdb_limit_ = 0;           // see ShareMachine
  uint64_t monitor_at_ns_ = UINT64_MAX;  // when the next round begins
  std::vector<WorkerReport> reports_;    // for that round
  std::list<Job> jobs_;
  double flush_bytes_ = 0;  // bytes written
  double compaction_bytes_ = 0;
  double l0_slices_ = 0;
  double deep_slices_ = 0;

  Interval interval_;
  double interval_began_ = 0;
  SimulationResult result_;
  Report report_;
};

}  // namespace lull::sim
