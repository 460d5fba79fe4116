// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Runs commands of a text file on a dispatcher. The transcript shows the dispatcher's decisions.
// The script sets the directives of the stores' policies, and the jobs that their pickers offer:
//
//   workers N                     a new dispatcher with N compaction threads
//   open STORE                    its policy grants everything: two jobs of each class, normal
//   close STORE
//   policy STORE                  a new policy with the same directive
//   seen STORE                    prints the last event and pressure that its policy received
//   want STORE KEY=VALUE...       changes its policy's directive. Keys: l0, deep (jobs), l0_idle,
//                                 deep_idle (0 or 1: CPU priority), max (compactions), rate,
//                                 urgent (bytes a second), l0_stop, stops (0 or 1:
//                                 l0_stops_blockers), tick
//   set STORE KEY=VALUE...        changes its pressure. Keys: l0_tables, drain, flushed (adds
//                                 bytes)
//   offer STORE CLASS JOB...      its picker offers these jobs; CLASS: manual, l0, deep, cleanup
//   revoke JOB                    the picker no longer offers it
//   blocks JOB...                 L0 jobs of the store cannot run before these end
//   slice JOB [BYTES [PERCENT]]   the job ran a slice: it wrote BYTES, and PERCENT of it is done.
//                                 It leaves its worker if asked to pause, or if granted one slice
//   done JOB [BYTES]              the job ends; fail JOB: it fails
//   round                         runs a round
//   advance TIME                  time passes, with a round whenever one is due
//   work TIME [BYTES]             the same, and each running job ends a slice that wrote BYTES
//                                 each millisecond; prints the work of each job, not commands
//
// A class with an offered job is due until the job starts. Workers are n1, n2, ... (normal
// priority) and i1, i2, ... (idle). "round" and "advance" print one command on each line; "advance"
// adds its time.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "scheduler/dispatcher.h"

namespace lull::testing {

class DispatcherScript final : public DispatchHost {
 public:
  DispatcherScript();
  ~DispatcherScript() override;

  /// The output of the command; its lines end in '\n'. For an invalid command: "error: " and the
  /// cause.
  std::string Run(const std::string& command);

 private:
  using Words = std::vector<std::string>;
  struct ScriptedStore;
  struct ScriptedJob;

  std::string RunOnStore(const Words& words);
  std::string RunOnJob(const Words& words);
  std::string Want(ScriptedStore* store, const Words& words);
  std::string Offer(ScriptedStore* store, const Words& words);
  std::string PassTime(uint64_t length_us);
  std::string Work(uint64_t length_us, uint64_t bytes_per_slice);
  void EndSlice(ScriptedJob* job, uint64_t bytes);
  void ComeBack(ScriptedJob* job, WorkerReport::Outcome outcome);
  void RunRound();
  void Say(const std::string& text);
  ScriptedStore& StoreOf(StoreId id);
  ScriptedJob& JobOf(JobId id);

  std::optional<JobId> Pick(StoreId store, JobClass job_class) override;
  std::vector<JobId> BlockersOfL0(StoreId store, const std::vector<JobId>& jobs) override;
  void Start(JobId job, const Assignment& assignment) override;
  void Pause(JobId job) override;
  void Continue(JobId job) override;
  void Abandon(JobId job) override;
  void Paused(JobId job) override;
  void Closed(StoreId store) override;

  std::unique_ptr<Dispatcher> dispatcher_;
  int threads_ = 0;
  std::map<std::string, std::unique_ptr<ScriptedStore>> stores_;
  std::map<std::string, std::unique_ptr<ScriptedJob>> jobs_;
  std::vector<WorkerReport> reports_;  // for the next round
  uint64_t began_us_ = 0;              // of the current command
  uint64_t now_us_ = 1'000'000;
  uint64_t wake_at_us_ = 0;
  uint64_t ids_ = 0;
  std::string said_;
  bool timed_ = false;
};

}  // namespace lull::testing
