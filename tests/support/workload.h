// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The source of the tests' keys, values and batches: pure functions of a seed. A Workload is
// immutable, so any thread can use it with its own Rng.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tests/support/model.h"
#include "tests/support/rng.h"

namespace lull::testing {

// Whether the tests' compaction filter (FilterStore in open_store.h) drops this value: a quarter of
// all.
inline bool Expires(std::string_view value) {
  return !value.empty() && static_cast<unsigned char>(value.back()) % 4 == 0;
}

class Workload {
 public:
  enum class KeyStyle {
    kSmallAlphabet,  // up to five of four letters, including 0x00 and 0xff; also the empty key
    kCommonPrefix,   // a few hundred equal bytes, then a number
    kNumbers,        // "key000123", some thousands of them
    kBinary,         // up to 20 random bytes, a fixed pool of them
    kMixed,          // all of these
  };
  static constexpr int kKeyStyleCount = 5;

  // The seed picks the key style.
  explicit Workload(uint64_t seed);
  Workload(uint64_t seed, KeyStyle style);

  std::string Key(Rng* rng) const;
  // 0 to 64 KiB, mostly small; begins with `tag` (if it fits), so that no two writes look alike.
  std::string Value(uint64_t tag, Rng* rng) const;
  // 0 to `ops_max` puts and deletes; keys can repeat.
  WriteOps Batch(uint64_t tag, size_t ops_max, Rng* rng) const;
  // One commit of a stream: mostly one op, sometimes a batch. Depends only on (seed, index).
  WriteOps CommitAt(uint64_t index) const;
  // A stream with ranges removes this one as commit `index`, one in 64, instead of CommitAt. The
  // ends can be in any order.
  std::optional<KeySpan> RangeAt(uint64_t index) const;

  KeyStyle style() const { return style_; }

 private:
  std::string KeyOf(KeyStyle style, Rng* rng) const;

  const uint64_t seed_;
  const KeyStyle style_;
};

}  // namespace lull::testing
