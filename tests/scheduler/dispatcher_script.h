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
//                                 l0_stops_blockers), users (0 or 1), tick
//   set STORE KEY=VALUE...        changes its pressure. Keys: l0_tables, drain, immutables,
//                                 writing, written, flushed (bytes)
//   offer STORE CLASS JOB...      its picker offers these jobs; CLASS: manual, l0, deep, cleanup,
//                                 preload
//   revoke JOB                    the picker no longer offers it
//   blocks JOB...                 L0 jobs of the store cannot run before these end
//   slice JOB [BYTES [PERCENT]]   the job ran a slice: it wrote BYTES, and PERCENT of it is done.
//                                 It leaves its worker if asked to pause, or if granted one slice
//   done JOB [BYTES]              the job ends; fail JOB: it fails
//   hang JOB, unhang JOB          its slice does not end, goes on; adds a worker if one is missing
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
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/dispatcher.h"
#include "tests/scheduler/script.h"

namespace lull::testing {

class DispatcherScript final : public Script {
 public:
  DispatcherScript();
  ~DispatcherScript() override;

  std::optional<std::string> Run(const Words& words) override;

 private:
  /// The answer of a store's policy, and what the policy received last.
  struct Wish {
    Directive directive;
    EventKind event = EventKind::kTick;
    Pressure pressure;
  };
  class WishPolicy;

  struct ScriptedJob;
  class ScriptedSource;
  struct ScriptedStore {
    StoreId id{};
    std::unique_ptr<ScriptedSource> source;
    Wish wish;
    Measured measured;
    std::vector<ScriptedJob*> offers;
    bool closing = false;
    bool closed = false;
  };
  struct ScriptedJob {
    bool runs() const { return worker >= 0; }

    JobId id{};  // once it has begun
    ScriptedStore* store = nullptr;
    JobClass job_class = JobClass::kDeep;
    bool held = false;  // picked, not ended
    bool blocks_l0 = false;
    int worker = -1;
    Assignment assignment;
    bool asked_to_pause = false;
    bool started_before = false;
    uint64_t unreported_bytes = 0;
    double share_done = 0;
    uint64_t worked_slices = 0;  // in "work"
    uint64_t worked_bytes = 0;
  };
  using NamedJob = std::pair<const std::string, ScriptedJob>;

  void Restart(uint64_t threads);
  void Open(const std::string& name);
  std::optional<std::string> RunOnStore(const Words& words, ScriptedStore* store);
  std::optional<std::string> RunOnJob(const Words& words, ScriptedJob* job);
  static std::vector<Key> KeysOf(ScriptedStore* store);
  bool Offer(ScriptedStore* store, const Words& words);
  std::string PassTime(uint64_t length_us);
  std::string Work(uint64_t length_us, uint64_t bytes_per_slice);
  void EndSlice(ScriptedJob* job, uint64_t bytes);
  void Hang(ScriptedJob* job, bool hangs);
  std::string NameOfWorker(CpuPriority cpu);
  void ComeBack(ScriptedJob* job, WorkerReport::Outcome outcome);
  void RunRound();
  void Say(const std::string& text);
  NamedJob& Named(JobId id);
  void Obey(const WorkerOrder& order);

  std::unique_ptr<Dispatcher> dispatcher_;
  std::vector<std::string> workers_;  // names, by number
  std::map<std::string, ScriptedStore> stores_;
  std::map<std::string, ScriptedJob> jobs_;
  std::vector<WorkerReport> reports_;  // for the next round
  uint64_t began_us_ = 0;              // of the current command
  uint64_t now_us_ = 1'000'000;
  uint64_t wake_at_us_ = 0;
  std::string said_;
  bool timed_ = false;
};

}  // namespace lull::testing
