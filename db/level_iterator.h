// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The iterator over one sorted level: its tables one after the other, each opened when the iterator
// comes to it. For clients' iterators and for compactions. One thread.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "db/version.h"
#include "leveldb/iterator.h"
#include "table/key_order.h"

namespace lull {

/// Opens a table. Never returns null: what goes wrong is the iterator's status.
using OpenTableIterator = std::function<std::unique_ptr<leveldb::Iterator>(TableFile* file)>;

/// `tables`: of one level >= 1, in order; they outlive the iterator. It stops at a table that
/// cannot be read, in either direction, and its status tells of it.
std::unique_ptr<leveldb::Iterator> NewLevelIterator(const KeyOrder& order,
                                                    std::span<const TableRef> tables,
                                                    OpenTableIterator open);

}  // namespace lull
