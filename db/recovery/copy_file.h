// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A second name for a file that nobody writes to any more. Any thread.
#pragma once

#include <cstdint>
#include <string>

#include "db/context.h"
#include "leveldb/status.h"

namespace lull {

/// Links `to` to `from` or, where there are no links, copies it, durably but for the new name.
/// Corruption if `from` does not have `bytes` bytes.
leveldb::Status LinkOrCopy(const StoreContext& context, const std::string& from,
                           const std::string& to, uint64_t bytes);

}  // namespace lull
