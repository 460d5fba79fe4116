// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Gives files of arbitrary contents valid checksums. A fuzzer would never guess one, so without
// this it would only test the checksums.
#pragma once

#include <string>

namespace lull::fuzz {

/// Fixes the checksum of each fragment of a log, as far as its lengths lead.
void FixLogChecksums(std::string* bytes);

/// Fixes the checksum of each block that a table's footer, metaindex and index lead to.
void FixTableChecksums(std::string* bytes);

}  // namespace lull::fuzz
