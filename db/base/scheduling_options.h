// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Option strings to values, and values to what policies use. Pure functions; any thread.
#pragma once

#include <cstdint>
#include <string>

#include "db/base/option_values.h"
#include "leveldb/status.h"

namespace lull {

/// Reads "name=value;name=value" over `values`. InvalidArgument names the pair that cannot be read,
/// why, and the nearest known name; then `values` are unchanged.
leveldb::Status ParseOptions(const std::string& text, OptionValues* values);

/// As ParseOptions, for a store that is open with `values`: also refuses a pair that would change
/// an option that is fixed while a store is open.
leveldb::Status ParseLive(const std::string& text, OptionValues* values);

/// InvalidArgument names the first option that is out of bounds, an unknown policy, or the L0 limit
/// that is out of order once zeros are replaced by the policy's own.
leveldb::Status ValidateOptions(const OptionValues& values);

/// All options as a string that ParseOptions reads back to these values.
std::string ToOptionString(const OptionValues& values);

/// Replaces the zeros that leave a choice to the policy or the machine. The sizes are those that
/// the store was opened with. REQUIRES: `values` are valid.
PolicyOptions ResolvePolicyOptions(const OptionValues& values, uint64_t memtable_bytes,
                                   uint64_t table_bytes, int cores);

}  // namespace lull
