// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "benchmarks/loadgen/operation_mix.h"

#include <algorithm>
#include <numeric>

#include "benchmarks/loadgen/text.h"

namespace lull::loadgen {

OperationMix::OperationMix(const std::array<double, kOperationNames.size()>& weights)
    : shares_(weights), law_(weights.begin(), weights.end()) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& share : shares_) share /= sum;
}

std::string OperationMix::Parse(std::string_view text, OperationMix* mix) {
  std::array<double, kOperationNames.size()> weights{};
  for (const std::string_view part : Split(text, ',')) {
    const size_t equals = part.find('=');
    const std::string_view name = part.substr(0, equals);
    const auto found = std::find(kOperationNames.begin(), kOperationNames.end(), name);
    if (found == kOperationNames.end()) {
      return "there is no operation '" + std::string(name) + "'" +
             DidYouMean(name, kOperationNames);
    }
    const auto weight = equals == std::string_view::npos ? std::optional(1.0)
                                                         : ParseAmount(part.substr(equals + 1));
    if (!weight) return "'" + std::string(part) + "' is not of the form NAME=SHARE";
    weights[static_cast<size_t>(found - kOperationNames.begin())] = *weight;
  }
  if (std::accumulate(weights.begin(), weights.end(), 0.0) <= 0) {
    return "a mix needs an operation with a share above 0";
  }
  *mix = OperationMix(weights);
  return "";
}

bool OperationMix::writes() const { return Share(Operation::kGet) + Share(Operation::kScan) < 1; }

}  // namespace lull::loadgen
