// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The tuner against made-up stores: what clients get done a second is a function of the levels and
// of the load, with noise from a fixed seed.
#include "scheduler/policies/online_tuner.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <variant>

#include "gtest/gtest.h"
#include "scheduler/policies/tuned_policy.h"
#include "scheduler/policy.h"
#include "util/random.h"

namespace lull {
namespace {

constexpr uint64_t kTickUs = 10'000;
constexpr uint64_t kWindowUs = 1'000'000;
constexpr OnlineTuner::Ranges kRanges = {{{0, 1}, {-1, 3}}};

constexpr uint64_t kSecond = 1'000'000;
constexpr double kPlain = 100e6;
constexpr double kNoise = 0.02;

/// Bytes a second at these levels.
using Rate = std::function<double(const OnlineTuner& tuner)>;

class Clients {
 public:
  explicit Clients(uint64_t seed) : random_(seed), tuner_(kWindowUs, kRanges) {}

  /// Clients at work for so long, at a rate that wanders a little every second. Returns how many
  /// bytes they got done a second.
  double Work(uint64_t us, const Rate& rate) {
    const double before = total_;
    for (uint64_t end = now_us_ + us; now_us_ < end;) {
      if (now_us_ % kSecond == 0) {
        factor_ = 1 + kNoise * (static_cast<double>(random_.Uniform(2001)) / 1000 - 1);
      }
      total_ += rate(tuner_) * factor_ * kTickUs / kSecond;
      Tick(true);
    }
    return (total_ - before) * kSecond / static_cast<double>(us);
  }
  void Rest(uint64_t us) {
    for (uint64_t end = now_us_ + us; now_us_ < end;) Tick(false);
  }
  void Bursts(int count, uint64_t work_us, uint64_t rest_us, const Rate& rate) {
    for (int burst = 0; burst < count; ++burst) {
      Work(work_us, rate);
      Rest(rest_us);
    }
  }
  /// Nobody looks for so long; when somebody does, clients have been at work for `worked_us`.
  void Unwatched(uint64_t us, uint64_t worked_us, const Rate& rate) {
    now_us_ += us - kTickUs;
    total_ += rate(tuner_) * static_cast<double>(worked_us) / kSecond;
    Tick(true);
  }
  const OnlineTuner& tuner() const { return tuner_; }
  double seconds() const { return static_cast<double>(now_us_) / kSecond; }
  uint64_t Uniform(uint64_t n) { return random_.Uniform(n); }

 private:
  void Tick(bool busy) {
    now_us_ += kTickUs;
    tuner_.Observe(static_cast<uint64_t>(total_), busy, now_us_);
  }

