// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "tests/support/option_sets.h"

#include "leveldb/slice.h"

namespace lull::testing {

namespace {

// Orders keys from the largest to the smallest. Leaves separators alone, which is always allowed.
class Reverse : public leveldb::Comparator {
 public:
  int Compare(const leveldb::Slice& a, const leveldb::Slice& b) const override {
    return b.compare(a);
  }
  const char* Name() const override { return "lull.test.ReverseBytewise"; }
  void FindShortestSeparator(std::string*, const leveldb::Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}
};

struct Recipe {
  const char* name;
  size_t write_buffer_kib;
  size_t block_bytes;
  int restart_interval;
  bool snappy;
  int bloom_bits;  // 0: no filter
  int cache_kib;   // -1: the store's own cache
  size_t file_kib;
  int open_files;
  bool reuse_logs;
  bool paranoid;
  bool reverse;
};

constexpr Recipe kRecipes[] = {
    {"default", 4096, 4096, 16, true, 0, -1, 2048, 1000, false, false, false},
    {"tiny", 64, 1024, 1, true, 0, -1, 1024, 1000, false, false, false},
    {"plain-bloom", 64, 4096, 16, false, 10, -1, 1024, 1000, false, false, false},
    {"reuse", 256, 4096, 16, true, 0, -1, 2048, 1000, true, false, false},
    {"paranoid", 128, 2048, 8, true, 0, -1, 1024, 1000, false, true, false},
    {"few-files", 64, 4096, 16, true, 10, -1, 1024, 20, false, false, false},
    {"no-cache", 128, 4096, 16, false, 0, 0, 1024, 1000, false, false, false},
    {"big-blocks", 512, 65536, 128, true, 0, -1, 4096, 1000, false, false, false},
    {"one-bit-bloom", 64, 1024, 4, true, 1, 64, 1024, 1000, false, false, false},
    {"rich-bloom", 64, 1024, 2, true, 20, 8, 1024, 1000, true, false, false},
    {"plain-reuse-paranoid", 96, 4096, 16, false, 0, -1, 1024, 1000, true, true, false},
    {"reverse", 128, 4096, 16, true, 0, -1, 1024, 1000, false, false, true},
    {"reverse-tiny-bloom", 64, 1024, 3, true, 12, -1, 1024, 1000, true, false, true},
    {"small-cache", 1024, 4096, 16, false, 0, 16, 1024, 1000, false, false, false},
    {"tiny-everything", 64, 1024, 1, true, 10, 8, 1024, 20, true, true, false},
    {"reverse-plain-paranoid", 64, 4096, 32, false, 0, 0, 1024, 1000, false, true, true},
};
constexpr size_t kNamed = sizeof(kRecipes) / sizeof(kRecipes[0]);
static_assert(kNamed < kOptionSetCount);

Recipe Draw(size_t index) {
  Rng rng(SubSeed(0x0b7105, index));
  Recipe recipe{};
  recipe.name = "drawn";
  recipe.write_buffer_kib = size_t{64} << rng.Below(5);
  recipe.block_bytes = size_t{1024} << rng.Below(6);
  recipe.restart_interval = 1 << rng.Below(7);
  recipe.snappy = rng.OneIn(2);
  recipe.bloom_bits = rng.OneIn(2) ? static_cast<int>(1 + rng.Below(24)) : 0;
  recipe.cache_kib = static_cast<int>(rng.Below(4)) * 32 - 1;
  recipe.file_kib = size_t{1024} << rng.Below(3);
  recipe.open_files = rng.OneIn(3) ? 20 : 1000;
  recipe.reuse_logs = rng.OneIn(3);
  recipe.paranoid = rng.OneIn(3);
  recipe.reverse = rng.OneIn(5);
  return recipe;
}

Recipe RecipeOf(size_t index) { return index < kNamed ? kRecipes[index] : Draw(index); }

}  // namespace

const leveldb::Comparator* ReverseComparator() {
  static const Reverse* const kReverse = new Reverse;
  return kReverse;
}

std::unique_ptr<OptionSet> MakeOptionSet(size_t index) {
  const Recipe recipe = RecipeOf(index);
  auto set = std::make_unique<OptionSet>();
  set->name = std::to_string(index) + "-" + recipe.name;
  leveldb::Options& options = set->options;
  options.create_if_missing = true;
  options.write_buffer_size = recipe.write_buffer_kib << 10;
  options.block_size = recipe.block_bytes;
  options.block_restart_interval = recipe.restart_interval;
  options.compression = recipe.snappy ? leveldb::kSnappyCompression : leveldb::kNoCompression;
  options.max_file_size = recipe.file_kib << 10;
  options.max_open_files = recipe.open_files;
  options.reuse_logs = recipe.reuse_logs;
  options.paranoid_checks = recipe.paranoid;
  if (recipe.reverse) options.comparator = ReverseComparator();
  if (recipe.bloom_bits > 0) {
    set->filter.reset(leveldb::NewBloomFilterPolicy(recipe.bloom_bits));
    options.filter_policy = set->filter.get();
  }
  if (recipe.cache_kib >= 0) {
    set->cache.reset(leveldb::NewLRUCache(static_cast<size_t>(recipe.cache_kib) << 10));
    options.block_cache = set->cache.get();
  }
  return set;
}

size_t CompatibleSet(size_t index, Rng* rng) {
  const bool reverse = RecipeOf(index).reverse;
  for (;;) {
    const size_t candidate = rng->Below(kOptionSetCount);
    if (RecipeOf(candidate).reverse == reverse) return candidate;
  }
}

}  // namespace lull::testing
