// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Where a compaction ends one output table and begins the next. It sees every entry that is kept,
// in order, before it is added, and knows at each how much of the next level the table would lie
// over with it: a cursor over that level's tables, O(1) amortised for each entry. A job has one;
// one thread at a time.
//
// The versions of one user key stay in one table: the picker takes whole tables, and would
// otherwise move a newer version below an older one. So a cut may come later than the rule says,
// and a table with many versions of its last key may be larger.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "db/compaction/layout_options.h"
#include "db/version/version.h"
#include "leveldb/slice.h"
#include "table/key_order.h"

namespace lull {

struct CutRule {
  /// A table that has this size is ended. It is larger by no more than an entry, and by what the
  /// writer holds back to make a block of.
  uint64_t table_bytes_max = 0;
  /// A table is ended before it enters a further table below, where it would overlap more than
  /// this in sum.
  uint64_t overlap_bytes_max = 0;
  /// A table is ended at the end of a table below, if it is at least half full and the next such
  /// end would come too late. It then shares no table below with its neighbour, so that one of them
  /// is not rewritten twice.
  bool align = false;
  /// Above 0, the rule is vLSM's for L1, in place of the last two: from table_bytes_min on, a table
  /// is ended where it would overlap more than this many bytes for each of its own.
  double overlap_ratio_max = 0;
  uint64_t table_bytes_min = 0;
};

CutRule CutRuleFor(const LayoutOptions& layout, int output_level);

class OutputCutter {
 public:
  /// `below`: what the outputs may overlap, of the level below theirs, by smallest key. `fences`:
  /// see CompactionPlan.
  OutputCutter(const KeyOrder& order, const CutRule& rule, std::vector<TableRef> below,
               std::vector<std::string> fences);

  /// Whether the table under construction, of `output_bytes` so far, ends before this entry. The
  /// caller then ends it. Never true for the first entry, nor where `may_cut` is false.
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
  size_t cursor_ = 0;           // the first table below that does not end before the last key
  bool inside_ = false;         // the last key lies in it
  bool begun_ = false;          // there is a table under construction
  bool must_cut_ = false;       // a fence was passed
  uint64_t overlap_bytes_ = 0;  // of the table under construction
  uint64_t ends_passed_ = 0;    // likewise, of tables below
};

}  // namespace lull
