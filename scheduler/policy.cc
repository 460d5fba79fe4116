// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "scheduler/policy.h"

#include "scheduler/leveldb_policy.h"
#include "scheduler/lull_policy.h"

namespace lull {

const std::vector<std::string>& PolicyNames() {
  static const std::vector<std::string> names = {"lull", "leveldb"};
  return names;
}

L0Limits DefaultL0Limits(const std::string& policy) {
  if (policy == "leveldb") return {4, 8, 12};
  return {4, 128, 256};
}

uint64_t DefaultL0JobBytesMax(const std::string& policy) {
  // L0 stands at its stop until a job ends, so under a policy that lets L0 grow jobs are short.
  return policy == "leveldb" ? 0 : uint64_t{64} << 20;
}

std::unique_ptr<Policy> MakePolicy(const std::string& name, const PolicyOptions& options) {
  if (name == "leveldb") return std::make_unique<LevelDbPolicy>(options);
  if (name == "lull") return std::make_unique<LullPolicy>(options);
  return nullptr;
}

}  // namespace lull
