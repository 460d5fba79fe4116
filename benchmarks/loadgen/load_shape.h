// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// How many requests per second are due, and when: a list of segments of constant rate, repeated
// until the load ends. Constant after parsing; any thread can read it.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace lull::loadgen {

// A closed loop: each request is sent when the previous one is done, so the rate has no limit.
inline constexpr double kClosedLoop = std::numeric_limits<double>::infinity();

struct Segment {
  double seconds = 0;
  double rate = 0;  // requests per second, summed over all clients of the load
};

class LoadShape {
 public:
  LoadShape() = default;

  // A comma-separated list of SECONDS@RATE, or one RATE for the whole load. RATE is a number
  // ("300", "20k"), a multiple of the sustainable rate `x` ("0.8x"), or "max" for a closed loop.
  // Other forms:
  //   sine:MEAN:AMPLITUDE:PERIOD      rates; seconds
  //   gaps:RATE:BURST:MIN:MAX:IDLE:MIN:MAX
  //                                   bursts at RATE, nothing between them; exponential lengths
  //                                   with means BURST and IDLE, each clamped to MIN and MAX
  //   trace:FILE                      lines of SECONDS,RATE
  // The shape covers `duration` seconds. `seed` is for gaps. Returns an error, empty if none.
  static std::string Parse(std::string_view text, double x, double duration, uint64_t seed,
                           LoadShape* shape);

  // Whether `text` has a rate that is a multiple of x, so that x must be known.
  static bool NeedsSustainableRate(std::string_view text);

  double duration() const { return duration_; }
  // In order; their lengths sum to the duration.
  const std::vector<Segment>& segments() const { return segments_; }
  bool has_closed_loop() const;

  // Average requests per second between two times; kClosedLoop if a closed loop is among them.
  double MeanRate(double from_seconds, double to_seconds) const;

 private:
  static std::string ParseRate(std::string_view text, double x, double* rate);
  static std::string ParseList(std::string_view text, double x, std::vector<Segment>* period);
  static std::string ParseSine(std::string_view text, double x, std::vector<Segment>* period);
  static std::string ReadTrace(const std::string& path, std::vector<Segment>* period);
  static std::string MakeGaps(std::string_view text, double x, double duration, uint64_t seed,
                              std::vector<Segment>* period);
  void Repeat(const std::vector<Segment>& period, double duration);

  std::vector<Segment> segments_;
  double duration_ = 0;
};

}  // namespace lull::loadgen
