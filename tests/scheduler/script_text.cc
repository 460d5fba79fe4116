// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "tests/scheduler/script_text.h"

#include <algorithm>

namespace lull::testing {
namespace {

struct Unit {
  const char* suffix;
  uint64_t factor;
};
// A suffix precedes the suffixes that it ends in.
constexpr Unit kUnits[] = {{"us", 1},      {"ms", 1000},   {"s", 1'000'000}, {"K", 1 << 10},
                           {"M", 1 << 20}, {"G", 1 << 30}, {"", 1}};

}  // namespace

bool ReadNumber(const std::string& text, uint64_t* value) {
  const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits == 0 || digits > 15) return false;
  for (const Unit& unit : kUnits) {
    if (text.substr(digits) != unit.suffix) continue;
    *value = std::stoull(text.substr(0, digits)) * unit.factor;
    return true;
  }
  return false;
}

bool ReadPair(const std::string& word, std::string* key, uint64_t* value) {
  const size_t equals = word.find('=');
  if (equals == word.npos) return false;
  *key = word.substr(0, equals);
  return ReadNumber(word.substr(equals + 1), value);
}

std::string SizeText(uint64_t bytes) {
  for (const Unit& unit : {kUnits[5], kUnits[4], kUnits[3]}) {
    if (bytes >= unit.factor && bytes % unit.factor == 0) {
      return std::to_string(bytes / unit.factor) + unit.suffix;
    }
  }
  return std::to_string(bytes);
}

std::string TimeText(uint64_t us) {
  return us % 1000 == 0 ? std::to_string(us / 1000) + "ms" : std::to_string(us) + "us";
}

}  // namespace lull::testing
