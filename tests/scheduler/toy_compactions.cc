// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "tests/scheduler/toy_compactions.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

namespace lull::testing {
namespace {

constexpr double kDeepJobBytes = 32 << 20;
constexpr double kSliceNanos = 1e6;
constexpr uint64_t kNever = UINT64_MAX;
constexpr double kDoneBytes = 1;  // a remainder below this is a rounding error

}  // namespace

void ToyCompactions::AddL0Table(double bytes) {
  l0_.push_back(bytes);
  l0_bytes_ += bytes;
}

bool ToyCompactions::Holds(JobClass job_class) const {
  return std::any_of(jobs_.begin(), jobs_.end(),
                     [&](const ToyJob& job) { return job.job_class == job_class; });
}

bool ToyCompactions::DeepHoldsL0() const {
  return options_.deep_jobs_hold_l0 && L0Due() && !Holds(JobClass::kL0) && Holds(JobClass::kDeep);
}

double ToyCompactions::BytesPerNano(const ToyJob& job) const {
  const bool slow = job.assignment.cpu == CpuPriority::kIdle && clients_write_;
  return static_cast<double>(options_.compaction_bytes_per_sec) * 1e-9 *
         (slow ? options_.idle_share : 1.0);
}

uint64_t ToyCompactions::ReturnsAtNanos(const ToyJob& job) const {
  if (!job.runs()) return kNever;
  const auto work_nanos = static_cast<uint64_t>(std::ceil(job.left_bytes / BytesPerNano(job)));
  return std::min(job.slice_ends_nanos, now_nanos_ + work_nanos);
}

uint64_t ToyCompactions::NextReturnNanos() const {
  uint64_t next = kNever;
  for (const ToyJob& job : jobs_) next = std::min(next, ReturnsAtNanos(job));
  return next;
}

void ToyCompactions::Advance(uint64_t now_nanos) {
  const uint64_t nanos = now_nanos - std::exchange(now_nanos_, now_nanos);
  for (ToyJob& job : jobs_) {
    if (!job.runs()) continue;
    Work(&job, nanos);
    if (job.left_bytes < kDoneBytes) {
      ComeBack(&job, WorkerReport::Outcome::kDone);
      Install(job);
    } else if (job.slice_ends_nanos <= now_nanos) {
      ComeBack(&job, WorkerReport::Outcome::kMore);
    }
  }
  std::erase_if(jobs_, [](const ToyJob& job) { return job.left_bytes < kDoneBytes; });
}

void ToyCompactions::Work(ToyJob* job, uint64_t nanos) {
  const auto time = static_cast<double>(nanos);
  const double bytes = std::min(job->left_bytes, BytesPerNano(*job) * time);
  job->left_bytes -= bytes;
  written_bytes_ += bytes / 2;
  const bool counts_as_l0 = job->assignment.counts_as == JobClass::kL0;
  (counts_as_l0 ? l0_slices_ : deep_slices_) += time / kSliceNanos;
  if (job->job_class == JobClass::kDeep && clients_write_) {
    deep_bytes_while_written_ += bytes / options_.deep_cost;
  }
}

void ToyCompactions::ComeBack(ToyJob* job, WorkerReport::Outcome outcome) {
  const double written = (job->reported_left_bytes - job->left_bytes) / 2;
  reports_.push_back({std::exchange(job->worker, -1), outcome, static_cast<uint64_t>(written),
                      1 - job->left_bytes / job->work_bytes});
}

void ToyCompactions::Install(const ToyJob& job) {
  if (job.job_class == JobClass::kDeep) {
    deep_bytes_ -= job.input_bytes;
    // The sums of bytes are not exact.
    if (deep_bytes_ < kDoneBytes) deep_bytes_ = 0;
    return;
  }
  for (size_t i = 0; i < job.l0_tables; ++i) {
    deep_bytes_ += l0_.front();
    l0_bytes_ -= l0_.front();
    l0_.pop_front();
  }
}

std::vector<WorkerReport> ToyCompactions::TakeReports() { return std::exchange(reports_, {}); }

void ToyCompactions::Measure(Measured* measured) const {
  Pressure& pressure = measured->pressure;
  pressure.l0_tables = L0Tables();
  pressure.debt_bytes = static_cast<uint64_t>(DebtBytes());
  pressure.l0_due = L0Due();
  pressure.deep_due = DeepDue();
  pressure.l0_slices_total = static_cast<uint64_t>(l0_slices_);
  pressure.deep_slices_total = static_cast<uint64_t>(deep_slices_);
  measured->compaction_bytes_total = static_cast<uint64_t>(written_bytes_);
}

/// Takes the oldest tables.
std::optional<ToyCompactions::ToyJob> ToyCompactions::PickL0() const {
  if (!L0Due() || Holds(JobClass::kL0)) return std::nullopt;
  if (options_.deep_jobs_hold_l0 && Holds(JobClass::kDeep)) return std::nullopt;
  double bytes_max = options_.l0_job_bytes_max > 0 ? static_cast<double>(options_.l0_job_bytes_max)
                                                   : std::numeric_limits<double>::infinity();
  if (options_.l0_job_matches_l1) bytes_max = std::max(bytes_max, deep_bytes_);
  ToyJob job;
  for (const double table : l0_) {
    if (job.l0_tables > 0 && job.input_bytes + table > bytes_max) break;
    ++job.l0_tables;
    job.input_bytes += table;
  }
  job.work_bytes = job.input_bytes * options_.l0_cost;
  return job;
}

/// Takes bytes that no other deep job holds.
std::optional<ToyCompactions::ToyJob> ToyCompactions::PickDeep() const {
  if (options_.deep_jobs_hold_l0 && Holds(JobClass::kL0)) return std::nullopt;
  double free_bytes = deep_bytes_;
  for (const ToyJob& job : jobs_) {
    if (job.job_class == JobClass::kDeep) free_bytes -= job.input_bytes;
  }
  if (free_bytes < kDoneBytes) return std::nullopt;
  ToyJob job;
  job.input_bytes = std::min(free_bytes, kDeepJobBytes);
  job.work_bytes = job.input_bytes * options_.deep_cost;
  return job;
}

std::optional<JobId> ToyCompactions::Pick(StoreId, JobClass job_class) {
  if (job_class != JobClass::kL0 && job_class != JobClass::kDeep) return std::nullopt;
  std::optional<ToyJob> job = job_class == JobClass::kL0 ? PickL0() : PickDeep();
  if (!job) return std::nullopt;
  job->id = JobId{++jobs_begun_};
  job->job_class = job_class;
  job->left_bytes = job->work_bytes;
  jobs_.push_back(*job);
  return job->id;
}

std::vector<JobId> ToyCompactions::BlockersOfL0(StoreId, const std::vector<JobId>& jobs) {
  return options_.deep_jobs_hold_l0 && !Holds(JobClass::kL0) ? jobs : std::vector<JobId>();
}

/// A slice ends after 1 ms, or earlier once it has written its bytes.
void ToyCompactions::BeginLastSlice(ToyJob* job) const {
  const SliceBudget& slice = job->assignment.slice;
  const double write_nanos = 2 * static_cast<double>(slice.bytes) / BytesPerNano(*job);
  job->slice_ends_nanos =
      now_nanos_ + std::min(slice.nanos, static_cast<uint64_t>(std::ceil(write_nanos)));
}

void ToyCompactions::Start(JobId id, const Assignment& assignment) {
  ToyJob& job = JobOf(id);
  job.worker = assignment.worker;
  job.assignment = assignment;
  job.reported_left_bytes = job.left_bytes;
  job.slice_ends_nanos = kNever;
  if (assignment.one_slice) BeginLastSlice(&job);
}

void ToyCompactions::Pause(JobId id) {
  ToyJob& job = JobOf(id);
  if (!job.assignment.one_slice) BeginLastSlice(&job);
}

void ToyCompactions::Continue(JobId id) {
  ToyJob& job = JobOf(id);
  if (!job.assignment.one_slice) job.slice_ends_nanos = kNever;
}

void ToyCompactions::Abandon(JobId id) {
  std::erase_if(jobs_, [&](const ToyJob& job) { return job.id == id; });
}

ToyCompactions::ToyJob& ToyCompactions::JobOf(JobId id) {
  return *std::find_if(jobs_.begin(), jobs_.end(), [&](const ToyJob& job) { return job.id == id; });
}

}  // namespace lull::testing
