// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#pragma once

#include <string>

namespace lull::testing {

// A new, empty directory on the real file system, removed when the process ends normally.
// Thread-safe.
std::string FreshDirectory(const std::string& id);

}  // namespace lull::testing
