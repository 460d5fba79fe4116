// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "benchmarks/measure/meter.h"

#include <algorithm>

namespace lull::bench {
namespace {

std::vector<TimeSpan> Overlap(const std::vector<TimeSpan>& left,
                              const std::vector<TimeSpan>& right) {
  std::vector<TimeSpan> common;
  auto a = left.begin();
  auto b = right.begin();
  while (a != left.end() && b != right.end()) {
    const TimeSpan both{std::max(a->begin_ns, b->begin_ns), std::min(a->end_ns, b->end_ns)};
    if (both.begin_ns < both.end_ns) common.push_back(both);
    // The span that ends first cannot overlap any further span of the other list.
    if (a->end_ns < b->end_ns) {
      ++a;
    } else {
      ++b;
    }
  }
  return common;
}

}  // namespace

std::vector<TimeSpan> CommonSpans(std::span<const std::vector<TimeSpan>> lists) {
  if (lists.empty()) return {};
  std::vector<TimeSpan> common = lists.front();
  for (const auto& list : lists.subspan(1)) common = Overlap(common, list);
  return common;
}

StallTotal SumStalls(std::span<const TimeSpan> spans) {
  StallTotal total;
  for (const TimeSpan& span : spans) {
    const uint64_t length_ns = span.end_ns - span.begin_ns;
    if (length_ns <= kStallNs) continue;
    ++total.count;
    total.seconds += static_cast<double>(length_ns) / kNsPerSecond;
  }
  return total;
}

}  // namespace lull::bench
