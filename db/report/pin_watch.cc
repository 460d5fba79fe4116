// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/report/pin_watch.h"

#include "util/logging.h"

namespace lull {
namespace {

std::string Line(const char* who_keeps, const SpaceReport::Pins& pins, const char* what,
                 const char* remedy) {
  return Format(
      "%s %.1f MB of %s on disk, the oldest one for %llu minutes; %s that are no longer needed",
      who_keeps, static_cast<double>(pins.bytes) / (1 << 20), what,
      static_cast<unsigned long long>(pins.oldest_nanos / 60'000'000'000), remedy);
}

}  // namespace

bool PinWatch::IsDue(uint64_t now_nanos, const SpaceReport::Pins& pins,
                     uint64_t* next_nanos) const {
  if (pins.oldest_nanos < kAgeMinNanos || pins.bytes < bytes_min_) return false;
  if (now_nanos < *next_nanos) return false;
  *next_nanos = now_nanos + kLineEveryNanos;
  return true;
}

std::vector<std::string> PinWatch::Sample(uint64_t now_nanos, const SpaceReport::Pins& readers,
                                          const SpaceReport::Pins& snapshots) {
  next_look_nanos_ = now_nanos + kLookEveryNanos;
  std::vector<std::string> lines;
  if (IsDue(now_nanos, readers, &next_reader_line_nanos_))
    lines.push_back(
        Line("Iterators or snapshots keep", readers, "obsolete tables", "delete or release those"));
  if (IsDue(now_nanos, snapshots, &next_snapshot_line_nanos_))
    lines.push_back(
        Line("Snapshots keep about", snapshots, "deleted entries", "release snapshots"));
  return lines;
}

}  // namespace lull
