// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// What clients' reads of a store did since its open. A get counts in the counters of its thread; an
// iterator counts in its own, and adds them from time to time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "db/base/dbformat.h"
#include "table/table_counts.h"
#include "util/counter_array.h"

namespace lull {

enum ReadCount : size_t {
  // A get ends at the first entry of its key, a value or a deletion.
  kGetsEndedInMemory = kTableCounts,
  kGetsEndedInLevel,  ///< the first of kLevels counters
  kGetsOfAbsentKeys = kGetsEndedInLevel + kLevels,
  kGetsEndedWithoutValue,  ///< in memory or in a level, at a deletion or an error
  kKeyFilterChecks,        ///< of filters in memory; see KeyFilter
  kKeyFilterPasses,
  kFilterFalsePasses,   ///< tables without the key that a filter of either kind let through
  kL0TablesWithoutKey,  ///< L0 tables that gets searched without finding the key; for iterators, an
                        ///< estimate
  kSeeks,
  kSteps,           ///< Next and Prev
  kEntriesSkipped,  ///< hidden, deleted or too new entries that iterators passed
  kIteratorsOpened,
  kIteratorsClosed,
  kBytesReturned,  ///< keys and values of iterators, values of gets
  kReadCounts
};

using ReadCounts = CounterArray<kReadCounts>;
using ReadCall = CountingCall<kReadCounts>;

}  // namespace lull
