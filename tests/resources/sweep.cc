// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "tests/resources/sweep.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <iterator>
#include <memory>
#include <utility>

#include "tests/support/fresh_directory.h"
#include "tests/support/open_store.h"
#include "tests/support/rng.h"
#include "tests/support/scenario.h"
#include "tests/support/setting.h"
#include "tests/support/sweep.h"
#include "util/clock.h"

namespace lull::testing {

using leveldb::Status;

namespace {

constexpr uint64_t kDiskBytes = 16 << 20;
constexpr int kRecoveryKey = 90;
constexpr size_t kRecoveryBytes = 10;

struct Result {
  Outcome outcome = Outcome::kOk;
  uint32_t recovery_ms = 0;
  std::string text;

  std::string Encode() const {
    return std::to_string(static_cast<uint32_t>(outcome)) + " " + std::to_string(recovery_ms) +
           " " + text;
  }
  static Result Decode(const std::string& said) {
    Result result;
    char* end = nullptr;
    result.outcome = static_cast<Outcome>(std::strtoul(said.c_str(), &end, 10));
    result.recovery_ms = static_cast<uint32_t>(std::strtoul(end, &end, 10));
    if (*end == ' ') result.text = end + 1;
    return result;
  }
};

uint64_t ValueOf(const Point& point) {
  const std::vector<uint64_t>& steps = LimitSteps(point.kind);
  if (point.step / 2 < steps.size()) return steps[point.step / 2];
  Rng rng(point.step);
  const size_t at = rng.Below(steps.size() - 1);
  return steps[at] + rng.Below(steps[at + 1] - steps[at]);
}

std::string SchedulingOf(const Point& point) {
  return std::string("policy=lull") +
         (point.step / 2 % 2 == 1 ? ";layout=vsst;table_bytes_max=8K;growth_factor=4" : "");
}

// A stack that cannot grow under an address space limit causes a SIGSEGV, so grow it first.
[[gnu::noinline]] void GrowStack() {
  volatile char stack[1 << 20];
  for (size_t i = 0; i < sizeof(stack); i += 1024) stack[i] = 0;
}

// One point: a scenario under a limit, in a process that may start threads.
class PointRun {
 public:
  // `fates` is memory that outlives the process of the scenario.
  PointRun(const Point& point, uint64_t patience_ms, std::string directory, CommitLog::Fate* fates)
      : point_(point),
        scenario_(AllScenarios()[point.scenario]),
        patience_ms_(patience_ms),
        directory_(std::move(directory)),
        fates_(fates),
        limit_(point.kind, ValueOf(point), directory_) {}

  Result Run() {
    if (point_.kind == LimitKind::kThreads && !BecomeLimitedUser())
      return {Outcome::kSkipped, 0, ""};
    // std::bad_alloc must not destroy the store during unwinding: a store that threw it is not
    // usable.
    auto* const store = new ScenarioStore(scenario_, leveldb::Env::Default(), SchedulingOf(point_),
                                          Hooks(/*replays=*/false));
    applied_ = point_.step % 2 == 0;
    if (applied_ && !limit_.Apply()) return {Outcome::kSkipped, 0, ""};
    RunScenario(scenario_, store);
    limit_.Lift();
    if (!store->wrong_read().empty()) return {Outcome::kWrong, 0, store->wrong_read()};
    Result result = Recover(store);
    std::string lost;
    if (result.outcome == Outcome::kOk) lost = Compare(store, store->commits());
    if (lost.empty()) lost = OpenAndCompare(store, store->commits());
    if (!lost.empty()) return {Outcome::kLost, result.recovery_ms, lost};
    delete store;
    return result;
  }

  // Runs after std::bad_alloc has ended the scenario's process.
  Result Reopen() {
    ScenarioStore replay(scenario_, leveldb::Env::Default(), "", Hooks(/*replays=*/true));
    RunScenario(scenario_, &replay);
    while (replay.HasMore()) replay.Put(kRecoveryKey, kRecoveryBytes, true);
    ScenarioStore store(scenario_, leveldb::Env::Default(), SchedulingOf(point_),
                        {.directory = directory_ + "/store"});
    const std::string lost = OpenAndCompare(&store, replay.commits());
    if (lost.empty()) return {Outcome::kOutOfMemory, 0, ""};
    return {Outcome::kLost, 0, "after std::bad_alloc: " + lost};
  }

