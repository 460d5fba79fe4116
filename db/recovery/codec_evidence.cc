// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/recovery/codec_evidence.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "table/open_table.h"

namespace lull {
namespace {

constexpr size_t kTablesMax = 4;

/// Orders tables by what it costs to find out their codec: a large one has a large index, and the
/// blocks of a very small one can be too short to be compressed.
std::pair<bool, uint64_t> Effort(const TableMeta& table) {
  constexpr uint64_t kTableBytesMin = 32 << 10;
  const bool is_small = table.file_bytes < kTableBytesMin;
  return {is_small, is_small ? kTableBytesMin - table.file_bytes : table.file_bytes};
}

void LookAt(const StoreContext& context, const TableMeta& table) {
  OpenTable opened;
  opened.options.order = context.order;
  std::string path;
  if (!context.OpenTableFile(table.number, &path, &opened.file).ok()) return;
  opened.source = {opened.file.get(), table.file_bytes, path, &context.seen_codec};
  opened.NoteCodec();
}

}  // namespace

void LookForCodec(const StoreContext& context, const Version& version) {
  if (context.HasFixedCodec()) return;
  std::vector<const TableMeta*> tables;
  for (int level = 0; level < kLevels; ++level) {
    for (const TableRef& table : version.level(level)) tables.push_back(&table->description);
  }
  const auto end = tables.begin() + static_cast<ptrdiff_t>(std::min(tables.size(), kTablesMax));
  std::partial_sort(tables.begin(), end, tables.end(),
                    [](const TableMeta* a, const TableMeta* b) { return Effort(*a) < Effort(*b); });
  for (auto table = tables.begin(); table != end; ++table) {
    if (context.seen_codec.get() != Codec::kNone) return;
    LookAt(context, **table);
  }
}

}  // namespace lull
