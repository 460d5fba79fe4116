// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "tests/scheduler/dispatcher_script.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <sstream>
#include <utility>

#include "tests/scheduler/script_text.h"

namespace lull::testing {

struct Wish {
  Directive directive;
  EventKind event = EventKind::kTick;  // of the last call of the policy
  Pressure pressure;
};

namespace {

constexpr uint64_t kSliceUs = 1'000;

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

const char* EventText(EventKind event) {
  constexpr const char* kNames[] = {"opened",  "tick",     "sealed",
                                    "flushed", "job done", "job failed"};
  return kNames[static_cast<size_t>(event)];
}

std::optional<JobClass> ReadClass(const std::string& word) {
  constexpr std::pair<const char*, JobClass> kClasses[] = {{"manual", JobClass::kManual},
                                                           {"l0", JobClass::kL0},
                                                           {"deep", JobClass::kDeep},
                                                           {"cleanup", JobClass::kCleanup},
                                                           {"preload", JobClass::kPreload}};
  for (const auto& [name, job_class] : kClasses) {
    if (word == name) return job_class;
  }
  return std::nullopt;
}

std::string CannotRead(const std::string& word) { return "error: cannot read \"" + word + "\"\n"; }

}  // namespace

struct DispatcherScript::ScriptedStore {
  std::string name;
  StoreId id{};
  Wish wish;
  Measured measured;
  std::vector<ScriptedJob*> offers;
  bool closing = false;
  bool closed = false;
};

struct DispatcherScript::ScriptedJob {
  bool runs() const { return worker >= 0; }

