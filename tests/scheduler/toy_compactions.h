// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The compactions of the toy store: tables as numbers of bytes, and the jobs that a Dispatcher runs
// on them. The dispatcher decides which job runs, waits or is abandoned. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "scheduler/dispatcher.h"
#include "tests/scheduler/simulator.h"

namespace lull::testing {

class ToyCompactions final : public DispatchHost {
 public:
  explicit ToyCompactions(const SimulatorOptions& options) : options_(options) {}

  void AddL0Table(double bytes);
  int L0Tables() const { return static_cast<int>(l0_.size()); }
  bool L0Due() const { return L0Tables() >= options_.limits.l0_trigger; }
  bool DeepDue() const { return deep_bytes_ > 0; }
  double DebtBytes() const { return deep_bytes_ + (L0Due() ? l0_bytes_ : 0); }
  /// Whether L0 has work that cannot begin because of a deep job.
  bool DeepHoldsL0() const;
  double deep_bytes_while_written() const { return deep_bytes_while_written_; }

  /// A job at idle priority is slow while clients write.
  void SetClientsWrite(bool write) { clients_write_ = write; }
  /// The time at which the first job leaves its worker; UINT64_MAX: none runs.
  uint64_t NextReturnNanos() const;
  /// REQUIRES: no job leaves its worker before `now_nanos`.
  void Advance(uint64_t now_nanos);
  bool HasReports() const { return !reports_.empty(); }
  std::vector<WorkerReport> TakeReports();
  void Measure(Measured* measured) const;

 private:
  struct ToyJob {
    bool runs() const { return worker >= 0; }

    JobId id{};
    JobClass job_class = JobClass::kDeep;
    size_t l0_tables = 0;            // the oldest ones
    double input_bytes = 0;          // by how much it reduces the debt of L0 or the deep levels
    double work_bytes = 0;           // to read and write in total
    double left_bytes = 0;           // of these
    double reported_left_bytes = 0;  // at its last start or resume
    int worker = -1;
    Assignment assignment;
    uint64_t slice_ends_nanos = UINT64_MAX;  // when it leaves its worker; UINT64_MAX: when done
  };

  double BytesPerNano(const ToyJob& job) const;
  uint64_t ReturnsAtNanos(const ToyJob& job) const;
  void Work(ToyJob* job, uint64_t nanos);
  void ComeBack(ToyJob* job, WorkerReport::Outcome outcome);
  void Install(const ToyJob& job);
  ToyJob& JobOf(JobId id);
  bool Holds(JobClass job_class) const;
  std::optional<ToyJob> PickL0() const;
  std::optional<ToyJob> PickDeep() const;
  void BeginLastSlice(ToyJob* job) const;

  std::optional<JobId> Pick(StoreId store, JobClass job_class) override;
  std::vector<JobId> BlockersOfL0(StoreId store, const std::vector<JobId>& jobs) override;
  void Start(JobId job, const Assignment& assignment) override;
  void Pause(JobId job) override;
  void Continue(JobId job) override;
  void Abandon(JobId job) override;
  void Closed(StoreId) override {}

  const SimulatorOptions options_;
  bool clients_write_ = false;
  uint64_t now_nanos_ = 0;

  std::deque<double> l0_;  // bytes of each table, oldest first
  double l0_bytes_ = 0;
  double deep_bytes_ = 0;  // in deeper levels, to be moved on
  std::vector<ToyJob> jobs_;
  std::vector<WorkerReport> reports_;
  uint64_t jobs_begun_ = 0;

  double written_bytes_ = 0;
  double l0_slices_ = 0;
  double deep_slices_ = 0;
  double deep_bytes_while_written_ = 0;
};

}  // namespace lull::testing
