// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// How the tables of a store are compressed, for its first new table: see StoreContext::TableCodec.
#pragma once

#include "db/base/context.h"
#include "db/version/version.h"

namespace lull {

/// Reads the index, and if necessary a block, of a few tables of `version`, until
/// `context.seen_codec` has a codec. Does nothing if TableCodec ignores it. Tables that cannot be
/// read show nothing.
void LookForCodec(const StoreContext& context, const Version& version);

}  // namespace lull
