// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The kinds of requests of a load, and their shares. An object belongs to one thread.
#pragma once

#include <array>
#include <cstddef>
#include <random>
#include <string>
#include <string_view>

#include "benchmarks/loadgen/rng.h"

namespace lull::loadgen {

enum class Operation { kPut, kGet, kScan, kDelete, kReadModifyWrite, kInsert };
inline constexpr std::array<std::string_view, 6> kOperationNames = {"put",    "get", "scan",
                                                                    "delete", "rmw", "insert"};

class OperationMix {
 public:
  OperationMix() : OperationMix({1, 0, 0, 0, 0, 0}) {}  // puts only

  // "put=57,get=41,scan=2": relative shares; a lone name gets everything. An insert writes a new
  // key. Returns an error, empty if `text` is valid.
  static std::string Parse(std::string_view text, OperationMix* mix);

  Operation Draw(bench::Rng& rng) { return static_cast<Operation>(law_(rng)); }
  double Share(Operation operation) const { return shares_[static_cast<size_t>(operation)]; }
  bool writes() const;

 private:
  explicit OperationMix(const std::array<double, kOperationNames.size()>& weights);

  std::array<double, kOperationNames.size()> shares_{};  // sum to 1
  std::discrete_distribution<int> law_;
};

}  // namespace lull::loadgen
