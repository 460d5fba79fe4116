// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The simulator's queues, compared with queues simulated request by request.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <queue>
#include <vector>

#include "benchmarks/loadgen/rng.h"
#include "benchmarks/simulation/latency.h"
#include "benchmarks/simulation/load.h"

namespace lull::sim {
namespace {

/// The waiting times of requests that arrive at random at `servers`, first come, first served.
std::vector<double> PlayQueue(double arrivals_per_sec, const std::vector<ServiceTime>& services,
                              int servers, int count) {
  bench::Rng rng(11);
  std::priority_queue<double, std::vector<double>, std::greater<>> free_at;
  for (int i = 0; i < servers; ++i) free_at.push(0);
  std::vector<double> waits;
  double now = 0;
  for (int i = 0; i < count; ++i) {
    now += rng.Exponential(1 / arrivals_per_sec);
    double draw = static_cast<double>(rng.Next() >> 11) * 0x1p-53;
    double seconds = services.back().seconds;
    for (const ServiceTime& service : services) {
      if (draw < service.share) {
        seconds = service.seconds;
        break;
      }
      draw -= service.share;
    }
    const double begin = std::max(now, free_at.top());
    free_at.pop();
    free_at.push(begin + seconds);
    waits.push_back(begin - now);
  }
  std::sort(waits.begin(), waits.end());
  return waits;
}

double At(const std::vector<double>& sorted, double share) {
  return sorted[static_cast<size_t>(share * static_cast<double>(sorted.size()))];
}

struct RandomQueue {
  std::vector<ServiceTime> services;
  int servers;
  double utilisation;
  double tolerance;
};

TEST(SimulationLatencyTest, TailOfARandomQueueIsExactToAFewPercent) {
  const std::vector<ServiceTime> equal = {{1, 50e-6}}, two_lengths = {{0.9, 20e-6}, {0.1, 300e-6}};
  const RandomQueue queues[] = {{equal, 1, 0.5, 0.04},  {equal, 1, 0.7, 0.04},
                                {equal, 1, 0.8, 0.04},  {equal, 1, 0.9, 0.04},
                                {equal, 4, 0.85, 0.15}, {two_lengths, 1, 0.7, 0.06}};
  for (const RandomQueue& queue : queues) {
    SCOPED_TRACE(::testing::Message() << queue.utilisation << " of " << queue.servers);
    double mean = 0;
    for (const ServiceTime& service : queue.services) mean += service.share * service.seconds;
    const double rate = queue.utilisation * queue.servers / mean;
    const std::vector<double> waits = PlayQueue(rate, queue.services, queue.servers, 1'000'000);
    const WaitTail tail(rate, queue.services, queue.servers);
    EXPECT_NEAR(tail.utilisation(), queue.utilisation, 1e-9);
    EXPECT_NEAR(tail.Quantile(0.99), At(waits, 0.99), queue.tolerance * At(waits, 0.99));
    if (queue.tolerance > 0.04) continue;
    EXPECT_NEAR(tail.Quantile(0.999), At(waits, 0.999), 0.08 * At(waits, 0.999));
  }
}

TEST(SimulationLatencyTest, NobodyWaitsInAnEmptyQueue) {
  const WaitTail none(0, std::vector<ServiceTime>{{1, 1e-4}}, 1);
  EXPECT_EQ(none.Quantile(0.999), 0);
  const WaitTail seldom(1, std::vector<ServiceTime>{{1, 1e-4}}, 1);
  EXPECT_EQ(seldom.Quantile(0.99), 0);
}

TEST(SimulationLatencyTest, BacklogServesInOrderOfArrivalAndKnowsEachWait) {
  // 1000 requests a second arrive during one second in which none is served. Later 2000 a second
  // are served.
  Backlog backlog;
  for (int i = 0; i < 100; ++i) backlog.Arrive(10, i * 0.01, (i + 1) * 0.01);
  EXPECT_NEAR(backlog.count(), 1000, 1e-6);
  std::vector<Backlog::Waited> waited;
  backlog.Serve(400, 1.0, 1.2, &waited);
  double count = 0;
  double sum = 0;
  for (const Backlog::Waited& some : waited) {
    count += some.count;
    sum += some.count * some.seconds;
  }
  EXPECT_NEAR(count, 400, 1e-6);
  // The first waited 1 s; the 400th arrived at 0.4 s and was served at 1.2 s.
  EXPECT_NEAR(waited.front().seconds, 1.0, 0.01);
  EXPECT_NEAR(waited.back().seconds, 0.8, 0.01);
  EXPECT_NEAR(sum / count, 0.9, 0.005);
  EXPECT_NEAR(backlog.count(), 600, 1e-6);
  waited.clear();
  backlog.Serve(2000, 1.2, 2.2, &waited);  // more capacity than needed: all served in 0.3 s
  EXPECT_TRUE(backlog.empty());
  EXPECT_NEAR(waited.back().seconds, 0.5, 0.01);
}

TEST(SimulationLatencyTest, BacklogLeavesNothingBehindByRounding) {
  Backlog backlog;
  std::vector<Backlog::Waited> waited;
  for (int i = 0; i < 1000; ++i) {
    backlog.Arrive(1.0 / 3, i, i + 0.1);
    backlog.Arrive(0.1, i + 0.2, i + 0.3);
    for (int part = 0; part < 7; ++part)
      backlog.Serve((1.0 / 3 + 0.1) / 7, i + 0.5, i + 0.6, &waited);
    EXPECT_TRUE(backlog.empty()) << i;
  }
  for (const Backlog::Waited& some : waited) EXPECT_LE(some.seconds, 0.6);
}

TEST(SimulationLatencyTest, TallyGivesQuantilesByWeight) {
  LatencyTally tally;
  EXPECT_EQ(tally.Quantile(0.99), 0);
  tally.Add(1e-3, 980);
  tally.Add(1.0, 20);
  EXPECT_NEAR(tally.Quantile(0.5), 1e-3, 2e-5);
  EXPECT_NEAR(tally.Quantile(0.98), 1e-3, 2e-5);
  EXPECT_NEAR(tally.Quantile(0.99), 1.0, 0.02);
  EXPECT_EQ(tally.max_seconds(), 1.0);
  EXPECT_NEAR(tally.MeanSeconds(), 0.98e-3 + 0.02, 1e-9);
}

TEST(SimulationLatencyTest, PoissonNumbersHaveTheirMeanAndVariance) {
  for (const double mean : {0.3, 5.0, 200.0}) {
    SCOPED_TRACE(mean);
    bench::Rng rng(3);
    double sum = 0;
    double squares = 0;
    constexpr int kDraws = 100'000;
    for (int i = 0; i < kDraws; ++i) {
      const auto drawn = static_cast<double>(DrawPoisson(rng, mean));
      sum += drawn;
      squares += drawn * drawn;
    }
    const double found = sum / kDraws;
    EXPECT_NEAR(found, mean, 4 * std::sqrt(mean / kDraws));
    EXPECT_NEAR(squares / kDraws - found * found, mean, 0.03 * mean);
  }
}

TEST(SimulationLatencyTest, TraceHasThePeaksAndValleysOfThePaper) {
  const std::vector<Phase> trace = NutanixLikeTrace(5, 200'000);
  EXPECT_NE(trace[1].seconds, NutanixLikeTrace(6, 200'000)[1].seconds);
  double valleys = 0;
  int long_peaks = 0;
  for (size_t i = 0; i < trace.size(); i += 2) {
    const Phase& valley = trace[i];
    const Phase& peak = trace[i + 1];
    EXPECT_TRUE(valley.seconds >= 5 && valley.seconds <= 20) << valley.seconds;
    EXPECT_TRUE(peak.seconds >= 10 && peak.seconds <= 400) << peak.seconds;
    EXPECT_TRUE(peak.seconds <= 20 || peak.seconds >= 100) << peak.seconds;
    EXPECT_LT(valley.requests_per_sec, 1000);
    EXPECT_NEAR(peak.requests_per_sec, 19'000, 2'000);
    valleys += valley.seconds;
    long_peaks += peak.seconds >= 100;
  }
  const double pairs = static_cast<double>(trace.size()) / 2;
  EXPECT_NEAR(valleys / pairs, 15, 0.5);
  EXPECT_NEAR(long_peaks / pairs, 0.1, 0.02);
}

}  // namespace
}  // namespace lull::sim
