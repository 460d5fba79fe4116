// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// OutputCutter: where a compaction ends one output table and begins the next. It is called in order
// for every kept entry, before the entry is added. It tracks how much of the next level the open
// table overlaps, with a cursor over that level's tables: amortized O(1) per entry. One object per
// job; one thread at a time.
//
// All versions of a user key stay in one table. The picker takes whole tables, and could otherwise
// move a newer version below an older one. So a cut can come later than the rule says, and a table
// with many versions of its last key can be larger.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "db/base/layout_options.h"
#include "db/version/version.h"
#include "leveldb/slice.h"
#include "table/key_order.h"

namespace lull {

struct CutRule {
  /// A table ends at this size. It can exceed it by one entry, plus what the writer has buffered
  /// for the next block.
  uint64_t table_bytes_max = 0;
  /// A table ends before it enters another table below, if its total overlap would exceed this.
  uint64_t overlap_bytes_max = 0;
  /// A table that is at least half full ends at the end of a table below, if the next such end
  /// would be too late. Then two neighbors share no table below, which would otherwise be rewritten
  /// twice.
  bool align = false;
  /// If above 0, vLSM's rule for L1 replaces the last two: a table of at least table_bytes_min ends
  /// before its overlap exceeds this many bytes per byte of its own.
  double overlap_ratio_max = 0;
  uint64_t table_bytes_min = 0;
};

CutRule CutRuleFor(const LayoutOptions& layout, int output_level);

class OutputCutter {
 public:
  /// `below`: tables of the next level that the outputs can overlap, by smallest key. `fences`: see
  /// CompactionPlan.
  OutputCutter(const KeyOrder& order, const CutRule& rule, std::vector<TableRef> below,
               std::vector<std::string> fences);

  /// Returns whether the caller must end the open table, of `output_bytes` so far, before this
  /// entry. Always false for the first entry, and if `may_cut` is false.
  bool CutBefore(const leveldb::Slice& internal_key, uint64_t output_bytes, bool may_cut);

 private:
  struct Passage {
    bool entered = false;  // a table below
    bool left = false;
  };
  Passage MoveTo(const leveldb::Slice& user_key);
  bool IsFull(uint64_t output_bytes, const Passage& passage) const;
  void BeginTable();

  const KeyOrder order_;
  const CutRule rule_;
  const std::vector<TableRef> below_;
  const std::vector<std::string> fences_;
  size_t next_fence_ = 0;
  size_t cursor_ = 0;           // the first table below that ends at or after the last key
  bool inside_ = false;         // the last key lies in that table
  bool begun_ = false;          // a table is under construction
  bool must_cut_ = false;       // a fence was passed
  uint64_t overlap_bytes_ = 0;  // of the table under construction
  uint64_t ends_passed_ = 0;    // ends of tables below, passed by that table
};

}  // namespace lull