 private:
  static std::string Compare(ScenarioStore* store, const CommitLog& log) {
    const CommitLog::Verdict verdict =
        log.MatchesPrefix(store->db(), CommitLog::Demand::kAckedSurvives);
    return verdict.ok ? "" : verdict.detail;
  }

  static std::string OpenAndCompare(ScenarioStore* store, const CommitLog& log) {
    const Status s = store->Open();
    return s.ok() ? Compare(store, log) : "cannot be reopened: " + s.ToString();
  }

  ScenarioHooks Hooks(bool replays) {
    const auto apply = [this] {
      if (!std::exchange(applied_, true)) limit_.Apply();
    };
    return {.directory = directory_ + "/store",
            .stay_open = true,
            .opened = apply,
            .fates = fates_,
            .replays = replays};
  }

  // A synced write and a flush on the current store; opens it first if an open had failed.
  static Status Work(ScenarioStore* store) {
    if (!store->is_open()) {
      const Status s = store->Open();
      if (!s.ok()) return s;
    }
    const Status s = store->Put(kRecoveryKey, kRecoveryBytes, true);
    return s.ok() && !kIsStock ? FlushStore(store->db()) : s;
  }

  Result Recover(ScenarioStore* store) const {
    Clock* const clock = Clock::System();
    const uint64_t began = clock->NowNanos();
    for (;;) {
      const Status s = Work(store);
      const auto ms = static_cast<uint32_t>((clock->NowNanos() - began) / 1'000'000);
      if (s.ok() && ms <= patience_ms_) return {Outcome::kOk, ms, ""};
      if (ms > patience_ms_) return {Outcome::kStuck, ms, s.ToString()};
      clock->SleepForNanos(10'000'000);
    }
  }

