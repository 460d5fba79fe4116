// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Draws `lull top` on the terminal, with ncurses. Built only if ncurses was found.
#pragma once

#include "db/tools/top_stores.h"
#include "leveldb/status.h"

namespace lull::tools {

/// Shows the stores until the user quits. Refreshes once a second. Fails if the terminal is
/// unknown.
leveldb::Status RunTopScreen(TopStores* stores);

}  // namespace lull::tools
