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
//   done JOB [BYTES]              the job ends; fail JOB: it fails; merged JOB: it ends, but
//                                 blocks the same jobs until "install JOB"
//   hang JOB, unhang JOB          its slice does not end, goes on; adds a worker if one is missing
//   round                         runs a round
//   advance TIME                  time passes, with a round whenever one is due
//   work TIME [BYTES]             the same, and each running job ends a slice that wrote BYTES
//                                 each millisecond; prints the work of each job, not commands
//
// A class with an offered job is due until the job starts. Workers are n1, n2, ... (normal
// priority) and i1, i2, ... (idle). "round" and "advance" print one command on each line; "advance"
// adds its time.
#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "scheduler/dispatcher.h"
#include "tests/scheduler/script.h"

namespace lull::testing {
namespace {

const std::map<std::string, JobClass> kClasses = {{"manual", JobClass::kManual},
                                                  {"l0", JobClass::kL0},
                                                  {"deep", JobClass::kDeep},
                                                  {"cleanup", JobClass::kCleanup},
                                                  {"preload", JobClass::kPreload}};

class DispatcherScript final : public Script {
 public:
  std::optional<std::string> Run(const Words& words) override {
    began_us_ = now_us_;
    uint64_t number = 0;
    uint64_t bytes = kLentBytes / 4;
    const bool has_number = words.size() > 1 && ReadNumber(words[1], &number);
    if (words[0] == "workers" && has_number) {
      Restart(number);
      return "";
    }
    if (dispatcher_ == nullptr) return std::nullopt;
    if (words[0] == "round") {
      RunRound();
      return std::exchange(said_, "");
    }
    if (words[0] == "advance" && has_number) return PassTime(number);
    if (words[0] == "work" && has_number) {
      if (words.size() > 2 && !ReadNumber(words[2], &bytes)) return std::nullopt;
      return Work(number, bytes);
    }
    if (words.size() < 2) return std::nullopt;
    if (words[0] == "open") {
      Open(words[1]);
      return "";
    }
    if (const auto store = stores_.find(words[1]); store != stores_.end()) {
      return RunOnStore(words, &store->second);
    }
    const auto job = jobs_.find(words[1]);
    return job == jobs_.end() ? std::nullopt : RunOnJob(words, &job->second);
  }

 private:
  /// The answer of a store's policy, and what the policy received last.
  struct Wish {
    Directive directive;
    EventKind event = EventKind::kTick;
    Pressure pressure;
  };
  /// Returns the script's directive.
  class WishPolicy final : public Policy {
   public:
    explicit WishPolicy(Wish* wish) : wish_(wish) {}
    Directive OnEvent(EventKind event, const Pressure& pressure, uint64_t) override {
      wish_->event = event;
      wish_->pressure = pressure;
      return wish_->directive;
    }

   private:
    Wish* const wish_;
  };

  struct ScriptedStore;
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
  static void Release(ScriptedJob* job) {
    job->held = false;
    ++job->store->measured.pressure.offers_version;
  }

  struct ScriptedStore {
    StoreId id{};
    std::unique_ptr<JobSource> source;
    Wish wish;
    Measured measured;
    std::vector<ScriptedJob*> offers;
    bool closing = false;
    bool closed = false;
  };
  /// Offers what the script says.
  class ScriptedSource final : public JobSource {
   public:
    ScriptedSource(DispatcherScript* script, ScriptedStore* store)
        : script_(script), store_(store) {}

    bool BeginJob(JobClass job_class, JobId id) override {
      const bool blocked = std::ranges::any_of(script_->jobs_, [&](const NamedJob& named) {
        return named.second.store == store_ && named.second.held && named.second.blocks_l0;
      });
      if (job_class == JobClass::kL0 && blocked) return false;
      const auto offer = std::ranges::find(store_->offers, job_class, &ScriptedJob::job_class);
      if (offer == store_->offers.end()) return false;
      (*offer)->id = id;
      (*offer)->held = true;
      store_->offers.erase(offer);
      return true;
    }
    std::vector<JobId> BlockersOfL0(const std::vector<JobId>& deep) override {
      std::vector<JobId> blockers;
      std::ranges::copy_if(deep, std::back_inserter(blockers),
                           [&](JobId id) { return script_->Named(id).second.blocks_l0; });
      return blockers;
    }
    void JobPaused(JobId id) override { script_->Say(script_->Named(id).first + " is paused"); }
    void AbandonJob(JobId id) override {
      auto& [name, job] = script_->Named(id);
      Release(&job);
      script_->Say("abandon " + name);
    }

   private:
    DispatcherScript* const script_;
    ScriptedStore* const store_;
  };

  void Restart(uint64_t threads) {
    stores_.clear();
    jobs_.clear();
    reports_.clear();
    workers_.clear();
    for (const CpuPriority cpu : {CpuPriority::kNormal, CpuPriority::kIdle}) {
      for (uint64_t i = 0; i < threads; ++i) workers_.push_back(NameOfWorker(cpu));
    }
    dispatcher_ = std::make_unique<Dispatcher>(static_cast<int>(threads));
  }