  std::string name;
  JobId id{};
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

DispatcherScript::DispatcherScript() = default;
DispatcherScript::~DispatcherScript() = default;

std::string DispatcherScript::Run(const std::string& command) {
  std::istringstream stream(command);
  const Words words{std::istream_iterator<std::string>(stream), {}};
  if (words.empty()) return "error: empty command\n";
  began_us_ = now_us_;
  uint64_t first = 0;
  uint64_t second = kLentBytes / 4;
  const bool has_number = words.size() > 1 && ReadNumber(words[1], &first);
  if (words[0] == "workers" && has_number && first > 0) {
    stores_.clear();
    jobs_.clear();
    reports_.clear();
    threads_ = static_cast<int>(first);
    dispatcher_ = std::make_unique<Dispatcher>(threads_, this);
    return "";
  }
  if (dispatcher_ == nullptr) return "error: no workers yet\n";
  if (words[0] == "round" && words.size() == 1) {
    RunRound();
    return std::exchange(said_, "");
  }
  if (words[0] == "advance" && words.size() == 2 && has_number) return PassTime(first);
  if (words[0] == "work" && has_number && words.size() <= 3) {
    if (words.size() == 3 && !ReadNumber(words[2], &second)) return CannotRead(words[2]);
    return Work(first, second);
  }
  if (words.size() < 2) return CannotRead(command);
  for (const char* verb : {"open", "close", "policy", "seen", "want", "set", "offer"}) {
    if (words[0] == verb) return RunOnStore(words);
  }
  for (const char* verb : {"slice", "done", "fail", "blocks", "revoke"}) {
    if (words[0] == verb) return RunOnJob(words);
  }
  return CannotRead(command);
}

std::string DispatcherScript::RunOnStore(const Words& words) {
  if (words[0] == "open") {
    auto store = std::make_unique<ScriptedStore>();
    store->name = words[1];
    store->wish.directive.l0 = {2, CpuPriority::kNormal};
    store->wish.directive.deep = {2, CpuPriority::kNormal};
    store->wish.directive.compactions_max = 2;
    store->id = dispatcher_->Open(std::make_unique<WishPolicy>(&store->wish), now_us_ * 1000);
    stores_[words[1]] = std::move(store);
    return "";
  }
  const auto found = stores_.find(words[1]);
  if (found == stores_.end() || found->second->closed) return "error: no such store\n";
  ScriptedStore* const store = found->second.get();
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
    return std::string(EventText(store->wish.event)) + "; L0 " + std::to_string(seen.l0_running) +
           " running; deep " + std::to_string(seen.deep_running) + " running, " +
           std::to_string(seen.deep_paused) + " paused; silent for " + TimeText(seen.idle_us) +
           "; wrote " + SizeText(seen.background_bytes_total) + "\n";
  }
  return words[0] == "offer" ? Offer(store, words) : Want(store, words);
}

/// Runs both "want" and "set": no key has two meanings.
std::string DispatcherScript::Want(ScriptedStore* store, const Words& words) {
  for (size_t i = 2; i < words.size(); ++i) {
    std::string key;
    uint64_t value = 0;
    if (!ReadPair(words[i], &key, &value)) return CannotRead(words[i]);
    const int number = static_cast<int>(value);
    const CpuPriority cpu = value != 0 ? CpuPriority::kIdle : CpuPriority::kNormal;
    if (key == "l0") {
      store->wish.directive.l0.jobs_max = number;
    } else if (key == "deep") {
      store->wish.directive.deep.jobs_max = number;
    } else if (key == "l0_idle") {
      store->wish.directive.l0.cpu = cpu;
    } else if (key == "deep_idle") {
      store->wish.directive.deep.cpu = cpu;
    } else if (key == "max") {
      store->wish.directive.compactions_max = number;
    } else if (key == "stops") {
      store->wish.directive.l0_stops_blockers = value != 0;
    } else if (key == "rate") {
      store->wish.directive.rate.bytes_per_sec = value;
    } else if (key == "urgent") {
      store->wish.directive.rate.urgent_bytes_per_sec_min = value;
    } else if (key == "users") {
      store->wish.directive.rate.is_users = value != 0;
    } else if (key == "l0_stop") {
      store->wish.directive.l0_stop = number;
    } else if (key == "tick") {
      store->wish.directive.tick = value != 0;
    } else if (key == "l0_tables") {
      store->measured.pressure.l0_tables = number;
    } else if (key == "drain") {
      store->measured.pressure.drain_requested = value != 0;
    } else if (key == "immutables") {
      store->measured.pressure.immutables = number;
    } else if (key == "writing") {
      store->measured.pressure.write_under_way = value != 0;
    } else if (key == "written") {
      store->measured.pressure.client_bytes_total += value;
    } else if (key == "flushed") {
      store->measured.pressure.background_bytes_total += value;
    } else {
      return "error: no such key \"" + key + "\"\n";
    }
  }
  return "";
}

std::string DispatcherScript::Offer(ScriptedStore* store, const Words& words) {
  const std::optional<JobClass> job_class =
      words.size() > 3 ? ReadClass(words[2]) : std::optional<JobClass>();
  if (!job_class) return "error: offer STORE CLASS JOB...\n";
  for (size_t i = 3; i < words.size(); ++i) {
    auto job = std::make_unique<ScriptedJob>();
    job->name = words[i];
    job->id = JobId{++ids_};
    job->store = store;
    job->job_class = *job_class;
    store->offers.push_back(job.get());
    jobs_[words[i]] = std::move(job);
  }
  return "";
}

std::string DispatcherScript::RunOnJob(const Words& words) {
  const auto found = jobs_.find(words[1]);
  if (found == jobs_.end()) return "error: no such job\n";
  ScriptedJob* const job = found->second.get();
  if (words[0] == "blocks") {
    for (size_t i = 1; i < words.size(); ++i) {
      if (!jobs_.contains(words[i])) return "error: no such job\n";
      jobs_[words[i]]->blocks_l0 = true;
    }
    return "";
  }
  if (words[0] == "revoke") {
    return std::erase(job->store->offers, job) > 0 ? "" : "error: it is not on offer\n";
  }
  if (!job->runs()) return "error: " + job->name + " does not run\n";
  uint64_t bytes = 0;
  uint64_t percent = 0;
  if (words.size() > 2 && !ReadNumber(words[2], &bytes)) return CannotRead(words[2]);
  if (words.size() > 3 && !ReadNumber(words[3], &percent)) return CannotRead(words[3]);
  if (words.size() > 3) job->share_done = static_cast<double>(percent) / 100;
  if (words[0] == "slice") {
    EndSlice(job, bytes);
    return "";
  }
  job->unreported_bytes += bytes;
  ComeBack(job, words[0] == "done" ? WorkerReport::Outcome::kDone : WorkerReport::Outcome::kFailed);
  return "";
}

void DispatcherScript::EndSlice(ScriptedJob* job, uint64_t bytes) {
  Measured& measured = job->store->measured;
  if (job->assignment.counts_as == JobClass::kL0) ++measured.pressure.l0_slices_total;
  if (job->assignment.counts_as == JobClass::kDeep) ++measured.pressure.deep_slices_total;
  measured.compaction_bytes_total += bytes;
  job->unreported_bytes += bytes;
  job->worked_bytes += bytes;
  ++job->worked_slices;
  if (job->asked_to_pause || job->assignment.one_slice) ComeBack(job, WorkerReport::Outcome::kMore);
}

void DispatcherScript::ComeBack(ScriptedJob* job, WorkerReport::Outcome outcome) {
  reports_.push_back({std::exchange(job->worker, -1), outcome,
                      std::exchange(job->unreported_bytes, 0), job->share_done});
  if (outcome != WorkerReport::Outcome::kMore) job->held = false;
}

void DispatcherScript::RunRound() {
  dispatcher_->BeginRound(now_us_ * 1000, std::exchange(reports_, {}));
  for (const auto& named : stores_) {
    ScriptedStore* const store = named.second.get();
    if (store->closing) continue;
    Pressure& pressure = store->measured.pressure;
    const auto offers = [&](JobClass job_class) {
      return std::any_of(store->offers.begin(), store->offers.end(),
                         [&](const ScriptedJob* job) { return job->job_class == job_class; });
    };
    pressure.l0_due = offers(JobClass::kL0);
    pressure.deep_due = offers(JobClass::kDeep);
    dispatcher_->Measure(store->id, store->measured);
  }
  wake_at_us_ = (dispatcher_->Dispatch() + 999) / 1000;
}

std::string DispatcherScript::PassTime(uint64_t length_us) {
  const uint64_t end_us = now_us_ + length_us;
  timed_ = true;
  while (now_us_ < end_us) {
    now_us_ = std::clamp(wake_at_us_, now_us_ + 1, end_us);
    RunRound();
  }
  timed_ = false;
  return std::exchange(said_, "");
}

std::string DispatcherScript::Work(uint64_t length_us, uint64_t bytes_per_slice) {
  const uint64_t end_us = now_us_ + length_us;
  for (const auto& [name, job] : jobs_) job->worked_slices = job->worked_bytes = 0;
  RunRound();
  uint64_t slices_end_us = now_us_ + kSliceUs;
  while (now_us_ < end_us) {
    now_us_ = std::min({std::max(wake_at_us_, now_us_ + 1), slices_end_us, end_us});
    if (now_us_ == slices_end_us) {
      slices_end_us += kSliceUs;
      for (const auto& [name, job] : jobs_) {
        if (job->runs()) EndSlice(job.get(), bytes_per_slice);
      }
    }
    if (!reports_.empty() || now_us_ >= wake_at_us_) RunRound();
  }
  said_.clear();
  std::string text;
  for (const auto& [name, job] : jobs_) {
    if (job->worked_slices == 0) continue;
    text += name + ": " + std::to_string(job->worked_slices) + " slices, " +
            SizeText(job->worked_bytes) + "\n";
  }
  return text.empty() ? "nothing ran\n" : text;
}

void DispatcherScript::Say(const std::string& text) {
  if (timed_) said_ += "+" + TimeText(now_us_ - began_us_) + ": ";
  said_ += text + "\n";
}

DispatcherScript::ScriptedStore& DispatcherScript::StoreOf(StoreId id) {
  return *std::find_if(stores_.begin(), stores_.end(), [&](const auto& named) {
            return named.second->id == id;
          })->second;
}

DispatcherScript::ScriptedJob& DispatcherScript::JobOf(JobId id) {
  return *std::find_if(jobs_.begin(), jobs_.end(), [&](const auto& named) {
            return named.second->id == id;
          })->second;
}

std::optional<JobId> DispatcherScript::Pick(StoreId id, JobClass job_class) {
  ScriptedStore& store = StoreOf(id);
  const bool blocked = std::any_of(jobs_.begin(), jobs_.end(), [&](const auto& named) {
    const ScriptedJob& job = *named.second;
    return job.store == &store && job.held && job.blocks_l0;
  });
  if (job_class == JobClass::kL0 && blocked) return std::nullopt;
  const auto offer =
      std::find_if(store.offers.begin(), store.offers.end(),
                   [&](const ScriptedJob* job) { return job->job_class == job_class; });
  if (offer == store.offers.end()) return std::nullopt;
  ScriptedJob* const job = *offer;
  store.offers.erase(offer);
  job->held = true;
  return job->id;
}

std::vector<JobId> DispatcherScript::BlockersOfL0(StoreId, const std::vector<JobId>& jobs) {
  std::vector<JobId> blockers;
  std::copy_if(jobs.begin(), jobs.end(), std::back_inserter(blockers),
               [&](JobId id) { return JobOf(id).blocks_l0; });
  return blockers;
}

void DispatcherScript::Start(JobId id, const Assignment& assignment) {
  ScriptedJob& job = JobOf(id);
  job.worker = assignment.worker;
  job.assignment = assignment;
  job.asked_to_pause = false;
  const bool idle = assignment.cpu == CpuPriority::kIdle;
  const int number = assignment.worker - (idle ? threads_ : 0) + 1;
  std::string text = std::exchange(job.started_before, true) ? "resume " : "start ";
  text += job.name + " on " + (idle ? "i" : "n") + std::to_string(number);
  if (assignment.one_slice) text += ", one slice";
  if (assignment.counts_as != job.job_class) text += ", in L0's place";
  Say(text);
}

void DispatcherScript::Pause(JobId id) {
  JobOf(id).asked_to_pause = true;
  Say("ask " + JobOf(id).name + " to pause");
}

void DispatcherScript::Continue(JobId id) {
  JobOf(id).asked_to_pause = false;
  Say("let " + JobOf(id).name + " continue");
}

void DispatcherScript::Abandon(JobId id) {
  JobOf(id).held = false;
  Say("abandon " + JobOf(id).name);
}

void DispatcherScript::Paused(JobId id) { Say(JobOf(id).name + " is paused"); }

void DispatcherScript::Closed(StoreId id) {
  StoreOf(id).closed = true;
  Say(StoreOf(id).name + " is closed");
}

}  // namespace lull::testing
