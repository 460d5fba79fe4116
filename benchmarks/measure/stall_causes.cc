// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "benchmarks/measure/stall_causes.h"

#include <array>

namespace lull::bench {
namespace {

struct Sign {
  std::string_view text;
  std::string_view cause;
};
// RocksDB's first word is "Stalling" or "Stopping".
constexpr std::array kSigns = {Sign{"Current memtable full", "memory"},
                               Sign{"Too many L0 files", "l0"},
                               Sign{"immutable memtables", "memory"}, Sign{"level-0 files", "l0"},
                               Sign{"pending compaction bytes", "debt"}};

}  // namespace

std::optional<std::string_view> StallCauseInLog(std::string_view line) {
  const bool ours = line.find("waiting...") != std::string_view::npos ||
                    line.find("writes because") != std::string_view::npos;
  if (!ours) return std::nullopt;
  for (const Sign& sign : kSigns) {
    if (line.find(sign.text) != std::string_view::npos) return sign.cause;
  }
  return std::nullopt;
}

void StallCauses::Note(std::string_view cause, uint64_t at_ns) {
  constexpr uint64_t kSameNs = kStallNs / 10;
  const std::lock_guard lock(mutex_);
  if (!notes_.empty() && notes_.back().cause == cause && at_ns < notes_.back().at_ns + kSameNs) {
    return;  // a store that waits in a loop repeats its message
  }
  notes_.push_back({at_ns, cause});
}

std::string_view StallCauses::CauseOf(const TimeSpan& stall) const {
  const std::lock_guard lock(mutex_);
  std::string_view cause = "unknown";
  for (const Entry& note : notes_) {
    if (note.at_ns + kNsPerSecond < stall.begin_ns) continue;
    if (note.at_ns > stall.end_ns) {
      const bool soon = note.at_ns < stall.end_ns + kNsPerSecond;
      return cause == "unknown" && soon ? note.cause : cause;
    }
    cause = note.cause;
  }
  return cause;
}

std::map<std::string, double> StallCauses::SecondsByCause(std::span<const TimeSpan> spans) const {
  std::map<std::string, double> seconds;
  for (const TimeSpan& span : spans) {
    const uint64_t length_ns = span.end_ns - span.begin_ns;
    if (length_ns <= kStallNs) continue;
    seconds[std::string(CauseOf(span))] += static_cast<double>(length_ns) / kNsPerSecond;
  }
  return seconds;
}

}  // namespace lull::bench
