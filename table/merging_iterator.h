// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// An iterator that merges several iterators. One thread at a time.
#pragma once

#include <memory>
#include <vector>

#include "leveldb/iterator.h"
#include "table/key_order.h"

namespace lull {

/// What a merging iterator does when one of its iterators fails.
enum class OnError {
  /// Becomes not Valid. For compactions: continuing the merge would drop entries, or take an old
  /// version of a key for the newest.
  kStop,
  /// Continues with readable data. For clients' iterators: one unreadable table must not hide the
  /// others. An old version of a key can appear; by then status() is not OK. It stays so, because
  /// the children must keep their first error across Seeks.
  kSkip,
};

/// Merges `children` in order. Of entries with equal keys, the one from the earliest child comes
/// first. Works in both directions. Its status is the first error of a child.
std::unique_ptr<leveldb::Iterator> NewMergingIterator(
    const KeyOrder& order, std::vector<std::unique_ptr<leveldb::Iterator>> children,
    OnError on_error = OnError::kStop);

}  // namespace lull
