// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/version/table_contents.h"

#include "util/coding.h"

namespace lull {

std::string TableContents::ToBlock() const {
  std::string block;
  for (const uint64_t value : {entries, deletions, newest_deletion, deletions_since})
    PutFixed64(&block, value);
  return block;
}

std::optional<TableContents> TableContents::FromBlock(leveldb::Slice block) {
  TableContents contents;
  for (uint64_t* const value : {&contents.entries, &contents.deletions, &contents.newest_deletion,
                                &contents.deletions_since}) {
    if (!GetFixed64(&block, value)) return std::nullopt;
  }
  // Later versions can append to the block.
  const bool agrees = contents.entries > 0 && contents.deletions <= contents.entries &&
                      contents.newest_deletion <= kMaxSequence;
  return agrees ? std::optional(contents) : std::nullopt;
}

}  // namespace lull
