// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/tools/store_facts.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "db/base/filename.h"
#include "db/version/manifest.h"
#include "leveldb/env.h"
#include "table/block.h"
#include "table/open_table.h"
#include "util/coding.h"

namespace lull::tools {
namespace {

using leveldb::Slice;

constexpr size_t kTablesMax = 8;
constexpr size_t kBlocksMax = 8;  // of each table
/// With fewer tables, most can be the last one of a compaction, which is short.
constexpr size_t kFullTablesMin = 4;
constexpr char kBloomBlock[] = "filter.leveldb.BuiltinBloomFilter2";

/// Those of the MANIFEST or, if it cannot be read, those of the directory, as of level 0.
std::vector<TableMeta> ListTables(StoreContext* context) {
  std::vector<TableMeta> tables;
  ManifestState manifest;
  if (ReadManifest(context, DescribedTable, &manifest).ok()) return manifest.version->AllTables();
  std::vector<std::string> names;
  context->env()->GetChildren(context->name, &names);
  for (const std::string& name : names) {
    const std::optional<ParsedFileName> parsed = ParseFileName(name);
    TableMeta table;
    if (!parsed || parsed->kind != FileKind::kTable) continue;
    table.number = parsed->number;
    if (context->env()->GetFileSize(context->name + "/" + name, &table.file_bytes).ok())
      tables.push_back(table);
  }
  return tables;
}

/// The size at which tables end. Those from L1 on with the largest quarter of the bytes have it;
/// others end earlier, because of what they overlap.
size_t FullTableBytes(const std::vector<TableMeta>& tables) {
  const size_t usual = leveldb::Options().max_file_size;
  std::vector<uint64_t> sizes;
  uint64_t total = 0;
  for (const TableMeta& table : tables) {
    if (table.level == 0) continue;  // as large as a memtable
    sizes.push_back(table.file_bytes);
    total += table.file_bytes;
  }
  if (sizes.size() < kFullTablesMin) return usual;
  std::sort(sizes.begin(), sizes.end(), std::greater<>());
  uint64_t larger = 0;
  const auto full = std::find_if(sizes.begin(), sizes.end(),
                                 [&](uint64_t size) { return (larger += size) >= total / 4; });
  // To the nearest power of two: index and filter make a table larger than the limit, and the
  // result must not grow with each compaction. With the default, tables would grow with their
  // level.
  const auto bytes = static_cast<size_t>(std::bit_floor(*full + *full / 2));
  return bytes == usual ? usual + 1 : bytes;
}

/// The bits per key of LevelDB's Bloom filter, from its block for `keys` keys.
int BloomBits(const Slice& block, double keys) {
  constexpr size_t kTrailerBytes = 5;  // where the filters end, and the range of each
  if (block.size() <= kTrailerBytes) return 0;
  const size_t filters_bytes = DecodeFixed32(block.data() + block.size() - kTrailerBytes);
  if (filters_bytes == 0 || filters_bytes > block.size() - kTrailerBytes) return 0;
  // A filter ends with its number of probes: 0.69 for each bit, rounded down, from 1 to 30. That
  // leaves two numbers of bits. The size decides; it is too large for filters of few keys.
  const int probes = std::clamp<int>(block[filters_bytes - 1], 1, 30);
  const double bits_min = probes == 1 ? 1 : std::ceil(probes / 0.69);
  const double bits_max = probes == 30 ? 1000 : std::ceil((probes + 1) / 0.69) - 1;
  const double bits = 8 * static_cast<double>(filters_bytes) / std::max(keys, 1.0);
  return static_cast<int>(std::lround(std::clamp(bits, bits_min, bits_max)));
}

/// What the blocks of one table show.
class TableFacts {
 public:
  /// Reads the footer, the index, some blocks and the filter. Returns false if no block can be
  /// read.
  bool Read(const StoreContext& context, const TableMeta& table);

  Codec codec() const { return seen_codec_.get(); }
  int bloom_bits() const { return bloom_bits_; }
  /// nullopt: the table has only one block.
  std::optional<size_t> BlockBytes() const;

 private:
  void ReadBlock(const BlockHandle& handle, bool is_last);
  void ReadFilter();

