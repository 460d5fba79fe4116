// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/compaction/entry_filter.h"

#include <utility>

#include "db/base/dbformat.h"
#include "table/key_order.h"
#include "util/exceptions.h"

namespace lull {

CompactionFilter::~CompactionFilter() = default;

FilterRef StoreFilter::Set(FilterRef filter) {
  error_.clear();
  return std::exchange(filter_, std::move(filter));
}

FilterRef StoreFilter::SetAside(const FilterRef& filter, const leveldb::Status& why) {
  if (filter_ != filter) return nullptr;
  error_ = why.ToString();
  return std::exchange(filter_, nullptr);
}

EntryFilter::EntryFilter(FilterUse use, int output_level)
    : use_(std::move(use)), context_{output_level, use_.snapshot_may_see} {}

leveldb::Status EntryFilter::Ask(const leveldb::Slice& user_key, const leveldb::Slice& value,
                                 bool* drop) {
  LULL_TRY {
    *drop = use_.filter->filter->Filter(context_, user_key, value) == FilterDecision::kDrop;
  }
  LULL_CATCH {
    has_failed_ = true;
    return leveldb::Status::InvalidArgument("compaction filter " + use_.filter->name + " threw",
                                            ExceptionText());
  }
  if (*drop) dropped_.Add({1, user_key.size() + value.size()});
  return leveldb::Status::OK();
}

leveldb::Slice EntryFilter::DeletionOf(const leveldb::Slice& internal_key) {
  deletion_.assign(internal_key.data(), internal_key.size());
  deletion_[deletion_.size() - KeyOrder::kTrailerBytes] = static_cast<char>(ValueKind::kDeletion);
  return deletion_;
}

}  // namespace lull
