// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Shapes, arrivals and mixes against their arithmetic, and a client against a slow target.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <fstream>
#include <functional>

#include "benchmarks/loadgen/client.h"
#include "benchmarks/measure/platform.h"
#include "tests/util/test_dir.h"

namespace lull::loadgen {
namespace {

LoadShape Shape(const char* text, double duration, double x = 1000, uint64_t seed = 1) {
  LoadShape shape;
  EXPECT_EQ(LoadShape::Parse(text, x, duration, seed, &shape), "") << text;
  return shape;
}

std::vector<double> DueTimes(Arrivals& arrivals) {
  std::vector<double> times;
  while (const auto arrival = arrivals.Next(0)) times.push_back(arrival->due_seconds);
  return times;
}

int CountIn(const std::vector<double>& times, double from, double to) {
  return static_cast<int>(
      std::count_if(times.begin(), times.end(), [=](double t) { return t >= from && t < to; }));
}

TEST(ShapeTest, SegmentsAreRepeatedUntilTheEnd) {
  const LoadShape shape = Shape("15@20k,15@300,15@2x,15@0", 100);
  ASSERT_EQ(shape.segments().size(), 7u);
  EXPECT_EQ(shape.segments()[0].rate, 20'000);
  EXPECT_EQ(shape.segments()[2].rate, 2'000);
  EXPECT_EQ(shape.segments()[4].rate, 20'000);
  EXPECT_DOUBLE_EQ(shape.segments()[6].seconds, 10);
  EXPECT_DOUBLE_EQ(shape.MeanRate(0, 30), 10'150);
  EXPECT_DOUBLE_EQ(shape.MeanRate(10, 20), (5 * 20'000 + 5 * 300) / 10.0);
}

TEST(ShapeTest, OneRateIsOneSegment) {
  const LoadShape shape = Shape("0.8x", 60);
  ASSERT_EQ(shape.segments().size(), 1u);
  EXPECT_DOUBLE_EQ(shape.segments()[0].rate, 800);
  EXPECT_TRUE(Shape("max", 60).has_closed_loop());
  EXPECT_FALSE(shape.has_closed_loop());
}

TEST(ShapeTest, SineHasItsMeanAndItsExtremes) {
  const LoadShape shape = Shape("sine:1000:400:60", 120);
  EXPECT_NEAR(shape.MeanRate(0, 60), 1000, 1e-6);
  EXPECT_NEAR(shape.MeanRate(14, 16), 1400, 10);
  EXPECT_NEAR(shape.MeanRate(44, 46), 600, 10);
  EXPECT_NEAR(shape.MeanRate(74, 76), 1400, 10);
}

TEST(ShapeTest, GapsHaveTheirLengths) {
  const LoadShape shape = Shape("gaps:3x:0.4:0.1:2:1:0.2:5", 10'000);
  double idle = 0;
  double busy = 0;
  int count = 0;
  const std::vector<Segment> whole(shape.segments().begin(), shape.segments().end() - 1);
  for (const Segment& segment : whole) {  // the end cuts off the last one
    if (segment.rate == 0) {
      EXPECT_GE(segment.seconds, 0.2);
      EXPECT_LE(segment.seconds, 5);
      idle += segment.seconds;
      ++count;
    } else {
      EXPECT_EQ(segment.rate, 3000);
      EXPECT_LE(segment.seconds, 2);
      busy += segment.seconds;
    }
  }
  // The mean of an exponential with mean m, clamped to [a, b]: a + m (exp(-a/m) - exp(-b/m)).
  EXPECT_NEAR(idle / count, 0.2 + std::exp(-0.2) - std::exp(-5.0), 0.06);
  EXPECT_NEAR(busy / count, 0.1 + 0.4 * (std::exp(-0.25) - std::exp(-5.0)), 0.03);
}

TEST(ShapeTest, TracesAreRead) {
  const TestDir dir;
  const std::string path = dir.File("rates");
  std::ofstream(path) << "# seconds,rate\n2,100\n3,0.5k\n";
  const LoadShape shape = Shape(("trace:" + path).c_str(), 10);
  ASSERT_EQ(shape.segments().size(), 4u);
  EXPECT_DOUBLE_EQ(shape.MeanRate(0, 5), (200 + 1500) / 5.0);
  std::ofstream(path) << "2,100\n2\n";
  LoadShape bad;
  EXPECT_EQ(LoadShape::Parse("trace:" + path, 1, 1, 1, &bad),
            path + ":2: not of the form SECONDS,RATE");
}

TEST(ShapeTest, WrongShapesAreRefused) {
  LoadShape shape;
  for (const char* text : {"", "x", "10@", "10@5,7", "0@5", "sine:1:2:3", "sine:1:1:0", "sine:1",
                           "gaps:1:2:3", "gaps:1:1:2:1:1:2:1", "trace:/no/such", "5@fast"}) {
    EXPECT_NE(LoadShape::Parse(text, 1, 1, 1, &shape), "") << text;
  }
}

TEST(ShapeTest, KnowsWhetherItNeedsTheSustainableRate) {
  EXPECT_TRUE(LoadShape::NeedsSustainableRate("15@20k,15@2x"));
  EXPECT_TRUE(LoadShape::NeedsSustainableRate("sine:0.6x:0.3x:60"));
  EXPECT_FALSE(LoadShape::NeedsSustainableRate("max"));
  EXPECT_FALSE(LoadShape::NeedsSustainableRate("10@max,20@300"));
  EXPECT_FALSE(LoadShape::NeedsSustainableRate("trace:/2x/y"));
}

TEST(PoissonTest, GapsAreExponentialAndClientsShareTheRate) {
  const LoadShape shape = Shape("2000", 50);
  SCOPED_TRACE("seeds 1 to 4");
  int total = 0;
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    PoissonArrivals arrivals(shape, 4, seed);
    const std::vector<double> times = DueTimes(arrivals);
    total += static_cast<int>(times.size());
    double squares = 0;
    int long_gaps = 0;
    for (size_t i = 1; i < times.size(); ++i) {
      ASSERT_GE(times[i], times[i - 1]);
      const double gap = (times[i] - times[i - 1]) * 500;  // in units of the mean gap
      squares += gap * gap;
      long_gaps += gap > 2 ? 1 : 0;
    }
    const auto count = static_cast<double>(times.size());
    EXPECT_NEAR(squares / count, 2, 0.2);
    EXPECT_NEAR(long_gaps / count, std::exp(-2.0), 0.012);
  }
  EXPECT_NEAR(total, 100'000, 5 * std::sqrt(100'000));
}

TEST(PoissonTest, TheRateFollowsTheShape) {
  const LoadShape shape = Shape("10@1000,10@0,10@100", 60);
  SCOPED_TRACE("seed 3");
  PoissonArrivals arrivals(shape, 1, 3);
  const std::vector<double> times = DueTimes(arrivals);
  for (const double begin : {0.0, 30.0}) {
    EXPECT_NEAR(CountIn(times, begin, begin + 10), 10'000, 500);
    EXPECT_EQ(CountIn(times, begin + 10, begin + 20), 0);
    EXPECT_NEAR(CountIn(times, begin + 20, begin + 30), 1'000, 160);
  }
}

TEST(PoissonTest, InAClosedLoopARequestIsDueWhenTheClientIsFree) {
  const LoadShape shape = Shape("1@max,1@0", 4);
  PoissonArrivals arrivals(shape, 1, 1);
  EXPECT_EQ(arrivals.Next(0.25)->due_seconds, 0.25);
  EXPECT_TRUE(arrivals.Next(0.5)->closed_loop);
  EXPECT_EQ(arrivals.Next(1.5)->due_seconds, 2);  // sleeps through the lull
  EXPECT_EQ(arrivals.Next(2.75)->due_seconds, 2.75);
  EXPECT_FALSE(arrivals.Next(3.5));
}

TEST(TraceArrivalsTest, ClientsTakeTurns) {
  const TestDir dir;
  const std::string path = dir.File("times");
  std::ofstream(path) << "# due\n0.1\n0.2\n0.2\n0.5\n0.9\n";
  std::vector<double> times;
  ASSERT_EQ(TraceArrivals::ReadFile(path, &times), "");
  TraceArrivals first(times, 0.8, 0, 2);
  TraceArrivals second(times, 0.8, 1, 2);
  EXPECT_EQ(DueTimes(first), std::vector<double>({0.1, 0.2}));
  EXPECT_EQ(DueTimes(second), std::vector<double>({0.2, 0.5}));
  std::ofstream(path) << "0.2\n0.1\n";
  times.clear();
  EXPECT_EQ(TraceArrivals::ReadFile(path, &times),
            path + ":2: not a time, or earlier than the time before it");
}

TEST(MixTest, SharesAreKept) {
  SCOPED_TRACE("seed 4");
  bench::Rng rng(4);
  OperationMix mix;
  ASSERT_EQ(OperationMix::Parse("put=57,get=41,scan=2", &mix), "");
  EXPECT_DOUBLE_EQ(mix.Share(Operation::kPut), 0.57);
  std::array<int, kOperationNames.size()> count{};
  constexpr int kDraws = 100'000;
  for (int i = 0; i < kDraws; ++i) ++count[static_cast<size_t>(mix.Draw(rng))];
  EXPECT_NEAR(count[0] / double{kDraws}, 0.57, 0.008);
  EXPECT_NEAR(count[1] / double{kDraws}, 0.41, 0.008);
  EXPECT_NEAR(count[2] / double{kDraws}, 0.02, 0.003);
  EXPECT_EQ(count[3] + count[4] + count[5], 0);
  EXPECT_EQ(OperationMix::Parse("putt=1", &mix),
            "there is no operation 'putt'; did you mean 'put'?");
  EXPECT_NE(OperationMix::Parse("put=x", &mix), "");
  EXPECT_NE(OperationMix::Parse("put=0", &mix), "");
  EXPECT_NE(OperationMix::Parse("", &mix), "");
}

class FakeTarget final : public Target {
 public:
  explicit FakeTarget(std::function<bool(const Request&)> on_request)
      : on_request_(std::move(on_request)) {}
  bool Execute(const Request& request, uint64_t* bytes) override {
    *bytes += request.entries.front().value_bytes;
    return on_request_(request);
  }

 private:
  std::function<bool(const Request&)> on_request_;
};

/// A client of a store with 100 keys, and values of 10 bytes.
class ClientTest : public ::testing::Test {
 protected:
  void SetUp() override { EXPECT_EQ(SizeDistribution::Parse("10", &group_.values), ""); }

  /// Returns how many requests the client gave up.
  uint64_t Run(const char* shape, double duration, std::function<bool(const Request&)> on_request,
               uint64_t begin_ns = bench::NowNs(), uint64_t give_up_ns = UINT64_MAX) {
    group_.shape = Shape(shape, duration);
    PoissonArrivals arrivals(group_.shape, 1, 1);
    return Run(arrivals, std::move(on_request), begin_ns, give_up_ns);
  }
  uint64_t Run(Arrivals& arrivals, std::function<bool(const Request&)> on_request,
               uint64_t begin_ns, uint64_t give_up_ns) {
    Client client(group_, keys_, 1, 1);
    FakeTarget target(std::move(on_request));
    return client.Run(arrivals, target, meter_, begin_ns, give_up_ns, stop_);
  }

  ClientGroup group_;
  KeySpace keys_{100};
  std::atomic<bool> stop_{false};
  bench::Meter meter_{true};
};

TEST_F(ClientTest, AStallIsFeltByEveryRequestThatFellDueInIt) {
  std::vector<double> due;
  for (int i = 1; i < 1500; ++i) due.push_back(i / 1000.0);
  TraceArrivals arrivals(due, 1.5, 0, 1);
  const uint64_t begin_ns = bench::NowNs();
  const uint64_t again_ns = begin_ns + bench::kNsPerSecond * 5 / 4;
  int requests = 0;
  const auto on_request = [&](const Request&) {
    if (++requests == 250) bench::SleepUntilNs(again_ns);  // stops for one second
    return true;
  };
  EXPECT_EQ(Run(arrivals, on_request, begin_ns, UINT64_MAX), 0u);
  EXPECT_EQ(meter_.ops(), 1499u);
  EXPECT_EQ(meter_.written_bytes(), 14990u);
  const bench::Histogram& latency = meter_.Latencies(bench::OpKind::kWrite);
  // 1000 of the 1499 waited, evenly between 0 and 1 s. With the 499 that did not wait, the 40th
  // percentile is 100 ms, and the 99th is 985 ms. A client that measured from the send time would
  // have seen one slow request.
  EXPECT_NEAR(latency.PercentileUs(40), 100'000, 30'000);
  EXPECT_NEAR(latency.PercentileUs(99), 985'000, 30'000);
  EXPECT_GE(latency.MaxUs(), 990'000);
  ASSERT_EQ(meter_.waits().size(), 1u);
}

TEST_F(ClientTest, GivesUpWhatWaitsTooLong) {
  const uint64_t begin_ns = bench::NowNs();
  const uint64_t give_up_ns = begin_ns + bench::kNsPerSecond / 10;
  const auto on_request = [&](const Request&) {
    bench::SleepUntilNs(give_up_ns);
    return true;
  };
  EXPECT_GT(Run("1000", 0.05, on_request, begin_ns, give_up_ns), 20u);
  EXPECT_EQ(meter_.ops(), 1u);
}

TEST_F(ClientTest, StopsWhenToldAndWhenTheTargetFails) {
  Run("max", 60, [&](const Request&) {
    stop_ = meter_.ops() == 9;
    return true;
  });
  EXPECT_EQ(meter_.ops(), 10u);
  stop_ = false;
  Run("max", 60, [](const Request&) { return false; });
  EXPECT_EQ(meter_.ops(), 10u);
}

TEST_F(ClientTest, TheHashOfOperationsTellsLoadsApart) {
  group_.shape = Shape("5000", 0.05);
  ASSERT_EQ(OperationMix::Parse("put=1,get=1,scan=1", &group_.mix), "");
  const auto hash = [&](uint64_t seed, uint64_t arrivals_seed) {
    KeySpace keys(100);
    Client client(group_, keys, seed, 1);
    PoissonArrivals arrivals(group_.shape, 1, arrivals_seed);
    bench::Meter meter(true);
    FakeTarget target([](const Request&) { return true; });
    // All were due long ago, so the client does not wait.
    EXPECT_EQ(client.Run(arrivals, target, meter, 0, UINT64_MAX, stop_), 0u);
    EXPECT_GT(meter.ops(), 100u);
    return client.operations_hash();
  };
  const uint64_t usual = hash(1, 1);
  EXPECT_EQ(hash(1, 1), usual);
  EXPECT_NE(hash(2, 1), usual);
  EXPECT_NE(hash(1, 2), usual);
}

TEST_F(ClientTest, BatchesInsertsAndScans) {
  group_.batch_size = 7;
  ASSERT_EQ(OperationMix::Parse("put=1,insert=1,scan=1", &group_.mix), "");
  ASSERT_EQ(SizeDistribution::Parse("uniform:2:4", &group_.scans), "");
  uint64_t inserts = 0;
  Run("max", 60, [&](const Request& request) {
    EXPECT_EQ(request.entries.size(), request.operation == Operation::kPut ? 7u : 1u);
    if (request.operation == Operation::kInsert) {
      EXPECT_EQ(request.entries.front().key, 100 + inserts++);
    }
    if (request.operation == Operation::kScan) {
      EXPECT_GE(request.scan_entries, 2u);
      EXPECT_LE(request.scan_entries, 4u);
    }
    stop_ = meter_.ops() > 1000;
    return true;
  });
  EXPECT_GT(inserts, 0u);
  EXPECT_EQ(keys_.count, 100 + inserts);
}

}  // namespace
}  // namespace lull::loadgen
