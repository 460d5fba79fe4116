// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "benchmarks/loadgen/arrivals.h"

#include <algorithm>

#include "benchmarks/loadgen/text.h"

namespace lull::loadgen {

PoissonArrivals::PoissonArrivals(const LoadShape& shape, int clients, uint64_t seed)
    : shape_(shape), clients_(clients), rng_(seed), left_(unit_(rng_)) {}

std::optional<Arrival> PoissonArrivals::Next(double now_seconds) {
  for (; segment_ < shape_.segments().size(); ++segment_) {
    const Segment& segment = shape_.segments()[segment_];
    const double end = segment_begin_ + segment.seconds;
    if (segment.rate == kClosedLoop) {
      at_ = std::max(at_, now_seconds);
      if (at_ < end) return Arrival{at_, true};
    } else if (segment.rate > 0) {
      const double rate = segment.rate / clients_;
      const double due = at_ + left_ / rate;
      if (due < end) {
        at_ = due;
        left_ = unit_(rng_);
        return Arrival{due, false};
      }
      left_ -= std::max(0.0, end - at_) * rate;
    }
    at_ = std::max(at_, end);
    segment_begin_ = end;
  }
  return std::nullopt;
}

TraceArrivals::TraceArrivals(const std::vector<double>& times, double duration, int client,
                             int clients)
    : times_(times),
      duration_(duration),
      next_(static_cast<size_t>(client)),
      step_(static_cast<size_t>(clients)) {}

std::optional<Arrival> TraceArrivals::Next(double /*now_seconds*/) {
  if (next_ >= times_.size() || times_[next_] >= duration_) return std::nullopt;
  const double due = times_[next_];
  next_ += step_;
  return Arrival{due, false};
}

std::string TraceArrivals::ReadFile(const std::string& path, std::vector<double>* times) {
  const std::string fault = ReadLines(path, [times](std::string_view line) -> std::string {
    const auto time = ParseAmount(line);
    if (!time || (!times->empty() && *time < times->back())) {
      return "not a time, or earlier than the time before it";
    }
    times->push_back(*time);
    return "";
  });
  return fault.empty() && times->empty() ? path + " contains no times" : fault;
}

}  // namespace lull::loadgen
