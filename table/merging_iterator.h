// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The iterator over several iterators. One thread at a time.
#pragma once

#include <memory>
#include <vector>

#include "leveldb/iterator.h"
#include "leveldb/slice.h"
#include "table/key_order.h"

namespace lull {

/// The union of `children`, in order; entries with equal keys come from the child that stands
/// first. Works in both directions. Its status is the first bad status of a child, and it is not
/// Valid once a child has failed on the way (a merge that skipped a failed child would show deleted
/// or old data).
std::unique_ptr<leveldb::Iterator> NewMergingIterator(
    const KeyOrder& order, std::vector<std::unique_ptr<leveldb::Iterator>> children);

}  // namespace lull
