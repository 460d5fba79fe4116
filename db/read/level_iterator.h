// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The iterator over one sorted level. It opens a table when it reaches it. Used by clients'
// iterators and by compactions. One thread at a time.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "db/version/version.h"
#include "leveldb/iterator.h"
#include "table/key_order.h"
#include "table/merging_iterator.h"

namespace lull {

/// Opens a table. Never returns null: the iterator's status holds any error.
using OpenTableIterator = std::function<std::unique_ptr<leveldb::Iterator>(TableFile* file)>;

/// `tables`: of one level >= 1, in order; they outlive the iterator. With OnError::kStop, the
/// iterator stops at an unreadable table, in either direction; status() is the error until the next
/// Seek. With kSkip it continues with the next table, and status() stays the first error; `open`
/// must then return iterators that skip damaged blocks.
std::unique_ptr<leveldb::Iterator> NewLevelIterator(const KeyOrder& order,
                                                    std::span<const TableRef> tables,
                                                    OpenTableIterator open,
                                                    OnError on_error = OnError::kStop);

}  // namespace lull