  void Open(const std::string& name) {
    ScriptedStore& store = stores_[name];
    Directive& directive = store.wish.directive;
    directive.l0 = directive.deep = {2, CpuPriority::kNormal};
    directive.compactions_max = 2;
    store.source = std::make_unique<ScriptedSource>(this, &store);
    store.id = dispatcher_->Open(store.source.get(), std::make_unique<WishPolicy>(&store.wish),
                                 now_us_ * 1000);
  }

  std::optional<std::string> RunOnStore(const Words& words, ScriptedStore* store) {
    if (words[0] == "close") {
      store->closing = true;
      dispatcher_->Close(store->id);
      return "";
    }
    if (words[0] == "policy") {
      dispatcher_->SetPolicy(store->id, std::make_unique<WishPolicy>(&store->wish));
      return "";
    }
    if (words[0] == "seen") {
      const Pressure& seen = store->wish.pressure;
      return std::string(kEventNames[static_cast<size_t>(store->wish.event)]) + "; L0 " +
             std::to_string(seen.l0_running) + " running; deep " +
             std::to_string(seen.deep_running) + " running, " + std::to_string(seen.deep_paused) +
             " paused; silent for " + TimeText(seen.idle_us) + "; wrote " +
             SizeText(seen.background_bytes_total) + "\n";
    }
    const bool set = words[0] == "want" || words[0] == "set";
    if (set && SetKeys(words, 2, KeysOf(store))) return "";
    if (words[0] == "offer" && Offer(store, words)) return "";
    return std::nullopt;
  }

  /// Of both "want" and "set": no key has two meanings.
  std::vector<Key> KeysOf(ScriptedStore* store) {
    Directive& directive = store->wish.directive;
    Pressure& pressure = store->measured.pressure;
    return {{"l0", &directive.l0.jobs_max},
            {"deep", &directive.deep.jobs_max},
            {"l0_idle", &directive.l0.cpu},
            {"deep_idle", &directive.deep.cpu},
            {"max", &directive.compactions_max},
            {"stops", &directive.l0_stops_blockers},
            {"rate", &directive.rate.bytes_per_sec},
            {"urgent", &directive.rate.urgent_bytes_per_sec_min},
            {"users", &directive.rate.is_users},
            {"l0_stop", &directive.l0_stop},
            {"tick", &directive.tick},
            {"l0_tables", &pressure.l0_tables},
            {"drain", &pressure.drain_requested},
            {"immutables", &pressure.immutables},
            {"writing", &pressure.write_under_way},
            {"written", &pressure.client_bytes_total},
            {"flushed", &pressure.background_bytes_total},
            {"rests", &store->measured.rests}};
  }

  bool Offer(ScriptedStore* store, const Words& words) {
    if (words.size() < 4 || !kClasses.contains(words[2])) return false;
    for (size_t i = 3; i < words.size(); ++i) {
      ScriptedJob& job = jobs_[words[i]] = ScriptedJob();
      job.store = store;
      job.job_class = kClasses.at(words[2]);
      store->offers.push_back(&job);
    }
    return true;
  }

  std::optional<std::string> RunOnJob(const Words& words, ScriptedJob* job) {
    if (words[0] == "blocks") {
      for (size_t i = 1; i < words.size(); ++i) jobs_.at(words[i]).blocks_l0 = true;
      return "";
    }
    if (words[0] == "revoke" && std::erase(job->store->offers, job) > 0) return "";
    if (words[0] == "install" && job->held && !job->runs()) {
      Release(job);
      return "";
    }
    uint64_t bytes = 0;
    uint64_t percent = 0;
    if (!job->runs() || (words.size() > 2 && !ReadNumber(words[2], &bytes)) ||
        (words.size() > 3 && !ReadNumber(words[3], &percent))) {
      return std::nullopt;
    }
    if (words.size() > 3) job->share_done = static_cast<double>(percent) / 100;
    if (words[0] == "slice") {
      EndSlice(job, bytes);
      return "";
    }
    if (words[0] == "hang" || words[0] == "unhang") {
      Hang(job, words[0] == "hang");
      return "";
    }
    if (words[0] != "done" && words[0] != "merged" && words[0] != "fail") return std::nullopt;
    job->unreported_bytes += bytes;
    ComeBack(job,
             words[0] == "fail" ? WorkerReport::Outcome::kFailed : WorkerReport::Outcome::kDone);
    if (words[0] != "merged") Release(job);
    return "";
  }

  void EndSlice(ScriptedJob* job, uint64_t bytes) {
    Measured& measured = job->store->measured;
    if (job->assignment.counts_as == JobClass::kL0) ++measured.pressure.l0_slices_total;
    if (job->assignment.counts_as == JobClass::kDeep) ++measured.pressure.deep_slices_total;
    measured.compaction_bytes_total += bytes;
    job->unreported_bytes += bytes;
    job->worked_bytes += bytes;
    ++job->worked_slices;
    if (job->asked_to_pause || job->assignment.one_slice)
      ComeBack(job, WorkerReport::Outcome::kMore);
  }

