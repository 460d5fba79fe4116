// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Why writes stalled, as reported by the store itself. Each store's adapter notes the causes that
// it reads in the store's log or statistics. A stall seen by a client gets the cause noted nearest
// in time. Any thread.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/measure/meter.h"

namespace lull::bench {

// "memory", "l0" or "debt" if this line of LevelDB's or RocksDB's log reports such a stall.
std::optional<std::string_view> StallCauseInLog(std::string_view line);

class StallCauses {
 public:
  // `cause` must never be deallocated.
  void Note(std::string_view cause, uint64_t at_ns);

  // The last cause noted from one second before the stall until its end. Otherwise the first one
  // within a second after it, because some notes are made when statistics are read. Otherwise
  // "unknown".
  std::string_view CauseOf(const TimeSpan& stall) const;

  // Seconds by cause, of the spans long enough to be stalls.
  std::map<std::string, double> SecondsByCause(std::span<const TimeSpan> spans) const;

 private:
  struct Entry {
    uint64_t at_ns;
    std::string_view cause;
  };
  mutable std::mutex mutex_;
  std::vector<Entry> notes_;  // ordered by time
};

}  // namespace lull::bench
