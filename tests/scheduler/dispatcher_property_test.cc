// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Properties of the dispatcher under random offers, directives, hanging disks and closing stores.
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "scheduler/dispatcher.h"
#include "tests/support/setting.h"
#include "util/random.h"

namespace lull {
namespace {

constexpr uint64_t kDispatchSeed = 20261127;
constexpr uint64_t kRoundNanos = 10'000'000;

/// Stores whose pickers offer work of all classes at random, and workers that end a slice between
/// two rounds. A job takes a random number of slices, up to kSlicesMax.
class RandomStores {
 public:
  static constexpr uint64_t kSlicesMax = 30;
  static constexpr size_t kStores = 3;

  explicit RandomStores(uint64_t seed)
      : random_(seed),
        threads_(static_cast<int>(1 + random_.Uniform(3))),
        dispatcher_(threads_),
        workers_(2 * static_cast<size_t>(threads_)) {
    for (Store& store : stores_) {
      store.owner = this;
      store.directive.l0_stop = 8;
      for (JobClass job_class : kClasses) {
        store.endless[At(job_class)] = random_.OneIn(3);
        store.is_rare[At(job_class)] = random_.OneIn(3);
      }
      store.id =
          dispatcher_.Open(&store, std::make_unique<StorePolicy>(&store.directive), now_nanos_);
    }
  }

  void Round() {
    now_nanos_ += kRoundNanos;
    dispatcher_.BeginRound(now_nanos_, EndSlices());
    for (Store& store : stores_) {
      Change(&store);
      dispatcher_.Measure(store.id, store.measured);
    }
    dispatcher_.Dispatch();
    for (const WorkerOrder& order : dispatcher_.orders()) Obey(order);
    for (Store& store : stores_) CountWaits(&store);
  }

  /// The most rounds in which work that a client waited for was available and got no slice.
  uint64_t longest_wait() const { return longest_wait_; }
  uint64_t awaited_served() const { return awaited_served_; }
  /// No work that a client waits for waits longer: for each other awaited class of a store and each
  /// slot, a job, and the ten seconds of ageing.
  static constexpr uint64_t kWaitMax = (3 * kStores + 2) * (kSlicesMax + 2) + 1000;

 private:
  static constexpr std::array kClasses = {JobClass::kManual, JobClass::kL0, JobClass::kDeep,
                                          JobClass::kCleanup, JobClass::kPreload};
  class StorePolicy final : public Policy {
   public:
    explicit StorePolicy(const Directive* directive) : directive_(directive) {}
    Directive OnEvent(EventKind, const Pressure&, uint64_t) override { return *directive_; }

   private:
    const Directive* const directive_;
  };
  struct Store final : JobSource {
    bool BeginJob(JobClass job_class, JobId id) override {
      return owner->Begin(this, job_class, id);
    }
    std::vector<JobId> BlockersOfL0(const std::vector<JobId>&) override { return {}; }
    void AbandonJob(JobId id) override { owner->jobs_.erase(id); }

    RandomStores* owner = nullptr;
    StoreId id{};
    Directive directive;
    std::array<bool, kJobClasses> due{};
    std::array<bool, kJobClasses> endless{};  // always due
    std::array<bool, kJobClasses> is_rare{};  // due less often than work may wait
    std::array<bool, kJobClasses> served{};   // since the last round
    std::array<uint64_t, kJobClasses> waits{};
    Measured measured;
    bool at_stop = false;
    bool sick = false;  // slices of its jobs do not end
  };
  struct RandomJob {
    Store* store = nullptr;
    JobClass job_class = JobClass::kDeep;
    uint64_t slices_left = 0;
    bool pause = false;
    bool hangs = false;
    Assignment assignment;
  };
  static size_t At(JobClass job_class) { return static_cast<size_t>(job_class); }

  void Change(Store* store) {
    for (JobClass job_class : kClasses) {
      bool& due = store->due[At(job_class)];
      const uint32_t rounds = store->is_rare[At(job_class)] ? 4 * kWaitMax : 4;
      if (store->endless[At(job_class)] || random_.OneIn(rounds)) due = random_.OneIn(2) || due;
    }
    Pressure& pressure = store->measured.pressure;
    if (random_.OneIn(300)) pressure.drain_requested = random_.OneIn(2);
    if (random_.OneIn(300)) store->at_stop = random_.OneIn(2);
    if (random_.OneIn(500)) store->sick = random_.OneIn(3);
    pressure.manual_due = store->due[At(JobClass::kManual)];
    pressure.l0_due = store->due[At(JobClass::kL0)] || store->at_stop;
    pressure.deep_due = store->due[At(JobClass::kDeep)];
    pressure.l0_tables = store->at_stop ? 8 : 4;
    if (!random_.OneIn(20)) return;
    const auto cpu = [&] { return random_.OneIn(4) ? CpuPriority::kIdle : CpuPriority::kNormal; };
    store->directive.l0 = {static_cast<int>(random_.Uniform(3)), cpu()};
    store->directive.deep = {static_cast<int>(random_.Uniform(3)), cpu()};
    store->directive.compactions_max = static_cast<int>(random_.Uniform(3));
  }

