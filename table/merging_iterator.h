// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The iterator over several iterators. One thread at a time.
#pragma once

#include <memory>
#include <vector>

#include "leveldb/iterator.h"
#include "table/key_order.h"

namespace lull {

/// What an iterator over several iterators does when one of them fails.
enum class OnError {
  /// Not Valid from there on. For compactions: a merge that went on would drop entries, or take an
  /// old version of a key for the newest.
  kStop,
  /// Goes on with what can be read. For clients' iterators: one unreadable table must not hide the
  /// others. An old version of a key may appear; status() is not OK by then, and stays so, because
  /// the children must keep their first error across Seeks.
  kSkip,
};

/// The union of `children`, in order. Entries with equal keys come from the first of the children
/// that have it. Works in both directions. Its status is the first bad status of a child.
std::unique_ptr<leveldb::Iterator> NewMergingIterator(
    const KeyOrder& order, std::vector<std::unique_ptr<leveldb::Iterator>> children,
    OnError on_error = OnError::kStop);

}  // namespace lull
