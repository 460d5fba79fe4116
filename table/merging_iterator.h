// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Iterators built from iterators. Each is used by one thread at a time.
#pragma once

#include <functional>
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

/// The concatenation of iterators that are opened one at a time: `index` walks over their largest
/// keys (its values are handed to `open`), every key of the part at index position i is <= index
/// key i. An iterator that `open` returns is never null; it reports errors by its status.
std::unique_ptr<leveldb::Iterator> NewConcatenatingIterator(
    std::unique_ptr<leveldb::Iterator> index,
    std::function<std::unique_ptr<leveldb::Iterator>(const leveldb::Slice& index_value)> open);

}  // namespace lull
