// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The HTTP server of `lull export`, with cpp-httplib. Built only if that was found.
#pragma once

#include <string>
#include <vector>

#include "db/tools/listen_address.h"
#include "leveldb/status.h"

namespace lull::tools {

/// Serves GET /metrics until the process ends. Returns only with an error.
leveldb::Status ServeMetrics(const ListenAddress& address, const std::vector<std::string>& paths);

}  // namespace lull::tools