  Random random_;
  OnlineTuner tuner_;
  uint64_t now_us_ = 0;
  double total_ = 0;
  double factor_ = 1;
};

double Flat(const OnlineTuner&) { return kPlain; }
double LargeMemtablesHelp(const OnlineTuner& tuner) {
  return kPlain * (1 + 0.1 * tuner.level(OnlineTuner::kMemtable));
}
double LargeMemtablesHarm(const OnlineTuner& tuner) {
  return kPlain * (1 - 0.15 * tuner.level(OnlineTuner::kMemtable));
}
constexpr double kBestWithLarge = 1.3 * kPlain;
constexpr double kBestWithSmall = 1.15 * kPlain;
constexpr uint64_t kTables = 1;  // steps kept where no memtable pays: tables, which do no harm

class OnlineTunerTest : public ::testing::TestWithParam<uint64_t> {
 protected:
  Clients clients_{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Seeds, OnlineTunerTest, ::testing::Range<uint64_t>(1, 11));

TEST_P(OnlineTunerTest, FindsWhatServesClientsBetter) {
  clients_.Work(300 * kSecond, LargeMemtablesHelp);
  EXPECT_GE(clients_.Work(200 * kSecond, LargeMemtablesHelp), 0.95 * kBestWithLarge);
  EXPECT_EQ(clients_.tuner().steps_kept(), kTables + 3);
}

TEST_P(OnlineTunerTest, MeasuresTheTimeInWhichClientsWork) {
  clients_.Bursts(60, 5 * kSecond / 2, 10 * kSecond, LargeMemtablesHelp);
  double sum = 0;
  for (int burst = 0; burst < 20; ++burst) {
    sum += clients_.Work(5 * kSecond / 2, LargeMemtablesHelp);
    clients_.Rest(10 * kSecond);
  }
  EXPECT_GE(sum / 20, 0.95 * kBestWithLarge);
}

// A burst begins twice as fast as it goes on.
TEST_P(OnlineTunerTest, ComparesWholeBursts) {
  const auto bursts = [&](int count, const Rate& rate) {
    const Rate fast = [&](const OnlineTuner& tuner) { return 2 * rate(tuner); };
    for (int burst = 0; burst < count; ++burst) {
      clients_.Work(kSecond, fast);
      clients_.Work(2 * kSecond, rate);
      clients_.Rest(5 * kSecond);
    }
  };
  bursts(100, Flat);
  EXPECT_EQ(clients_.tuner().steps_kept(), kTables);
  bursts(200, LargeMemtablesHelp);
  EXPECT_GE(clients_.tuner().steps_kept(), kTables + 3);
}

// Where each burst fills a window, none is spent on settling: four tell of the first step, three of
// each further one.
TEST_P(OnlineTunerTest, SettlesWhileClientsRest) {
  const auto large_memtables_help_much = [](const OnlineTuner& tuner) {
    return kPlain * (1 + 0.2 * tuner.level(OnlineTuner::kMemtable));
  };
  for (int burst = 0; burst < 13; ++burst) {
    EXPECT_LT(clients_.tuner().steps_kept(), kTables + 3) << burst;
    clients_.Work(kSecond * 6 / 5, large_memtables_help_much);
    clients_.Rest(3 * kSecond);
  }
  EXPECT_EQ(clients_.tuner().steps_kept(), kTables + 3);
}

// A store that slept is looked at when its first memtable is full: the later, the larger that is.
TEST_P(OnlineTunerTest, WhatNobodyWatchedDoesNotCount) {
  for (int burst = 0; burst < 300; ++burst) {
    const int level = clients_.tuner().level(OnlineTuner::kMemtable);
    const uint64_t first_seal_us = level < 0 ? 40'000 : uint64_t{80'000} << level;
    clients_.Unwatched(10 * kSecond, first_seal_us, Flat);
    clients_.Work(kSecond, Flat);
    clients_.Rest(kSecond);
  }
  EXPECT_EQ(clients_.tuner().steps_kept(), kTables);
  EXPECT_GE(clients_.tuner().steps_tried(), 10u);
}

TEST_P(OnlineTunerTest, KeepsNothingThatTakesMemoryWhereNothingHelps) {
  EXPECT_GE(clients_.Work(6000 * kSecond, Flat), 0.99 * kPlain);
  EXPECT_EQ(clients_.tuner().steps_kept(), kTables);
  EXPECT_GT(clients_.tuner().steps_tried(), 4u);
  EXPECT_LT(clients_.tuner().steps_tried(), 80u);  // they become rare
}

TEST_P(OnlineTunerTest, TakesAChangeOfTheLoadForNoEffect) {
  const auto fades = [&](const OnlineTuner&) { return kPlain * (1 - clients_.seconds() / 1000); };
  clients_.Work(500 * kSecond, fades);
  EXPECT_EQ(clients_.tuner().steps_kept(), kTables);
  const auto grows = [&](const OnlineTuner&) { return kPlain * (clients_.seconds() / 1000); };
  clients_.Work(500 * kSecond, grows);
  EXPECT_EQ(clients_.tuner().steps_kept(), kTables);
}

// What is found serves the first load and harms the second: never for more than one of the
// minutes, and the second gets its best as well.
TEST_P(OnlineTunerTest, FollowsALoadThatChanges) {
  clients_.Work(600 * kSecond, LargeMemtablesHelp);
  clients_.Work(60 * kSecond, LargeMemtablesHarm);
  for (int minute = 1; minute < 20; ++minute)
    EXPECT_GE(clients_.Work(60 * kSecond, LargeMemtablesHarm), 0.9 * kPlain) << minute;
  EXPECT_GE(clients_.Work(300 * kSecond, LargeMemtablesHarm), 0.9 * kBestWithSmall);
}

// When clients stop coming in bursts, or begin to, what was found for one is given up, and what did
// not pay in the other is tried at once, not only when its turn would come.
TEST_P(OnlineTunerTest, BeginsAnewWhenClientsComeInAnotherWay) {
  const auto bursts = [&](int count, const Rate& rate) {
    clients_.Bursts(count, 3 * kSecond, 5 * kSecond, rate);
  };
  bursts(200, Flat);
  clients_.Work(70 * kSecond, LargeMemtablesHelp);
  EXPECT_GE(clients_.tuner().steps_kept(), kTables + 1);

  clients_.Work(200 * kSecond, LargeMemtablesHelp);
  ASSERT_GE(clients_.tuner().level(OnlineTuner::kMemtable), 2);
  clients_.Rest(5 * kSecond);
  bursts(9, Flat);
  EXPECT_LE(clients_.tuner().level(OnlineTuner::kMemtable), 0);

  clients_.Work(6000 * kSecond, Flat);
  clients_.Rest(5 * kSecond);
  const uint64_t kept = clients_.tuner().steps_kept();
  bursts(20, LargeMemtablesHelp);
  EXPECT_GE(clients_.tuner().steps_kept(), kept + 1);
}

// A load without a pause that the store serves at 0.6 of the rate of the bursts before is another
// load, not one that a step harms: the first step is judged, and not given up half way.
TEST_P(OnlineTunerTest, ASlowerLoadBehindBurstsIsJudgedByItself) {
  const auto large_memtables_help = [](const OnlineTuner& tuner) {
    return 0.6 * kPlain * (1 + 0.15 * tuner.level(OnlineTuner::kMemtable));
  };
  for (int bursts = 10; bursts < 40; ++bursts) {
    Clients clients(GetParam());
    clients.Bursts(bursts, 3 * kSecond, 3 * kSecond, Flat);
    clients.Work(36 * kSecond, large_memtables_help);
    EXPECT_EQ(clients.tuner().steps_kept(), kTables + 1) << bursts;
    EXPECT_GE(clients.tuner().level(OnlineTuner::kMemtable), 1) << bursts;
  }
}

TEST_P(OnlineTunerTest, WhatWasKeptIsNotDoubtedAtOnce) {
  const auto large_tables_help = [](const OnlineTuner& tuner) {
    return kPlain * (1 + 0.15 * tuner.level(OnlineTuner::kTable));
  };
  while (clients_.tuner().steps_kept() == 0 && clients_.seconds() < 100)
    clients_.Work(kSecond, large_tables_help);
  for (int second = 0; second < 15; ++second) {
    EXPECT_EQ(clients_.tuner().level(OnlineTuner::kTable), 1) << second;
    clients_.Work(kSecond, large_tables_help);
  }
}

// The store stands back for compactions every five seconds or so, and what a step is worth shows
// over the whole of that.
TEST_P(OnlineTunerTest, LooksAtWholeSwings) {
  double gain = 0;
  const auto swings = [&](const OnlineTuner& tuner) {
    const bool stands_back = std::fmod(clients_.seconds(), 5.3) > 4;
    return (stands_back ? 0.5 : 1.0) * kPlain * (1 + gain * tuner.level(OnlineTuner::kMemtable));
  };
  clients_.Work(1000 * kSecond, swings);
  EXPECT_EQ(clients_.tuner().steps_kept(), kTables);
  clients_.Rest(kSecond + clients_.Uniform(500) * kTickUs);
  clients_.Bursts(10, 3 * kSecond, 3 * kSecond, Flat);
  gain = 0.25;
  clients_.Work(45 * kSecond, swings);
  EXPECT_EQ(clients_.tuner().steps_kept(), kTables + 1);
}

// Larger tables take nothing, so they are kept where they change nothing, and given up for a gain.
TEST_P(OnlineTunerTest, TablesStayLargeWhereThatDoesNoHarm) {
  const auto tables_harm = [](const OnlineTuner& tuner) {
    return kPlain * (1 - 0.1 * tuner.level(OnlineTuner::kTable));
  };
  clients_.Work(500 * kSecond, tables_harm);
  EXPECT_EQ(clients_.tuner().steps_kept(), 0u);
  clients_.Work(1000 * kSecond, Flat);
  for (int i = 0; i < 10; ++i) {
    clients_.Work(100 * kSecond, Flat);
    EXPECT_EQ(clients_.tuner().steps_kept(), kTables);
  }
  clients_.Work(1000 * kSecond, tables_harm);
  EXPECT_EQ(clients_.tuner().steps_kept(), kTables + 1);
  EXPECT_GE(clients_.Work(1000 * kSecond, tables_harm), 0.98 * kPlain);
}

TEST_P(OnlineTunerTest, BurstsOfAnyLengthAreOneLoad) {
  for (int burst = 0; burst < 300; ++burst) {
    clients_.Work(kSecond / 2 + clients_.Uniform(1200) * kTickUs, Flat);
    clients_.Rest(5 * kSecond);
  }
  EXPECT_EQ(clients_.tuner().steps_kept(), kTables);
  EXPECT_LT(clients_.tuner().steps_tried(), 80u) << "in half an hour: they become rare";
}

TEST_P(OnlineTunerTest, MomentsOfWorkAreNoBursts) {
  for (int moment = 0; moment < 8000; ++moment) {
    clients_.Work((moment % 20 == 0 ? 20 : 10) * kTickUs, Flat);
    clients_.Rest(kSecond / 2);
  }
  EXPECT_EQ(clients_.tuner().steps_kept(), kTables);
  EXPECT_LT(clients_.tuner().steps_tried(), 80u);
}

TEST_P(OnlineTunerTest, TakesALossBackAtOnce) {
  for (const double left : {0.3, 0.75}) {
    const auto harms = [&](const OnlineTuner& tuner) {
      return tuner.trying() ? left * kPlain : kPlain;
    };
    EXPECT_GE(clients_.Work(2000 * kSecond, harms), 0.98 * kPlain) << left;
  }
  EXPECT_EQ(clients_.tuner().steps_kept(), 0u);
}

// The more it loses the sooner.
TEST_P(OnlineTunerTest, ALossIsSeenBeforeTheWindowEnds) {
  const auto longest_trial_seconds = [&](double left) {
    const auto harms = [&](const OnlineTuner& tuner) {
      return tuner.trying() ? left * kPlain : kPlain;
    };
    int longest = 0, now = 0;
    for (int i = 0; i < 3000; ++i) {
      clients_.Work(kSecond / 10, harms);
      now = clients_.tuner().trying() ? now + 1 : 0;
      longest = std::max(longest, now);
    }
    return longest / 10.0;
  };
  const double whole = 7.5;  // a quarter to settle, and the window
  EXPECT_NEAR(longest_trial_seconds(0.9), whole, 0.5);
  EXPECT_LE(longest_trial_seconds(0.75), 0.7 * whole);
  EXPECT_LE(longest_trial_seconds(0.4), 0.3 * whole);
}

// A load that ends half way through a trial says nothing of what was tried.
TEST_P(OnlineTunerTest, WhatIsTriedWhenTheLoadChangesIsTakenBack) {
  const auto tables_harm = [](const OnlineTuner& tuner) {
    return kPlain * (1 - 0.1 * tuner.level(OnlineTuner::kTable));
  };
  for (int bursts = 10; bursts < 40; ++bursts) {
    Clients clients(GetParam());
    clients.Bursts(bursts, 3 * kSecond, 3 * kSecond, tables_harm);
    clients.Work(5 * kSecond, Flat);
    EXPECT_EQ(clients.tuner().level(OnlineTuner::kTable), 0) << bursts;
    EXPECT_EQ(clients.tuner().level(OnlineTuner::kMemtable), 0) << bursts;
  }
}

/// Wants the same at every event.
class FixedPolicy final : public Policy {
 public:
  explicit FixedPolicy(const Directive& directive) : directive_(directive) {}
  Directive OnEvent(EventKind, const Pressure&, uint64_t) override { return directive_; }
  PolicyState State() const override { return {{"fixed", true}}; }

