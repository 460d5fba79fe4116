// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The coordinator in virtual time: measures the store, runs the store's real dispatcher, and
// obeys its orders.
#include <algorithm>
#include <utility>

#include "benchmarks/simulation/simulation.h"
#include "db/compaction/planner.h"

namespace lull::sim {
namespace {

constexpr uint64_t kSliceNs = 1'000'000;

// Under a rate limit a job returns after each slice, 70 million times in a day of SILK's load. To
// save time, slices are longer here by this factor, and the dispatcher's budget counts in units of
// this many bytes. The proportions of what a slice is lent, writes and pays stay the same.
constexpr uint64_t kSliceFactor = 16;

/// Calls a policy with bytes, for a dispatcher that counts in units of kSliceFactor bytes.
class InUnitsOfTheBudget final : public Policy {
 public:
  using Change = std::function<Directive(Directive)>;
  InUnitsOfTheBudget(std::unique_ptr<Policy> policy, Change change)
      : policy_(std::move(policy)), change_(std::move(change)) {}

  Directive OnEvent(EventKind event, const Pressure& measured, uint64_t now_us) override {
    Pressure pressure = measured;
    pressure.background_bytes_total *= kSliceFactor;
    Directive wanted = change_(policy_->OnEvent(event, pressure, now_us));
    const auto scale = [](uint64_t* bytes_per_sec) {
      if (*bytes_per_sec > 0) *bytes_per_sec = std::max<uint64_t>(1, *bytes_per_sec / kSliceFactor);
    };
    scale(&wanted.rate.bytes_per_sec);
    scale(&wanted.rate.urgent_bytes_per_sec_min);
    return wanted;
  }

