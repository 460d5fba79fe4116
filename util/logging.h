// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Small text helpers for messages and file names.
#pragma once

#include <cstdint>
#include <string>

#include "leveldb/env.h"
#include "leveldb/slice.h"

namespace lull {

/// Printable ASCII as it is, everything else as \xNN.
std::string EscapeBytes(const leveldb::Slice& value);

/// Reads decimal digits from the front of `input`; false when there are none or they overflow.
bool ConsumeDecimal(leveldb::Slice* input, uint64_t* value);

/// Formats into a logger, which may be null: then nothing happens. Any thread. The public one, so
/// that an unqualified call with a leveldb::Logger* finds a single function.
using leveldb::Log;

}  // namespace lull