 private:
  const Directive directive_;
};

/// Sees full memtables: how large they were is kept.
class MemtableWatcher final : public Policy {
 public:
  MemtableWatcher(uint64_t* least, uint64_t* most) : least_(least), most_(most) {}
  Directive OnEvent(EventKind, const Pressure& pressure, uint64_t) override {
    *least_ = std::min(*least_, pressure.active_bytes);
    *most_ = std::max(*most_, pressure.active_bytes);
    Directive wanted;
    wanted.compactions_max = 4;
    wanted.l0_stop = 7;
    return wanted;
  }

 private:
  uint64_t* const least_;
  uint64_t* const most_;
};

class TunedPolicyTest : public ::testing::Test {
 protected:
  TunedPolicyTest() {
    options_.tuning_window_us = kWindowUs;
    options_.memtable_bytes = 4 << 20;
    pressure_.memory_budget_bytes = 40 << 20;
    wanted_.compactions_max = 4;
    wanted_.l0_stop = 7;
  }

  /// Clients that get more done the larger memtables are, for so long.
  Directive Work(TunedPolicy* policy, uint64_t us) {
    Directive now = wanted_;
    for (const uint64_t end = now_us_ + us; now_us_ < end;) {
      now_us_ += kTickUs;
      const uint64_t memtable =
          now.memtable_bytes > 0 ? now.memtable_bytes : options_.memtable_bytes;
      pressure_.client_bytes_total += memtable / 1024;
      pressure_.active_bytes = memtable;
      now = policy->OnEvent(EventKind::kTick, pressure_, now_us_);
      EXPECT_EQ(now.l0_stop, wanted_.l0_stop);
      EXPECT_EQ(now.compactions_max, wanted_.compactions_max);
      EXPECT_LE(now.memtable_bytes, pressure_.memory_budget_bytes / 4);
      EXPECT_TRUE(now.tick);
    }
    return now;
  }