  /// A block that would hardly shrink is not compressed, so one that is shows the option.
  SeenCodec seen_codec_;
  OpenTable table_;
  int bloom_bits_ = 0;
  size_t blocks_read_ = 0;
  uint64_t keys_read_ = 0;
  // A block ends with the entry that makes it as large as Options::block_size.
  size_t larger_than_ = 0;     // so that size is larger than this,
  size_t at_most_ = SIZE_MAX;  // and at most this
};

bool TableFacts::Read(const StoreContext& context, const TableMeta& table) {
  std::string path;
  if (!context.OpenTableFile(table.number, &path, &table_.file).ok()) return false;
  table_.source = {table_.file.get(), table.file_bytes, path, &seen_codec_};
  table_.options.order = context.order;
  if (!table_.ReadTail().ok()) return false;
  const size_t blocks = table_.index->size();
  const size_t count = std::min(blocks, kBlocksMax);
  for (size_t i = 0; i < count; ++i) {
    const size_t at = i * blocks / count;
    ReadBlock(table_.index->handle(at), at + 1 == blocks);
  }
  if (blocks_read_ > 0) ReadFilter();
  return blocks_read_ > 0;
}

void TableFacts::ReadBlock(const BlockHandle& handle, bool is_last) {
  std::unique_ptr<char[]> memory;
  Slice contents;
  Block block;
  if (!table_.ReadOwned(FileWindow(), handle, &memory, &contents).ok() ||
      block.Parse(contents) != nullptr)
    return;
  ++blocks_read_;
  BlockCursor entry;
  entry.Reset(block, table_.options.order);
  const char* last_begin = contents.data();
  const char* last_end = contents.data();
  for (entry.SeekToFirst(); entry.Valid(); entry.Next()) {
    ++keys_read_;
    last_begin = std::exchange(last_end, entry.value().data() + entry.value().size());
  }
  if (is_last) return;
  larger_than_ = std::max(larger_than_, static_cast<size_t>(last_begin - contents.data()));
  at_most_ = std::min(at_most_, contents.size());
}

void TableFacts::ReadFilter() {
  BlockHandle filter;
  std::unique_ptr<char[]> memory;
  Slice contents;
  if (!table_.FindMetaBlock(FileWindow(), kBloomBlock, &filter).ok() ||
      !table_.ReadOwned(FileWindow(), filter, &memory, &contents).ok())
    return;
  const double share =
      static_cast<double>(blocks_read_) / static_cast<double>(table_.index->size());
  bloom_bits_ = BloomBits(contents, static_cast<double>(keys_read_) / share);
}

std::optional<size_t> TableFacts::BlockBytes() const {
  if (at_most_ == SIZE_MAX) return std::nullopt;
  for (const size_t usual : {leveldb::Options().block_size, std::bit_floor(at_most_)}) {
    if (larger_than_ < usual && usual <= at_most_) return usual;
  }
  return at_most_;
}

/// Values, and how many bytes of tables show each.
template <class Value>
using Votes = std::map<Value, uint64_t>;

/// The value with the most bytes; of equal ones the smallest; `otherwise` if there is no evidence.
template <class Value>
Value Winner(const Votes<Value>& votes, Value otherwise) {
  const auto most = std::max_element(
      votes.begin(), votes.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == votes.end() ? otherwise : most->first;
}

}  // namespace

StoreFacts FindStoreFacts(const leveldb::Options& options, const std::string& directory) {
  StoreContext context(options);
  context.name = directory;
  const std::vector<TableMeta> tables = ListTables(&context);
  Votes<Codec> codecs;
  Votes<int> bloom_bits;
  Votes<size_t> block_bytes;
  const size_t count = std::min(tables.size(), kTablesMax);
  for (size_t i = 0; i < count; ++i) {
    const TableMeta& table = tables[i * tables.size() / count];
    TableFacts facts;
    if (!facts.Read(context, table)) continue;
    codecs[facts.codec()] += table.file_bytes;
    bloom_bits[facts.bloom_bits()] += table.file_bytes;
    if (facts.BlockBytes()) block_bytes[*facts.BlockBytes()] += table.file_bytes;
  }
  const StoreFacts defaults;
  Codec codec = Winner(codecs, defaults.codec);
  for (const auto& [each, bytes] : codecs) {
    if (IsZlib(each)) codec = each;
  }
  return {codec, Winner(bloom_bits, defaults.bloom_bits), Winner(block_bytes, defaults.block_bytes),
          FullTableBytes(tables)};
}

}  // namespace lull::tools
