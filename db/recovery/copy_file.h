// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// LinkOrCopy: a second name for a file that is no longer written to. Any thread.
#pragma once

#include <cstdint>
#include <string>

#include "db/base/context.h"
#include "leveldb/status.h"

namespace lull {

/// Links `to` to `from`, or copies it if the Env has no links. Durable, except for the new name. A
/// copy fails with Corruption if `from` does not have `bytes` bytes.
leveldb::Status LinkOrCopy(const StoreContext& context, const std::string& from,
                           const std::string& to, uint64_t bytes);

}  // namespace lull