  PolicyOptions options_;
  Directive wanted_;
  Pressure pressure_;
  uint64_t now_us_ = 0;
};

TEST_F(TunedPolicyTest, ShiftsWhatThePolicyWants) {
  TunedPolicy policy(std::make_unique<FixedPolicy>(wanted_), options_);
  Work(&policy, 400 * kSecond);
  bool reached = false;  // but for the moments of other trials
  for (int i = 0; i < 20; ++i)
    reached |= Work(&policy, kSecond).memtable_bytes == pressure_.memory_budget_bytes / 4;
  EXPECT_TRUE(reached);
}

TEST_F(TunedPolicyTest, WantsWhatThePolicyWantsWhileNothingIsTried) {
  TunedPolicy policy(std::make_unique<FixedPolicy>(wanted_), options_);
  pressure_.idle_us = 10 * kSecond;
  EXPECT_EQ(policy.OnEvent(EventKind::kTick, pressure_, 1), wanted_);
}

TEST_F(TunedPolicyTest, AFullMemtableIsOneOfThePolicysOwnSize) {
  uint64_t least = UINT64_MAX, most = 0;
  TunedPolicy policy(std::make_unique<MemtableWatcher>(&least, &most), options_);
  EXPECT_GT(Work(&policy, 400 * kSecond).memtable_bytes, options_.memtable_bytes);
  EXPECT_EQ(least, options_.memtable_bytes);
  EXPECT_EQ(most, options_.memtable_bytes);
}

TEST_F(TunedPolicyTest, TellsWhatItHasDone) {
  TunedPolicy policy(std::make_unique<FixedPolicy>(wanted_), options_);
  Work(&policy, 400 * kSecond);
  const PolicyState state = policy.State();
  ASSERT_EQ(state.size(), 6u);
  EXPECT_STREQ(state[0].name, "fixed");
  EXPECT_STREQ(state[1].name, "tuned_memtable_percent");
  EXPECT_STREQ(state[5].name, "tuning_steps_kept");
  EXPECT_GE(std::get<uint64_t>(state[5].value), 1u);
}

}  // namespace
}  // namespace lull
