// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#pragma once

#include <string>

#include "db/recovery/salvage.h"
#include "leveldb/options.h"
#include "leveldb/status.h"

namespace lull {

/// leveldb::RepairDB, with a report of its progress: tables read, and those written if all are.
leveldb::Status Repair(const std::string& name, const leveldb::Options& options,
                       const WorkProgress& progress);

}  // namespace lull
