// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Replaces the index of a table whose end is damaged or cut off. A block does not tell its length,
// but its checksum follows it, so the length is the first at which the checksum is correct.
#pragma once

#include <string>

#include "leveldb/status.h"
#include "table/format.h"
#include "table/key_order.h"

namespace lull {

/// Sets `*index` to the contents of an index of the data blocks from the beginning of the file to
/// the first damage. Empty if the first block is damaged: a value can itself contain a table, so
/// blocks after damage are not trusted. Returns NotSupported if this build cannot read a block.
/// REQUIRES: `order` is that of internal keys.
leveldb::Status FindDataBlocks(const TableSource& source, const KeyOrder& order,
                               std::string* index);

}  // namespace lull
