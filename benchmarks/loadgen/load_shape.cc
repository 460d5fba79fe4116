// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "benchmarks/loadgen/load_shape.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "benchmarks/loadgen/rng.h"
#include "benchmarks/loadgen/text.h"

namespace lull::loadgen {
namespace {

constexpr int kSineSteps = 64;  // per period; a step differs from the curve by at most 5 % of the
                                // amplitude

double Clamped(std::exponential_distribution<double>& law, bench::Rng& rng, double min,
               double max) {
  return std::clamp(law(rng), min, max);
}

}  // namespace

bool LoadShape::NeedsSustainableRate(std::string_view text) {
  if (text.starts_with("trace:")) return false;
  for (size_t i = 1; i < text.size(); ++i) {
    if (text[i] == 'x' && (std::isdigit(static_cast<unsigned char>(text[i - 1])) != 0)) return true;
  }
  return false;
}

std::string LoadShape::ParseRate(std::string_view text, double x, double* rate) {
  if (text == "max") {
    *rate = kClosedLoop;
    return "";
  }
  const bool share = text.ends_with('x');
  const auto amount = ParseAmount(share ? text.substr(0, text.size() - 1) : text);
  if (!amount) return Quoted(text) + " is not a rate, such as 300, 20k, 0.8x or max";
  *rate = share ? *amount * x : *amount;
  return "";
}

std::string LoadShape::ParseList(std::string_view text, double x, std::vector<Segment>* period) {
  const std::vector<std::string_view> parts = Split(text, ',');
  for (const std::string_view part : parts) {
    Segment segment;
    const size_t at = part.find('@');
    if (at == std::string_view::npos && parts.size() > 1) {
      return Quoted(part) + " is not of the form SECONDS@RATE";
    }
    segment.seconds = 1;  // a lone rate repeats until the end, so its length does not matter
    if (at != std::string_view::npos) {
      const auto seconds = ParseAmount(part.substr(0, at));
      if (!seconds || *seconds <= 0) return Quoted(part) + ": SECONDS must be above 0";
      segment.seconds = *seconds;
    }
    const std::string fault =
        ParseRate(at == std::string_view::npos ? part : part.substr(at + 1), x, &segment.rate);
    if (!fault.empty()) return fault;
    period->push_back(segment);
  }
  return period->empty() ? "a shape needs at least one rate" : "";
}

std::string LoadShape::ParseSine(std::string_view text, double x, std::vector<Segment>* period) {
  const std::vector<std::string_view> parts = Split(text, ':');
  const auto seconds = parts.size() == 4 ? ParseAmount(parts[3]) : std::nullopt;
  if (!seconds || *seconds <= 0)
    return Quoted(text) + " is not of the form sine:MEAN:AMPLITUDE:PERIOD";
  double mean = 0;
  double amplitude = 0;
  std::string fault = ParseRate(parts[1], x, &mean);
  if (fault.empty()) fault = ParseRate(parts[2], x, &amplitude);
  if (!fault.empty()) return fault;
  if (!(amplitude <= mean) || mean == kClosedLoop) {
    return Quoted(text) + ": AMPLITUDE must not exceed MEAN, and MEAN must be finite";
  }
  for (int i = 0; i < kSineSteps; ++i) {
    const double angle = 2 * std::numbers::pi * (i + 0.5) / kSineSteps;
    period->push_back({*seconds / kSineSteps, mean + amplitude * std::sin(angle)});
  }
  return "";
}

std::string LoadShape::MakeGaps(std::string_view text, double x, double duration, uint64_t seed,
                                std::vector<Segment>* period) {
  const std::vector<std::string_view> parts = Split(text, ':');
  const std::string form = Quoted(text) + " is not gaps:RATE:BURST:MIN:MAX:IDLE:MIN:MAX";
  if (parts.size() != 8) return form;
  double rate = 0;
  const std::string fault = ParseRate(parts[1], x, &rate);
  if (!fault.empty()) return fault;
  double lengths[6];
  for (size_t i = 0; i < 6; ++i) {
    const auto length = ParseAmount(parts[i + 2]);
    if (!length || *length <= 0) return form;
    lengths[i] = *length;
  }
  const auto [burst, burst_min, burst_max, idle, idle_min, idle_max] = lengths;
  if (burst_min > burst_max || idle_min > idle_max) return form;
  bench::Rng rng(seed);
  std::exponential_distribution<double> burst_law(1 / burst);
  std::exponential_distribution<double> idle_law(1 / idle);
  for (double t = 0; t < duration;) {
    period->push_back({Clamped(idle_law, rng, idle_min, idle_max), 0});
    period->push_back({Clamped(burst_law, rng, burst_min, burst_max), rate});
    t += (period->end() - 2)->seconds + period->back().seconds;
  }
  return "";
}

std::string LoadShape::ReadTrace(const std::string& path, std::vector<Segment>* period) {
  const std::string fault = ReadLines(path, [period](std::string_view line) -> std::string {
    const std::vector<std::string_view> parts = Split(line, ',');
    const auto seconds = parts.size() == 2 ? ParseAmount(parts[0]) : std::nullopt;
    const auto rate = parts.size() == 2 ? ParseAmount(parts[1]) : std::nullopt;
    if (!seconds || *seconds <= 0 || !rate) return "not of the form SECONDS,RATE";
    period->push_back({*seconds, *rate});
    return "";
  });
  return fault.empty() && period->empty() ? path + " contains no rates" : fault;
}

std::string LoadShape::Parse(std::string_view text, double x, double duration, uint64_t seed,
                             LoadShape* shape) {
  std::vector<Segment> period;
  std::string fault;
  if (text.starts_with("sine:")) {
    fault = ParseSine(text, x, &period);
  } else if (text.starts_with("gaps:")) {
    fault = MakeGaps(text, x, duration, seed, &period);
  } else if (text.starts_with("trace:")) {
    fault = ReadTrace(std::string(text.substr(6)), &period);
  } else {
    fault = ParseList(text, x, &period);
  }
  if (fault.empty()) shape->Repeat(period, duration);
  return fault;
}

void LoadShape::Repeat(const std::vector<Segment>& period, double duration) {
  duration_ = duration;
  segments_.clear();
  if (period.size() == 1) {
    segments_.push_back({duration, period.front().rate});
    return;
  }
  double left = duration;
  for (size_t i = 0; left > 1e-9; i = (i + 1) % period.size()) {
    const double seconds = std::min(period[i].seconds, left);
    segments_.push_back({seconds, period[i].rate});
    left -= seconds;
  }
}

bool LoadShape::has_closed_loop() const {
  return std::any_of(segments_.begin(), segments_.end(),
                     [](const Segment& segment) { return segment.rate == kClosedLoop; });
}

double LoadShape::MeanRate(double from_seconds, double to_seconds) const {
  double begin = 0;
  double requests = 0;
  for (const Segment& segment : segments_) {
    const double end = begin + segment.seconds;
    const double inside = std::min(end, to_seconds) - std::max(begin, from_seconds);
    if (inside > 0) requests += inside * segment.rate;
    begin = end;
  }
  return to_seconds > from_seconds ? requests / (to_seconds - from_seconds) : 0;
}

}  // namespace lull::loadgen
