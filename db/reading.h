// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// What reads have in common, whether the store is open to write or not (store_read.cc,
// read_only.cc).
#pragma once

#include <cstdint>

#include "db/dbformat.h"
#include "db/read_view.h"
#include "db/snapshots.h"
#include "leveldb/db.h"
#include "leveldb/options.h"

namespace lull {

inline BlockReadOptions HowToRead(const leveldb::ReadOptions& options,
                                  const leveldb::Options& store) {
  BlockReadOptions read;
  read.verify_checksums = options.verify_checksums || store.paranoid_checks;
  read.fill_cache = options.fill_cache;
  return read;
}

inline SequenceNumber SequenceOf(const leveldb::Snapshot* snapshot) {
  return static_cast<const StoreSnapshot*>(snapshot)->sequence();
}

/// As DB::GetApproximateSizes, for one range. REQUIRES: a guard.
inline uint64_t ApproximateBytes(const ReadView& view, TableCache* tables,
                                 const leveldb::Range& range) {
  const auto offset_of = [&](const leveldb::Slice& user_key) {
    return view.ApproximateOffsetOf(tables, MakeInternalKey(user_key, kMaxSequence, kKindForSeek));
  };
  const uint64_t start = offset_of(range.start);
  const uint64_t limit = offset_of(range.limit);
  return limit > start ? limit - start : 0;
}

}  // namespace lull
