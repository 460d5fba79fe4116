// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Power losses on seeded schedules: see power_loss.h. Besides the tests, which use a fixed number
// of seeds, the program has its own command line:
//
//   schedule_test --seeds=N [--seed=FIRST]   runs N seeds; stops at the first that fails
//   schedule_test --replay=SEED              runs one; LULL_TRACE=1 prints each step
//   schedule_test --minimise=SEED            removes operations that a failing seed does not need
#include "tests/schedule/power_loss.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cinttypes>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <utility>

#include "gtest/gtest.h"

namespace lull::testing {
namespace {

constexpr uint64_t kShards = 4;
constexpr uint64_t kSeedsPerShard = 125;

std::string HowToReplay(uint64_t seed, const PowerLossReport& report) {
  const std::string number = std::to_string(seed);
  return "seed " + number + ": " + report.failure + "\n  store: " + report.setup +
         "\n  replay: LULL_TRACE=1 schedule_test --replay=" + number +
         "\n  reduce: schedule_test --minimise=" + number;
}

// A run can also end the process; this shows where it was.
volatile uint64_t seed_under_way = 0;

void TellSeed(int signal) {
  char text[64];
  const int length = std::snprintf(text, sizeof(text), "seed %" PRIu64 " ends the process\n",
                                   static_cast<uint64_t>(seed_under_way));
  if (write(STDERR_FILENO, text, static_cast<size_t>(length)) < 0) _exit(1);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

PowerLossReport RunSeed(uint64_t seed) {
  seed_under_way = seed;
  PowerLossOptions options;
  options.seed = seed;
  return RunPowerLoss(options);
}

class PowerLossOfSeeds : public ::testing::TestWithParam<uint64_t> {};

TEST_P(PowerLossOfSeeds, LeavesAPrefixWithAllThatWasSynced) {
  uint64_t states = 0, recovery_crashes = 0;
  for (uint64_t i = 0; i < kSeedsPerShard; ++i) {
    const uint64_t seed = GetParam() * kSeedsPerShard + i;
    const PowerLossReport report = RunSeed(seed);
    ASSERT_EQ(report.failure, "") << HowToReplay(seed, report);
    states += report.states;
    recovery_crashes += report.recovery_crashes;
  }
  EXPECT_GE(states, 15'000 / kShards);
  EXPECT_GT(recovery_crashes, states / 10);
}

INSTANTIATE_TEST_SUITE_P(Shards, PowerLossOfSeeds, ::testing::Range<uint64_t>(0, kShards));

TEST(PowerLoss, TheSameSeedGivesTheSameRun) {
  for (uint64_t seed = 0; seed < 5; ++seed) {
    const PowerLossReport first = RunSeed(seed), second = RunSeed(seed);
    EXPECT_EQ(first.hash, second.hash) << "seed " << seed;
    EXPECT_EQ(first.steps, second.steps) << "seed " << seed;
    EXPECT_GT(first.steps, 1000u);
  }
}

// ---- the command line --------------------------------------------------------------------------

int Replay(uint64_t seed) {
  PowerLossOptions options;
  options.seed = seed;
  options.trace = std::getenv("LULL_TRACE") != nullptr;
  const PowerLossReport report = RunPowerLoss(options);
  std::printf("store: %s\n%" PRIu64 " client operations, %" PRIu64 " commits, %" PRIu64
              " steps, %" PRIu64 " power losses; trace %016" PRIx64 "\n%s\n",
              report.setup.c_str(), report.operations, report.commits, report.steps, report.states,
              report.hash, report.failure.empty() ? "all is well" : report.failure.c_str());
  return report.failure.empty() ? 0 : 1;
}

int Sweep(uint64_t first, uint64_t count) {
  uint64_t states = 0;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    const PowerLossReport report = RunSeed(seed);
    states += report.states;
    if (report.failure.empty()) continue;
    std::printf("%s\n", HowToReplay(seed, report).c_str());
    return 1;
  }
  std::printf("%" PRIu64 " seeds, %" PRIu64 " power losses: all is well\n", count, states);
  return 0;
}

// Uses a separate process, so that a run that is stuck or ends the process does not affect others.
bool FailsWithout(uint64_t seed, const std::set<size_t>& left_out) {
  const pid_t child = fork();
  if (child == 0) {
    PowerLossOptions options;
    options.seed = seed;
    options.left_out = left_out;
    _exit(RunPowerLoss(options).failure.empty() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status != 0;
}

// Leaves out ranges of operations, ever smaller ones, as long as the run still fails.
int Minimise(uint64_t seed) {
  if (!FailsWithout(seed, {})) {
    std::printf("seed %" PRIu64 " does not fail\n", seed);
    return 1;
  }
  constexpr size_t kOperationsMax = 512;
  std::set<size_t> left_out;
  for (size_t stretch = kOperationsMax / 2; stretch > 0; stretch /= 2) {
    for (size_t begin = 0; begin < kOperationsMax; begin += stretch) {
      std::set<size_t> more = left_out;
      for (size_t i = begin; i < begin + stretch; ++i) more.insert(i);
      if (more.size() > left_out.size() && FailsWithout(seed, more)) left_out = std::move(more);
    }
  }
  PowerLossOptions options;
  options.seed = seed;
  options.left_out = left_out;
  options.trace = std::getenv("LULL_TRACE") != nullptr;
  const PowerLossReport report = RunPowerLoss(options);
  std::printf("with %" PRIu64 " operations left: %s\n", report.operations, report.failure.c_str());
  return 0;
}

int Main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  for (const int signal : {SIGSEGV, SIGABRT}) std::signal(signal, TellSeed);
  uint64_t first = 0, count = 0;
  for (int i = 1; i < argc; ++i) {
    const auto number = [&](const char* name) {
      const size_t length = std::strlen(name);
      return std::strncmp(argv[i], name, length) == 0 ? argv[i] + length : nullptr;
    };
    if (const char* seed = number("--replay=")) return Replay(std::strtoull(seed, nullptr, 10));
    if (const char* seed = number("--minimise=")) return Minimise(std::strtoull(seed, nullptr, 10));
    if (const char* seed = number("--seed=")) first = std::strtoull(seed, nullptr, 10);
    if (const char* seeds = number("--seeds=")) count = std::strtoull(seeds, nullptr, 10);
  }
  return count > 0 ? Sweep(first, count) : RUN_ALL_TESTS();
}

}  // namespace
}  // namespace lull::testing

int main(int argc, char** argv) { return lull::testing::Main(argc, argv); }
