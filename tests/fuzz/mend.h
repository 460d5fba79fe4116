// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Gives files with any contents right checksums, so that a fuzzer gets behind them: it would never
// guess one.
#pragma once

#include <string>

namespace lull::fuzz {

/// Of each fragment of a log, as far as its lengths lead.
void MendLog(std::string* bytes);

/// Of each block that a table's footer, metaindex and index lead to.
void MendTable(std::string* bytes);

}  // namespace lull::fuzz
