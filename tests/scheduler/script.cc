// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "tests/scheduler/script.h"

#include <algorithm>
#include <type_traits>

namespace lull::testing {
namespace {

struct Unit {
  const char* suffix;
  uint64_t factor;
};
constexpr Unit kUnits[] = {{"us", 1},      {"ms", 1000},   {"s", 1'000'000}, {"K", 1 << 10},
                           {"M", 1 << 20}, {"G", 1 << 30}, {"", 1}};

}  // namespace

void Key::Set(uint64_t value) const {
  std::visit([&](auto* to) { *to = static_cast<std::remove_pointer_t<decltype(to)>>(value); },
             field);
}

bool SetKeys(const Words& words, size_t first, std::span<const Key> keys) {
  for (size_t i = first; i < words.size(); ++i) {
    const size_t equals = words[i].find('=');
    const auto key = std::find_if(keys.begin(), keys.end(), [&](const Key& known) {
      return known.name == words[i].substr(0, equals);
    });
    uint64_t value = 0;
    if (key == keys.end() || equals == std::string::npos ||
        !ReadNumber(words[i].substr(equals + 1), &value)) {
      return false;
    }
    key->Set(value);
  }
  return true;
}

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
