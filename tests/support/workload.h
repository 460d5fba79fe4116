// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The source of the tests' keys, values and batches: pure functions of a seed. A Workload is
// immutable, so any thread can use it with its own Rng.
#pragma once

#include <cstdint>
#include <cstdio>
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
  explicit Workload(uint64_t seed)
      : seed_(seed), style_(static_cast<KeyStyle>(SubSeed(seed, 1) % kKeyStyleCount)) {}

  std::string Key(Rng* rng) const { return KeyOf(style_, rng); }
  // 0 to 64 KiB, mostly small; begins with `tag` (if it fits), so that no two writes look alike.
  std::string Value(uint64_t tag, Rng* rng) const {
    const uint64_t kind = rng->Below(1000);
    size_t size = 0;
    if (kind < 50) {
      size = 0;
    } else if (kind < 860) {
      size = rng->Below(100);
    } else if (kind < 960) {
      size = rng->Below(1000);
    } else if (kind < 996) {
      size = rng->Below(8 << 10);
    } else {
      size = rng->Below((64 << 10) + 1);
    }
    std::string value = "#" + std::to_string(tag) + ":";
    value.reserve(size + 8);
    const bool compressible = rng->OneIn(2);
    const uint64_t repeated = rng->Next();
    while (value.size() < size) {
      const uint64_t word = compressible ? repeated : rng->Next();
      for (int bit = 0; bit < 64; bit += 8) value.push_back(static_cast<char>(word >> bit));
    }
    value.resize(size);
    return value;
  }
  // 0 to `ops_max` puts and deletes; keys can repeat.
  WriteOps Batch(uint64_t tag, size_t ops_max, Rng* rng) const {
    WriteOps ops(rng->Below(ops_max + 1));
    for (WriteOp& op : ops) {
      op.key = Key(rng);
      if (!rng->OneIn(4)) op.value = Value(tag, rng);
    }
    return ops;
  }
  // One commit of a stream: mostly one op, sometimes a batch. Depends only on (seed, index).
  WriteOps CommitAt(uint64_t index) const {
    Rng rng(SubSeed(seed_, 1'000'000 + index));
    if (rng.OneIn(20)) return Batch(index, 12, &rng);
    WriteOps ops(1);
    ops[0].key = Key(&rng);
    if (!rng.OneIn(5)) ops[0].value = Value(index, &rng);
    return ops;
  }
  // A stream with ranges removes this one as commit `index`, one in 64, instead of CommitAt. The
  // ends can be in any order.
  std::optional<KeySpan> RangeAt(uint64_t index) const {
    Rng rng(SubSeed(seed_, 2'000'000'000 + index));
    if (!rng.OneIn(64)) return std::nullopt;
    return KeySpan{Key(&rng), Key(&rng)};
  }

 private:
  std::string KeyOf(KeyStyle style, Rng* rng) const {
    switch (style) {
      case KeyStyle::kSmallAlphabet: {
        static constexpr char kLetters[] = {'\0', 'a', 'b', '\xff'};
        std::string key(rng->Below(6), '\0');
        for (char& c : key) c = kLetters[rng->Below(4)];
        return key;
      }
      case KeyStyle::kCommonPrefix: {
        std::string key(100 + SubSeed(seed_, 2) % 200, 'p');
        return key + std::to_string(rng->Below(1500));
      }
      case KeyStyle::kNumbers: {
        char text[24];
        std::snprintf(text, sizeof(text), "key%06u", static_cast<unsigned>(rng->Below(4000)));
        return text;
      }
      case KeyStyle::kBinary: {
        Rng own(SubSeed(seed_, 1000 + rng->Below(2000)));
        std::string key(own.Below(21), '\0');
        for (char& c : key) c = static_cast<char>(own.Next());
        return key;
      }
      case KeyStyle::kMixed:
        break;
    }
    return KeyOf(static_cast<KeyStyle>(rng->Below(4)), rng);
  }

  const uint64_t seed_;
  const KeyStyle style_;
};

}  // namespace lull::testing