  void Hang(ScriptedJob* job, bool hangs) {
    dispatcher_->SetHanging(job->worker, hangs);
    const CpuPriority cpu = job->assignment.cpu;
    if (!dispatcher_->LacksWorker(cpu)) return;
    dispatcher_->AddWorker(cpu);
    workers_.push_back(NameOfWorker(cpu));
  }

  std::string NameOfWorker(CpuPriority cpu) {
    const char kind = cpu == CpuPriority::kIdle ? 'i' : 'n';
    const auto before = std::count_if(workers_.begin(), workers_.end(),
                                      [&](const auto& w) { return w[0] == kind; });
    return kind + std::to_string(before + 1);
  }

  void ComeBack(ScriptedJob* job, WorkerReport::Outcome outcome) {
    reports_.push_back({std::exchange(job->worker, -1), outcome,
                        std::exchange(job->unreported_bytes, 0), job->share_done});
  }

  void RunRound() {
    dispatcher_->BeginRound(now_us_ * 1000, std::exchange(reports_, {}));
    for (auto& [name, store] : stores_) {
      if (store.closing && !store.closed && !dispatcher_->Has(store.id)) {
        store.closed = true;
        Say(name + " is closed");
      }
      if (store.closing) continue;
      const auto offers = [&offers = store.offers](JobClass job_class) {
        return std::any_of(offers.begin(), offers.end(),
                           [&](const ScriptedJob* job) { return job->job_class == job_class; });
      };
      store.measured.pressure.manual_due = offers(JobClass::kManual);
      store.measured.pressure.l0_due = offers(JobClass::kL0);
      store.measured.pressure.deep_due = offers(JobClass::kDeep);
      dispatcher_->Measure(store.id, store.measured);
    }
    wake_at_us_ = (dispatcher_->Dispatch() + 999) / 1000;
    for (const WorkerOrder& order : dispatcher_->orders()) Obey(order);
  }

  std::string PassTime(uint64_t length_us) {
    const uint64_t end_us = now_us_ + length_us;
    timed_ = true;
    while (now_us_ < end_us) {
      now_us_ = std::clamp(wake_at_us_, now_us_ + 1, end_us);
      RunRound();
    }
    timed_ = false;
    return std::exchange(said_, "");
  }

  std::string Work(uint64_t length_us, uint64_t bytes_per_slice) {
    const uint64_t end_us = now_us_ + length_us;
    for (auto& [name, job] : jobs_) job.worked_slices = job.worked_bytes = 0;
    RunRound();
    uint64_t slices_end_us = now_us_ + kSliceUs;
    while (now_us_ < end_us) {
      now_us_ = std::min({std::max(wake_at_us_, now_us_ + 1), slices_end_us, end_us});
      if (now_us_ == slices_end_us) {
        slices_end_us += kSliceUs;
        for (auto& [name, job] : jobs_) {
          if (job.runs()) EndSlice(&job, bytes_per_slice);
        }
      }
      if (!reports_.empty() || now_us_ >= wake_at_us_) RunRound();
    }
    said_.clear();
    std::string text;
    for (const auto& [name, job] : jobs_) {
      if (job.worked_slices == 0) continue;
      text += name + ": " + std::to_string(job.worked_slices) + " slices, " +
              SizeText(job.worked_bytes) + "\n";
    }
    return text.empty() ? "nothing ran\n" : text;
  }

  void Say(const std::string& text) {
    if (timed_) said_ += "+" + TimeText(now_us_ - began_us_) + ": ";
    said_ += text + "\n";
  }

  NamedJob& Named(JobId id) {
    return *std::find_if(jobs_.begin(), jobs_.end(),
                         [&](const NamedJob& named) { return named.second.id == id; });
  }

  void Obey(const WorkerOrder& order) {
    auto& [name, job] = Named(order.job);
    if (order.kind != WorkerOrder::Kind::kStart) {
      job.asked_to_pause = order.kind == WorkerOrder::Kind::kPause;
      return Say(job.asked_to_pause ? "ask " + name + " to pause" : "let " + name + " continue");
    }
    job.worker = order.assignment.worker;
    job.assignment = order.assignment;
    job.asked_to_pause = false;
    std::string text = std::exchange(job.started_before, true) ? "resume " : "start ";
    text += name + " on " + workers_[static_cast<size_t>(job.worker)];
    if (job.assignment.one_slice) text += ", one slice";
    if (job.assignment.counts_as != job.job_class) text += ", in L0's place";
    Say(text);
  }

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

}  // namespace

std::unique_ptr<Script> NewDispatcherScript() { return std::make_unique<DispatcherScript>(); }

}  // namespace lull::testing