 private:
  const std::unique_ptr<Policy> policy_;
  const Change change_;
};

}  // namespace

std::unique_ptr<Policy> Simulation::MakeObservedPolicy() {
  return std::make_unique<InUnitsOfTheBudget>(options_.make_policy(), [this](Directive wanted) {
    NoteDirective(wanted);
    if (!options_.l0_first) rocksdb_limit_ = std::exchange(wanted.rate, {}).bytes_per_sec;
    return wanted;
  });
}

void Simulation::NoteDirective(const Directive& wanted) {
  ++result_.policy_calls;
  if (wanted == directive_) return;
  shares_changed_ = true;
  directive_ = wanted;
  AddToFingerprint(static_cast<double>(directive_.l0.jobs_max * 16 + directive_.deep.jobs_max));
  AddToFingerprint(static_cast<double>(directive_.write_bytes_per_sec_max));
}

void Simulation::WakeMonitor(uint64_t at_ns) {
  if (at_ns >= monitor_at_ns_) return;
  monitor_at_ns_ = at_ns;
  At(at_ns, EventKindOf::kMonitor);
}

void Simulation::MonitorRound() {
  monitor_at_ns_ = UINT64_MAX;
  dispatcher_.BeginRound(now_ns_, std::exchange(reports_, {}));
  dispatcher_.Measure(store_, MeasureStore());
  WakeMonitor(std::max(dispatcher_.Dispatch(), now_ns_ + 1));
  for (const WorkerOrder& order : dispatcher_.orders()) Obey(order);
}

/// Bytes that running jobs have merged. They count as debt until the install.
uint64_t Simulation::PaidBytes() const {
  double bytes = 0;
  for (const auto& job : jobs_)
    bytes += job.done * static_cast<double>(SumBytes(job.merge.plan.upper));
  return static_cast<uint64_t>(bytes);
}

Measured Simulation::MeasureStore() {
  Measured measured;
  Pressure& pressure = measured.pressure;
  pressure.memory_used_bytes = static_cast<uint64_t>(MemoryUsed());
  pressure.memory_budget_bytes = options_.memory_budget_bytes;
  pressure.immutable_bytes = static_cast<uint64_t>(sealed_bytes_);
  pressure.immutables = static_cast<int>(sealed_.size());
  pressure.flush_bytes_per_sec = static_cast<uint64_t>(flush_bytes_per_sec_);
  pressure.l0_tables = tables_.version().TableCount(0);
  pressure.l0_bytes = tables_.version().LevelBytes(0);
  pressure.l1_bytes = tables_.version().LevelBytes(1);
  pressure.debt_bytes = tables_.DebtBytes() - std::min(tables_.DebtBytes(), PaidBytes());
  pressure.l0_due = options_.l0_first && tables_.Due(JobClass::kL0);
  pressure.deep_due =
      tables_.Due(JobClass::kDeep) || (!options_.l0_first && tables_.Due(JobClass::kL0));
  pressure.background_bytes_total = static_cast<uint64_t>(flush_bytes_ / kSliceFactor);
  pressure.l0_slices_total = static_cast<uint64_t>(l0_slices_);
  pressure.deep_slices_total = static_cast<uint64_t>(deep_slices_);
  pressure.active_bytes = static_cast<uint64_t>(active_bytes_);
  pressure.memtable_bytes = options_.limits.memtable_bytes;
  pressure.client_bytes_total = static_cast<uint64_t>(client_bytes_);
  pressure.client_read_bytes_total = static_cast<uint64_t>(client_read_bytes_);
  pressure.l0_misses_total = static_cast<uint64_t>(l0_misses_);
  measured.compaction_bytes_total = static_cast<uint64_t>(compaction_bytes_ / kSliceFactor);
  return measured;
}

/// A store without priorities has a single class of compactions. The level that exceeds its target
/// by the larger factor goes first.
std::optional<TableMerge> Simulation::BeginMerge(JobClass job_class) {
  if (options_.l0_first) return tables_.Begin(job_class, directive_.table_bytes);
  double deepest = 0;
  for (int level = 1; level + 1 < kLevels; ++level) {
    deepest = std::max(deepest, LevelScore(tables_.version(), level, options_.layout));
  }
  const bool l0 = deepest <= LevelScore(tables_.version(), 0, options_.layout);
  std::optional<TableMerge> merge =
      tables_.Begin(l0 ? JobClass::kL0 : JobClass::kDeep, directive_.table_bytes);
  if (!merge) merge = tables_.Begin(l0 ? JobClass::kDeep : JobClass::kL0, directive_.table_bytes);
  return merge;
}

bool Simulation::BeginJob(JobClass job_class, JobId id) {
  if (job_class != JobClass::kL0 && job_class != JobClass::kDeep) return false;
  std::optional<TableMerge> merge = BeginMerge(job_class);
  if (!merge) return false;
  const Costs& costs = options_.costs;
  const double entry_bytes = options_.load.key_bytes + options_.load.value_bytes;
  Job job;
  job.id = id;
  const bool is_l0 = options_.l0_first ? job_class == JobClass::kL0 : merge->plan.level == 0;
  job.thread.job_class = is_l0 ? JobClass::kL0 : JobClass::kDeep;
  job.thread.cpu_seconds =
      1e-6 + 1e-9 * merge->entries_in * (costs.merge_entry_ns + costs.merge_byte_ns * entry_bytes);
  job.thread.write_bytes = static_cast<double>(merge->bytes_out);
  job.thread.device_seconds = job.thread.write_bytes / options_.device.write_bytes_per_sec +
                              options_.merge_miss_share * static_cast<double>(merge->bytes_in) /
                                  options_.device.read_bytes_per_sec;
  job.merge = std::move(*merge);
  jobs_.push_back(std::move(job));
  return true;
}

std::vector<JobId> Simulation::BlockersOfL0(const std::vector<JobId>& deep) {
  std::vector<const TableMerge*> merges;
  for (const JobId id : deep) merges.push_back(&JobOf(id).merge);
  const std::vector<bool> block = tables_.BlockL0(merges);
  std::vector<JobId> blockers;
  for (size_t i = 0; i < deep.size(); ++i) {
    if (block[i]) blockers.push_back(deep[i]);
  }
  return blockers;
}

void Simulation::Obey(const WorkerOrder& order) {
  Job& job = JobOf(order.job);
  switch (order.kind) {
    case WorkerOrder::Kind::kStart:
      return Start(&job, order.assignment);
    case WorkerOrder::Kind::kPause:
      job.state = JobState::kPausing;  // until the end of its slice
      job.slice_ends_at_ns = now_ns_ + kSliceNs;
      return At(job.slice_ends_at_ns, EventKindOf::kSliceEnds);
    case WorkerOrder::Kind::kContinue:
      job.state = JobState::kRunning;
      if (!job.one_slice) job.slice_ends_at_ns = UINT64_MAX;
  }
}

void Simulation::Start(Job* job, const Assignment& assignment) {
  job->state = JobState::kRunning;
  job->worker = assignment.worker;
  job->thread.cpu = assignment.cpu;
  job->counts_as = assignment.counts_as;
  job->one_slice = assignment.one_slice;
  job->slice_ends = 1;
  job->slice_ends_at_ns = UINT64_MAX;
  if (job->one_slice) {
    const double slice_bytes = static_cast<double>(assignment.slice.bytes) * kSliceFactor;
    job->slice_ends =
        std::min(1.0, job->done + slice_bytes / std::max(1.0, job->thread.write_bytes));
    job->slice_ends_at_ns = now_ns_ + kSliceNs * kSliceFactor;
    At(job->slice_ends_at_ns, EventKindOf::kSliceEnds);
  }
  shares_changed_ = true;
}

void Simulation::AbandonJob(JobId id) {
  tables_.Release(JobOf(id).merge);
  jobs_.remove_if([&](const Job& job) { return job.id == id; });
}

Simulation::Job& Simulation::JobOf(JobId id) {
  return *std::find_if(jobs_.begin(), jobs_.end(), [&](const Job& job) { return job.id == id; });
}

/// Takes a job from its worker and reports it to the next round.
void Simulation::ComeBack(Job* job, WorkerReport::Outcome outcome) {
  const double written = job->thread.write_bytes * (job->done - job->reported);
  job->reported = job->done;
  reports_.push_back(
      {job->worker, outcome, static_cast<uint64_t>(written / kSliceFactor), job->done});
  job->state = JobState::kPaused;
  shares_changed_ = true;
  WakeMonitor(now_ns_);
}

/// Takes back the jobs that are done or whose slice has ended.
void Simulation::JobsEnded() {
  for (auto job = jobs_.begin(); job != jobs_.end();) {
    if (job->state == JobState::kPaused) {
      ++job;
    } else if (job->done >= 1) {
      ComeBack(&*job, WorkerReport::Outcome::kDone);
      to_install_.push_back(std::move(job->merge));
      job = jobs_.erase(job);
    } else {
      const bool slice_ended = job->done >= job->slice_ends || job->slice_ends_at_ns <= now_ns_;
      if (slice_ended) ComeBack(&*job, WorkerReport::Outcome::kMore);
      ++job;
    }
  }
}

}  // namespace lull::sim
