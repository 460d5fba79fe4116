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

uint64_t DefaultDebtBytesMax(const std::string&, uint64_t) { return uint64_t{4} << 30; }

uint64_t DefaultL0JobBytesMax(const std::string& policy) {
  // L0 stands at its stop until a job ends, so under a policy that lets L0 grow jobs are short.
  return policy == "leveldb" ? 0 : uint64_t{64} << 20;
}

std::string PolicyOptionsCause(const PolicyOptions& options) {
  const auto no_zero = [](auto... numbers) { return ((numbers > 0) && ...); };
  if (!no_zero(options.compaction_threads)) return "no thread may compact";
  if (!no_zero(options.l0_trigger)) return "the trigger of L0 is no number of tables";
  if (options.l0_trigger > options.l0_slowdown || options.l0_slowdown > options.l0_stop) {
    return "the limits of L0 are out of order: writers would wait for what is not due";
  }
  if (!no_zero(options.debt_bytes_max, options.memtable_bytes, options.table_bytes)) {
    return "a size is zero";
  }
  if (!no_zero(options.pause_us_max, options.lull.smoothing_us, options.lull.half_life_us,
               options.idle.probe_us, options.silk.tick_us, options.silk.half_life_us,
               options.adoc.window_us)) {
    return "a period is zero";
  }
  if (!no_zero(options.lull.write_bytes_per_sec_min, options.idle.threshold_bytes_per_sec,
               options.silk.urgent_bytes_per_sec_min, options.adoc.slowed_bytes_per_sec)) {
    return "a rate is zero";
  }
  if (!no_zero(options.silk.immutables_max, options.adoc.immutables_max)) {
    return "no memtable may be sealed";
  }
  if (!no_zero(options.adoc.threads_step, options.adoc.batch_factor_max)) {
    return "a knob cannot be turned";
  }
  return "";
}

std::unique_ptr<Policy> MakePolicy(const std::string& name, const PolicyOptions& options) {
  if (!PolicyOptionsCause(options).empty()) return nullptr;
  if (name == "leveldb") return std::make_unique<LevelDbPolicy>(options);
  if (name == "lull") return std::make_unique<LullPolicy>(options);
  return nullptr;
}

}  // namespace lull
