// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Replays testdata/recorded/*.run, which are real runs of db_bench: the events that a store sent to
// its policy. Every policy receives the same events. NAME.expected summarizes their directives;
// "scheduler_test --rewrite" writes it again. The store reacted to the recorded policy only. So the
// sums of other policies show how they react to such a load, not how they would perform.
#include "tests/support/recorded_run.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "scheduler/policy.h"
#include "scheduler/token_bucket.h"
#include "tests/scheduler/rewrite.h"
#include "tests/support/random_policy.h"

namespace lull::testing {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> RecordedFiles() {
  std::vector<fs::path> files;
  const fs::path folder = fs::path(__FILE__).parent_path() / "testdata/recorded";
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".run") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string ReadText(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

PolicyOptions OptionsFor(const std::string& policy, const RecordedRun& run) {
  PolicyOptions options = run.options;
  if (policy == run.policy) return options;
  const L0Limits limits = DefaultL0Limits(policy);
  options.l0_trigger = limits.trigger;
  options.l0_slowdown = limits.slowdown;
  options.l0_stop = limits.stop;
  return options;
}

std::vector<Directive> Replay(const std::string& name, const RecordedRun& run) {
  const std::unique_ptr<Policy> policy = MakePolicy(name, OptionsFor(name, run));
  std::vector<Directive> said;
  for (const RecordedRun::Moment& moment : run.moments) {
    said.push_back(policy->OnEvent(moment.event, moment.pressure, moment.now_us));
  }
  return said;
}

/// The shares of time in which a policy wanted each kind of work, and how often it changed its
/// directive.
std::string Summary(const std::string& name, const RecordedRun& run) {
  const std::vector<Directive> said = Replay(name, run);
  double all_us = 0, l0_us = 0, deep_us = 0, idle_cpu_us = 0, limited_us = 0, slowed_us = 0;
  int changes = 0;
  for (size_t i = 0; i + 1 < said.size(); ++i) {
    const Directive& wanted = said[i];
    const double us = static_cast<double>(run.moments[i + 1].now_us - run.moments[i].now_us);
    all_us += us;
    if (wanted.l0.jobs_max > 0) l0_us += us;
    if (wanted.deep.jobs_max > 0) deep_us += us;
    if (wanted.l0.jobs_max > 0 && wanted.l0.cpu == CpuPriority::kIdle) idle_cpu_us += us;
    if (wanted.rate.bytes_per_sec > 0) limited_us += us;
    if (wanted.cause != StallCause::kNone) slowed_us += us;
    changes += said[i + 1] != wanted;
  }
  char line[200];
  std::snprintf(line, sizeof(line),
                "%-15s L0 runs %5.1f %% (at idle priority %5.1f %%)  deep %5.1f %%  "
                "limited %5.1f %%  writes slowed %5.1f %%  changes %d\n",
                name.c_str(), 100 * l0_us / all_us, 100 * idle_cpu_us / all_us,
                100 * deep_us / all_us, 100 * limited_us / all_us, 100 * slowed_us / all_us,
                changes);
  return line;
}

class RecordedRunTest : public ::testing::TestWithParam<fs::path> {
 protected:
  void SetUp() override {
    text_ = ReadText(GetParam());
    ASSERT_EQ(ReadRecorded(text_, &run_), "");
  }
  std::string text_;
  RecordedRun run_;
};

INSTANTIATE_TEST_SUITE_P(Files, RecordedRunTest, ::testing::ValuesIn(RecordedFiles()),
                         [](const auto& info) {
                           std::string name = info.param.stem().string();
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(RecordedRunTest, SaysItself) {
  // Everything except the comment at the top.
  EXPECT_EQ(RecordedText(run_), text_.substr(text_.find("policy ")));
}

TEST_P(RecordedRunTest, GivesTheSameDirectivesEveryTime) {
  for (const std::string& name : PolicyNames()) {
    EXPECT_EQ(Replay(name, run_), Replay(name, run_)) << name;
  }
}

// Promises of the policies for any history, checked on a real one.

TEST_P(RecordedRunTest, FlushesNeverWaitForCompactions) {
  for (const std::string& name : PolicyNames()) {
    const std::vector<Directive> said = Replay(name, run_);
    for (size_t i = 0; i < said.size(); ++i) {
      SCOPED_TRACE(::testing::Message() << name << ", event " << i);
      const Pressure& pressure = run_.moments[i].pressure;
      // A policy may collect memtables, but must begin the flush while half of the budget is left.
      // Nothing else delays a flush. "leveldb" has one thread for both, so there compactions wait.
      ASSERT_LE(said[i].flush_bytes_min, pressure.memory_budget_bytes / 2);
      if (pressure.drain_requested) {
        ASSERT_EQ(said[i].flush_bytes_min, 0u);
      }
      if (name != "leveldb" || pressure.immutables == 0) continue;
      ASSERT_EQ(said[i].l0.jobs_max + said[i].deep.jobs_max, 0);
    }
  }
}

TEST_P(RecordedRunTest, EveryPauseEnds) {
  for (const std::string& name : PolicyNames()) {
    SCOPED_TRACE(name);
    const PolicyOptions options = OptionsFor(name, run_);
    const std::unique_ptr<Policy> policy = MakePolicy(name, options);
    RecordedRun::Moment now;
    uint64_t l0_paused_us = 0, deep_paused_us = 0;
    const auto look = [&](const RecordedRun::Moment& next) {
      const Directive wanted = policy->OnEvent(next.event, next.pressure, next.now_us);
      const uint64_t elapsed_us = next.now_us - now.now_us;
      const auto count = [&](bool waits, uint64_t* paused_us) {
        *paused_us = waits ? *paused_us + elapsed_us : 0;
        ASSERT_LE(*paused_us, options.pause_us_max + 1'000'000);
      };
      const bool flushes_first = name == "leveldb" && next.pressure.immutables > 0;
      const bool deep_first =
          name == "leveldb" && next.pressure.deep_running + next.pressure.deep_paused > 0;
      count(next.pressure.l0_due && wanted.l0.jobs_max == 0 && !flushes_first && !deep_first,
            &l0_paused_us);
      count(next.pressure.deep_due && wanted.deep.jobs_max == 0 && !flushes_first, &deep_paused_us);
      now = next;
    };
    for (const RecordedRun::Moment& moment : run_.moments) look(moment);
    // The clients of the last event continue forever, and all classes stay due.
    RecordedRun::Moment endless = now;
    endless.pressure.l0_due = endless.pressure.deep_due = true;
    endless.pressure.immutables = 0;
    endless.pressure.idle_us = 0;
    for (uint64_t i = 0; i < 3 * options.pause_us_max / 10'000; ++i) {
      endless.event = EventKind::kTick;
      endless.now_us += 10'000;
      endless.pressure.client_bytes_total += 500'000;
      look(endless);
      if (HasFatalFailure()) return;
    }
  }
}

/// Jobs write as much as a directive allows, through the whole run.
TEST_P(RecordedRunTest, JobsStayWithinWhatTheDirectivesAllow) {
  for (const std::string& name : PolicyNames()) {
    SCOPED_TRACE(name);
    const std::vector<Directive> said = Replay(name, run_);
    TokenBucket bucket;
    double excess = 0;  // the most bytes written beyond rate * time, over all stretches
    uint64_t limited_bytes = 0;
    for (size_t i = 0; i + 1 < said.size(); ++i) {
      uint64_t now = run_.moments[i].now_us * 1000;
      const uint64_t end = run_.moments[i + 1].now_us * 1000;
      bucket.SetRate(said[i].rate, now);
      if (!bucket.limited()) {
        excess = 0;
        continue;
      }
      const double per_nano = static_cast<double>(said[i].rate.bytes_per_sec) * 1e-9;
      while (now < end) {
        const JobClass job_class = limited_bytes % 2 == 0 ? JobClass::kL0 : JobClass::kDeep;
        const uint64_t wait = bucket.WaitNanos(job_class, now);
        const uint64_t step = std::min(end - now, std::max<uint64_t>(wait, 1000));
        if (wait == 0) {
          bucket.End(bucket.Begin(job_class, now), kLentBytes - 1, now);
          excess += kLentBytes - 1;
          limited_bytes += kLentBytes - 1;
          ASSERT_LE(excess, static_cast<double>(kSliceBytes)) << "event " << i;
        }
        now += step;
        excess = std::max(0.0, excess - per_nano * static_cast<double>(step));
      }
    }
    EXPECT_EQ(limited_bytes > 0, name == "silk");
  }
}

TEST_P(RecordedRunTest, PoliciesSayWhatTheySaid) {
  std::string actual;
  for (const std::string& name : PolicyNames()) actual += Summary(name, run_);
  fs::path expected = GetParam();
  expected.replace_extension(".expected");
  if (RewriteTranscripts()) {
    std::ofstream(expected, std::ios::binary) << actual;
  } else {
    EXPECT_EQ(actual, ReadText(expected)) << "if this is intended, run scheduler_test --rewrite";
  }
}

TEST(RecordedTextTest, AnyRunGoesRoundTrip) {
  RecordedRun run;
  run.policy = "silk";
  run.options.l0_stop = 77;
  RecordingPolicy recorder(std::make_unique<RandomPolicy>(1), &run);
  Pressure pressure;
  uint64_t now_us = 5;
  for (uint64_t i = 0; i < 100; ++i) {
    pressure.client_bytes_total += i * 1000;
    pressure.background_bytes_total += i % 3;
    pressure.l0_tables = static_cast<int>(i % 7);
    pressure.l0_due = i % 7 >= 4;
    pressure.memory_used_bytes = i * i;
    recorder.OnEvent(static_cast<EventKind>(i % 6), pressure, now_us += i * 1000);
  }
  ASSERT_EQ(run.moments.size(), 100u);
  RecordedRun again;
  ASSERT_EQ(ReadRecorded(RecordedText(run), &again), "");
  EXPECT_EQ(again.policy, "silk");
  EXPECT_EQ(again.options.l0_stop, 77);
  EXPECT_EQ(RecordedText(again), RecordedText(run));
  EXPECT_EQ(again.moments.back().now_us, now_us);
  EXPECT_EQ(again.moments.back().event, run.moments.back().event);
  EXPECT_EQ(again.moments.back().pressure.client_bytes_total, pressure.client_bytes_total);
}

TEST(RecordedTextTest, RefusesWhatItCannotRead) {
  RecordedRun run;
  EXPECT_EQ(ReadRecorded("", &run), "no events");
  EXPECT_EQ(ReadRecorded("policy lull\n", &run), "no events");
  EXPECT_EQ(ReadRecorded("+1 tick\n", &run), "line 1: no policy");
  EXPECT_EQ(ReadRecorded("policy lull x=1\n", &run), "line 1: cannot read \"x=1\"");
  const auto moment = [&](const std::string& line) {
    return ReadRecorded("# a comment\npolicy lull threads=2\n" + line + "\n", &run);
  };
  EXPECT_EQ(moment("+1 tick used=5 client+=7"), "");
  EXPECT_EQ(moment("1 tick"), "line 3: no time");
  EXPECT_EQ(moment("+x tick"), "line 3: no time");
  EXPECT_EQ(moment("+1 tock"), "line 3: no such event \"tock\"");
  EXPECT_EQ(moment("+1 tick used+=5"), "line 3: cannot read \"used+=5\"");
  EXPECT_EQ(moment("+1 tick client=5"), "line 3: cannot read \"client=5\"");
  EXPECT_EQ(moment("+1 tick l0=-1"), "line 3: cannot read \"l0=-1\"");
  EXPECT_EQ(moment("+1 tick =1"), "line 3: cannot read \"=1\"");
}

}  // namespace
}  // namespace lull::testing
