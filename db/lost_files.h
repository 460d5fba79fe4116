// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// lost/: where what a store could not read, and needs no more, is kept for its owner. At open and
// in RepairDB, alone with the store.
#pragma once

#include <string>
#include <vector>

#include "db/context.h"
#include "leveldb/status.h"

namespace lull {

/// Gives each of `files`, names in the store's folder, a second name in lost/, durably: from then
/// on the first may be removed by anybody. What has that name already stays; the file is then
/// called NAME.2 and so on, unless it is there from a try that was interrupted. A file that is gone
/// is passed over.
leveldb::Status KeepUnderLost(const StoreContext& context, const std::vector<std::string>& files);

}  // namespace lull
