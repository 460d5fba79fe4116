// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/compaction/output_cutter.h"

#include <limits>
#include <utility>

#include "db/base/dbformat.h"

namespace lull {

CutRule CutRuleFor(const LayoutOptions& layout, int output_level) {
  CutRule rule;
  rule.table_bytes_max = TableBytesAt(layout, output_level);
  if (output_level + 1 >= kLevels) {
    rule.overlap_bytes_max = std::numeric_limits<uint64_t>::max();
    return rule;  // no deeper level
  }
  rule.overlap_bytes_max = layout.grandparent_overlap_tables_max * rule.table_bytes_max;
  rule.align = layout.align_outputs;
  if (layout.kind == LayoutKind::kVsst && output_level == 1) {
    rule.overlap_ratio_max = layout.growth_factor;
    rule.table_bytes_min = layout.TableBytesMin();
  }
  return rule;
}

OutputCutter::OutputCutter(const KeyOrder& order, const CutRule& rule, std::vector<TableRef> below,
                           std::vector<std::string> fences)
    : order_(order), rule_(rule), below_(std::move(below)), fences_(std::move(fences)) {}

bool OutputCutter::CutBefore(const leveldb::Slice& internal_key, uint64_t output_bytes,
                             bool may_cut) {
  const leveldb::Slice user_key = UserKeyOf(internal_key);
  while (next_fence_ < fences_.size() && order_.CompareUser(user_key, fences_[next_fence_]) > 0) {
    must_cut_ = true;
    ++next_fence_;
  }
  const Passage passage = MoveTo(user_key);
  const bool cut = begun_ && may_cut && (must_cut_ || IsFull(output_bytes, passage));
  if (cut || !begun_) BeginTable();
  return cut;
}

/// Advances the cursor to this key, and updates the overlap of the table under construction.
OutputCutter::Passage OutputCutter::MoveTo(const leveldb::Slice& user_key) {
  Passage passage;
  while (cursor_ < below_.size() &&
         order_.CompareUser(below_[cursor_]->largest_user(), user_key) < 0) {
    if (!inside_) {  // the table lies between two entries and holds neither
      overlap_bytes_ += below_[cursor_]->file_bytes();
      passage.entered = true;
    }
    inside_ = false;
    passage.left = true;
    ++ends_passed_;
    ++cursor_;
  }
  if (!inside_ && cursor_ < below_.size() &&
      order_.CompareUser(below_[cursor_]->smallest_user(), user_key) <= 0) {
    overlap_bytes_ += below_[cursor_]->file_bytes();
    inside_ = true;
    passage.entered = true;
  }
  return passage;
}

bool OutputCutter::IsFull(uint64_t output_bytes, const Passage& passage) const {
  if (output_bytes >= rule_.table_bytes_max) return true;
  if (rule_.overlap_ratio_max > 0) {
    return output_bytes >= rule_.table_bytes_min &&
           static_cast<double>(overlap_bytes_) >
               rule_.overlap_ratio_max * static_cast<double>(output_bytes);
  }
  if (passage.entered && overlap_bytes_ > rule_.overlap_bytes_max) return true;
  if (!rule_.align || !passage.left || output_bytes < rule_.table_bytes_max / 2) return false;
  // Estimate: the next end is as far away as the average of those so far.
  return output_bytes + output_bytes / ends_passed_ > rule_.table_bytes_max;
}

void OutputCutter::BeginTable() {
  begun_ = true;
  must_cut_ = false;
  ends_passed_ = 0;
  overlap_bytes_ = inside_ ? below_[cursor_]->file_bytes() : 0;
}

}  // namespace lull
