// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Why writes were held up, as the store itself says while it does so: each store's adapter notes
// what it reads in the store's log or statistics, and a stall that a client saw is laid to the note
// that is nearest in time. Any thread.
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

// "memory", "l0" or "debt", if a line of LevelDB's or RocksDB's log says that writers wait for it.
std::optional<std::string_view> StallCauseInLog(std::string_view line);

class StallCauses {
 public:
  // `cause` must live for ever.
  void Note(std::string_view cause, uint64_t at_ns);

  // The cause noted last until the end of a stall, from a second before its beginning on; or, as
  // some notes are made when statistics are read, within a second after it; or "unknown".
  std::string_view CauseOf(const TimeSpan& stall) const;

  // Seconds by cause of those spans that are stalls.
  std::map<std::string, double> SecondsByCause(std::span<const TimeSpan> spans) const;

 private:
  struct Entry {
    uint64_t at_ns;
    std::string_view cause;
  };
  mutable std::mutex mutex_;
  std::vector<Entry> notes_;  // in order of time
};

}  // namespace lull::bench
