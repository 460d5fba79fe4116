// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Keys and values for the micro-benchmarks: the same for every library, generated before timing.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/loadgen/key_value.h"
#include "benchmarks/loadgen/rng.h"

namespace lull::bench {

using Entries = std::vector<std::pair<std::string, std::string>>;

// `count` keys of 16 digits in order. Only every second number is used, so that there are missing
// keys between them. Values compress to half their size.
inline Entries MakeEntries(size_t count, size_t value_bytes) {
  KeyText key(0);
  ValuePool values(0.5, value_bytes, 301);
  Entries entries;
  entries.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    entries.emplace_back(key.Of(2 * i), values.Next(value_bytes));
  }
  return entries;
}

// The numbers [0, count) in random order.
inline std::vector<size_t> ShuffledNumbers(size_t count) {
  std::vector<size_t> numbers(count);
  for (size_t i = 0; i < count; ++i) numbers[i] = i;
  Rng rng(301);
  std::shuffle(numbers.begin(), numbers.end(), rng);
  return numbers;
}

}  // namespace lull::bench