  std::vector<WorkerReport> EndSlices() {
    std::vector<WorkerReport> reports;
    for (size_t i = 0; i < workers_.size(); ++i) {
      if (!workers_[i]) continue;
      const JobId id = *workers_[i];
      RandomJob& job = jobs_.at(id);
      const int worker = static_cast<int>(i);
      job.hangs = job.store->sick;
      dispatcher_.SetHanging(worker, job.hangs);
      if (job.hangs) {
        if (dispatcher_.LacksWorker(job.assignment.cpu)) AddWorker(job.assignment.cpu);
        continue;
      }
      job.store->served[At(job.job_class)] = true;
      Pressure& pressure = job.store->measured.pressure;
      if (job.assignment.counts_as == JobClass::kL0) ++pressure.l0_slices_total;
      if (job.assignment.counts_as == JobClass::kDeep) ++pressure.deep_slices_total;
      const bool done = --job.slices_left == 0;
      if (!done && !job.pause && !job.assignment.one_slice) continue;
      workers_[i].reset();
      reports.push_back({worker, done ? WorkerReport::Outcome::kDone : WorkerReport::Outcome::kMore,
                         64 << 10, 0});
      if (!done) continue;
      ++pressure.offers_version;
      jobs_.erase(id);
    }
    return reports;
  }

  void AddWorker(CpuPriority cpu) {
    dispatcher_.AddWorker(cpu);
    workers_.emplace_back();
    EXPECT_LE(workers_.size(), 2 * static_cast<size_t>(threads_) * (1 + 2 * kStores));
  }

  void CountWaits(Store* store) {
    for (JobClass job_class : {JobClass::kManual, JobClass::kL0, JobClass::kDeep}) {
      const size_t at = At(job_class);
      const bool has_work = store->due[at] || Holds(*store, job_class);
      const bool is_awaited = job_class == JobClass::kManual ||
                              store->measured.pressure.drain_requested ||
                              (job_class == JobClass::kL0 && store->at_stop);
      const bool served = std::exchange(store->served[at], false);
      if (served && is_awaited) ++awaited_served_;
      const bool waits = has_work && is_awaited && !served && !store->sick;
      store->waits[at] = waits ? store->waits[at] + 1 : 0;
      longest_wait_ = std::max(longest_wait_, store->waits[at]);
    }
  }

  bool Holds(const Store& store, JobClass job_class) const {
    return std::any_of(jobs_.begin(), jobs_.end(), [&](const auto& held) {
      return held.second.store == &store && held.second.job_class == job_class;
    });
  }

  bool Begin(Store* store, JobClass job_class, JobId id) {
    const bool at_stop = job_class == JobClass::kL0 && store->at_stop;
    if (!store->due[At(job_class)] && !at_stop) return false;
    store->due[At(job_class)] = store->endless[At(job_class)];
    jobs_[id] = {store, job_class, 1 + random_.Uniform(kSlicesMax), false, false, {}};
    return true;
  }

  void Obey(const WorkerOrder& order) {
    RandomJob& job = jobs_.at(order.job);
    job.pause = order.kind == WorkerOrder::Kind::kPause;
    if (order.kind != WorkerOrder::Kind::kStart) return;
    std::optional<JobId>& worker = workers_.at(static_cast<size_t>(order.assignment.worker));
    EXPECT_FALSE(worker);
    const auto others = std::count_if(workers_.begin(), workers_.end(), [&](const auto& id) {
      return id && !jobs_.at(*id).hangs && jobs_.at(*id).assignment.cpu == order.assignment.cpu;
    });
    EXPECT_LT(others, threads_);
    worker = order.job;
    job.assignment = order.assignment;
  }

  Random random_;
  const int threads_;
  uint64_t now_nanos_ = 1'000'000'000;
  std::array<Store, kStores> stores_;
  Dispatcher dispatcher_;
  std::vector<std::optional<JobId>> workers_;
  std::map<JobId, RandomJob> jobs_;
  uint64_t longest_wait_ = 0;
  uint64_t awaited_served_ = 0;
};

TEST(DispatcherPropertyTest, WhatAClientWaitsForRunsInABoundedNumberOfRounds) {
  const uint64_t histories = testing::Strided(100, 10);
  constexpr uint64_t kRounds = 10'000;
  uint64_t served = 0;
  for (uint64_t history = 0; history < histories; ++history) {
    SCOPED_TRACE("seed " + std::to_string(kDispatchSeed + history));
    RandomStores stores(kDispatchSeed + history);
    for (uint64_t round = 0; round < kRounds; ++round) stores.Round();
    ASSERT_LE(stores.longest_wait(), RandomStores::kWaitMax);
    ASSERT_FALSE(::testing::Test::HasFailure());
    served += stores.awaited_served();
  }
  EXPECT_GT(served, histories * kRounds / 10) << "the histories hardly offer awaited work";
}

}  // namespace
}  // namespace lull