  const Point point_;
  const Scenario& scenario_;
  const uint64_t patience_ms_;
  const std::string directory_;
  CommitLog::Fate* const fates_;
  Limit limit_;
  bool applied_ = false;
};

// Mounts the disk, and starts the process that runs the scenario on it.
Result RunPoint(const Point& point, const ResourceSweepOptions& options,
                const std::string& directory) {
  if (!MountPrivateDisk(directory, kDiskBytes) && point.kind == LimitKind::kDisk) {
    return {Outcome::kSkipped, 0, ""};
  }
  using Fate = CommitLog::Fate;
  auto* const fates = static_cast<Fate*>(ShareMemory(ScenarioStore::kWritesMax * sizeof(Fate)));
  PointRun run(point, options.patience_ms, directory, fates);
  const int errors = memfd_create("stderr", MFD_CLOEXEC);
  Child child([&run, errors] {
    dup2(errors, STDERR_FILENO);
    GrowStack();
    return run.Run().Encode();
  });
  const Child::End end = child.Wait(options.scenario_ms + options.patience_ms);
  char printed[200] = "";
  if (pread(errors, printed, sizeof(printed) - 1, 0) < 0) printed[0] = 0;
  close(errors);
  if (end.timed_out) return {Outcome::kStuck, 0, "the scenario hangs"};
  if (end.ok()) return Result::Decode(end.said);
  if (!end.out_of_memory) {
    return {Outcome::kDied, 0, std::string(strsignal(end.signal)) + " " + printed};
  }
  Child after([&run] { return run.Reopen().Encode(); });
  const Child::End reopened = after.Wait(options.scenario_ms);
  if (!reopened.ok()) return {Outcome::kLost, 0, "a reopen after std::bad_alloc failed"};
  return Result::Decode(reopened.said);
}

std::string NameOf(const Point& point) {
  return std::string(LimitName(point.kind)) + "/" + AllScenarios()[point.scenario].name + "/" +
         std::to_string(point.step);
}

std::vector<Point> AllPoints(const ResourceSweepOptions& options) {
  std::vector<Point> points;
  for (const LimitKind kind : kAllLimitKinds) {
    for (uint64_t step = 0; step < 2 * LimitSteps(kind).size(); ++step) {
      for (size_t i = 0; i < AllScenarios().size(); ++i) points.push_back({kind, i, step});
    }
  }
  if (options.points == 0) return points;
  points.clear();
  Rng rng(options.seed);
  while (points.size() < options.points) {
    const LimitKind kind = kAllLimitKinds[rng.Below(std::size(kAllLimitKinds))];
    const auto scenario = static_cast<size_t>(rng.Below(AllScenarios().size()));
    points.push_back({kind, scenario, 1000 + rng.Below(1'000'000)});
  }
  return points;
}

// KIND, KIND/SCENARIO or KIND/SCENARIO/STEP; the step can be a random one.
std::vector<Point> PointsNamed(const std::string& text) {
  const size_t slash = text.rfind('/');
  if (slash != std::string::npos && slash != text.find('/')) {
    for (const Point& point : PointsNamed(text.substr(0, slash))) {
      return {{point.kind, point.scenario, std::strtoull(text.c_str() + slash + 1, nullptr, 10)}};
    }
  }
  std::vector<Point> points;
  for (const Point& point : AllPoints(ResourceSweepOptions())) {
    if (NameOf(point).rfind(text + "/", 0) == 0) points.push_back(point);
  }
  return points;
}

void Count(const Point& point, const Result& result, ResourceSweepReport* report) {
  Tally& tally = report->tallies[point.kind];
  ++tally.points;
  ++tally.outcomes[result.outcome];
  if (result.outcome == Outcome::kOk) {
    tally.longest_ms = std::max(tally.longest_ms, result.recovery_ms);
  }
  if (result.outcome <= Outcome::kOutOfMemory) return;
  static const char* const kNames[] = {"", "", "", "lost", "wrong", "stuck", "died"};
  report->violations.push_back(
      std::string(kNames[static_cast<size_t>(result.outcome)]) + ", limit " +
      std::to_string(ValueOf(point)) + (point.step % 2 == 0 ? " before" : " after") +
      " the open: " + result.text + "; LULL_RESOURCE_ONLY=" + NameOf(point));
}

}  // namespace

ResourceSweepOptions ResourceSettings() {
  const char* const only = std::getenv("LULL_RESOURCE_ONLY");
  return {.seed = static_cast<uint64_t>(Setting("LULL_RESOURCE_SEED", 1)),
          .points = static_cast<uint64_t>(Setting("LULL_RESOURCE_POINTS", 0)),
          .only = only != nullptr ? only : "",
          .stride = TestStride()};
}

ResourceSweepReport ResourceSweep(const ResourceSweepOptions& options) {
  ResourceSweepReport report;
  std::vector<Point> points = options.only.empty() ? AllPoints(options) : PointsNamed(options.only);
  uint64_t index = 0;
  std::erase_if(points, [&](const Point&) {
    return options.only.empty() && SubSeed(options.seed, index++) % options.stride != 0;
  });
  struct Running {
    Point point;
    std::unique_ptr<Child> child;
  };
  std::deque<Running> running;
  for (size_t next = 0; next < points.size() || !running.empty();) {
    if (next < points.size() && running.size() < options.at_a_time) {
      const Point point = points[next];
      const std::string directory = FreshDirectory("resources");
      running.push_back({point, std::make_unique<Child>(
                                    [&] { return RunPoint(point, options, directory).Encode(); })});
      ++next;
      continue;
    }
    Running first = std::move(running.front());
    running.pop_front();
    const Child::End end = first.child->Wait(4 * (options.scenario_ms + options.patience_ms));
    Result result = Result::Decode(end.said);
    if (!end.ok() || end.said.empty()) result = {Outcome::kDied, 0, "the supervisor ended"};
    Count(first.point, result, &report);
  }
  return report;
}

std::string TableOf(const ResourceSweepReport& report) {
  char line[160];
  std::string table =
      "kind           points  out of memory  lost  wrong  stuck  died  longest recovery ms\n";
  for (const auto& [kind, tally] : report.tallies) {
    const auto count = [&t = tally](Outcome outcome) {
      const auto found = t.outcomes.find(outcome);
      return found != t.outcomes.end() ? static_cast<unsigned long long>(found->second) : 0;
    };
    std::snprintf(line, sizeof(line), "%-13s %7llu %14llu %5llu %6llu %6llu %5llu %20u%s\n",
                  LimitName(kind), static_cast<unsigned long long>(tally.points),
                  count(Outcome::kOutOfMemory), count(Outcome::kLost), count(Outcome::kWrong),
                  count(Outcome::kStuck), count(Outcome::kDied), tally.longest_ms,
                  count(Outcome::kSkipped) > 0 ? "  (not permitted here)" : "");
    table += line;
  }
  return table;
}

}  // namespace lull::testing
