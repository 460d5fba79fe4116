// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "scheduler/policy.h"

#include <algorithm>
#include <utility>

#include "scheduler/policies/adoc_policy.h"
#include "scheduler/policies/idle_policy.h"
#include "scheduler/policies/leveldb_policy.h"
#include "scheduler/policies/lull_policy.h"
#include "scheduler/policies/silk_policy.h"

namespace lull {

namespace {

template <class Policy, auto... kFirst>
std::unique_ptr<lull::Policy> Make(const PolicyOptions& options) {
  return std::make_unique<Policy>(kFirst..., options);
}

/// The user's limit on background writes (background_bytes_per_sec), under any policy. Forwards
/// events to the policy and lowers the rate in its directive. Compactions get what flushes leave of
/// the limit, L0 first. The limit also holds where a policy would lift its own: for work paused too
/// long, for L0 at its stop, and while a client waits for background work. Two things exceed every
/// rate (dispatcher.h): manual compactions, and a job that got no slice for ten seconds, until the
/// next round.
class LimitedPolicy final : public Policy {
 public:
  LimitedPolicy(std::unique_ptr<Policy> policy, uint64_t bytes_per_sec)
      : policy_(std::move(policy)), bytes_per_sec_(bytes_per_sec) {}

  Directive OnEvent(EventKind event, const Pressure& pressure, uint64_t now_us) override {
    Directive directive = policy_->OnEvent(event, pressure, now_us);
    RateBudget& rate = directive.rate;
    if (rate.bytes_per_sec == 0) {
      rate = {bytes_per_sec_, bytes_per_sec_};
    } else {
      rate.bytes_per_sec = std::min(rate.bytes_per_sec, bytes_per_sec_);
      rate.urgent_bytes_per_sec_min = std::min(rate.urgent_bytes_per_sec_min, bytes_per_sec_);
    }
    rate.is_users = true;
    return directive;
  }
  PolicyState State() const override { return policy_->State(); }

 private:
  const std::unique_ptr<Policy> policy_;
  const uint64_t bytes_per_sec_;
};

template <auto... kConstants>
void Copy([[maybe_unused]] const PolicyOptions& from, [[maybe_unused]] PolicyOptions* to) {
  ((to->*kConstants = from.*kConstants), ...);
}

/// A policy and its defaults.
struct KnownPolicy {
  const char* name;
  std::unique_ptr<Policy> (*make)(const PolicyOptions&);
  void (*copy_constants)(const PolicyOptions& from, PolicyOptions* to);
  L0Limits l0;
  // If L0 can grow long, a job takes only a part of it: tables leave L0 when their job ends.
  uint64_t l0_job_bytes_max;
  uint64_t debt_memtables_max;  // 0: independent of memtable size
};

constexpr uint64_t kDebtBytesMax = uint64_t{4} << 30;
constexpr uint64_t kL0JobBytesMax = uint64_t{256} << 20;

// "adoc" has RocksDB's limits of L0 and debt, the latter in memtables of 64 MiB. SILK sets its
// limits to "very large values", and the idle policies have none: these are our bounds.
constexpr KnownPolicy kPolicies[] = {
    {"lull", Make<LullPolicy>, Copy<&PolicyOptions::lull>, {4, 128, 256}, kL0JobBytesMax, 0},
    {"leveldb", Make<LevelDbPolicy>, Copy<>, {4, 8, 12}, 0, 0},
    {"idle-threshold",
     Make<IdlePolicy, IdlePolicy::Rule::kThreshold>,
     Copy<&PolicyOptions::idle>,
     {4, 128, 256},
     kL0JobBytesMax,
     0},
    {"idle-quiet",
     Make<IdlePolicy, IdlePolicy::Rule::kQuiet>,
     Copy<&PolicyOptions::idle>,
     {4, 128, 256},
     kL0JobBytesMax,
     0},
    {"silk", Make<SilkPolicy>, Copy<&PolicyOptions::silk>, {4, 256, 256}, kL0JobBytesMax, 0},
    {"adoc", Make<AdocPolicy>, Copy<&PolicyOptions::adoc>, {4, 20, 36}, 0, 1024},
};

const KnownPolicy* Find(const std::string& name) {
  for (const KnownPolicy& policy : kPolicies) {
    if (name == policy.name) return &policy;
  }
  return nullptr;
}

/// Unknown names get the defaults of the first policy; the caller rejects them elsewhere.
const KnownPolicy& FindOrDefault(const std::string& name) {
  const KnownPolicy* const found = Find(name);
  return found != nullptr ? *found : kPolicies[0];
}

}  // namespace

const std::vector<std::string>& PolicyNames() {
  static const auto& names = *[] {
    auto* const all = new std::vector<std::string>;
    for (const KnownPolicy& policy : kPolicies) all->emplace_back(policy.name);
    return all;
  }();
  return names;
}

L0Limits DefaultL0Limits(const std::string& policy) { return FindOrDefault(policy).l0; }

/// L1 can exceed its target by the size of an L0 job, and each such byte is a debt of several.
uint64_t L0JobBytesMax(const std::string& policy, uint64_t debt_bytes_max) {
  constexpr uint64_t kL0JobBytesMin = uint64_t{16} << 20;
  return std::min(FindOrDefault(policy).l0_job_bytes_max,
                  std::max(debt_bytes_max / 8, kL0JobBytesMin));
}

uint64_t DefaultDebtBytesMax(const std::string& policy, uint64_t memtable_bytes) {
  const uint64_t memtables = FindOrDefault(policy).debt_memtables_max;
  return memtables > 0 ? memtables * memtable_bytes : kDebtBytesMax;
}

PolicyOptions OptionsOf(const std::string& policy, const PolicyOptions& options) {
  PolicyOptions used = options;
  used.lull = {};
  used.idle = {};
  used.silk = {};
  used.adoc = {};
  FindOrDefault(policy).copy_constants(options, &used);
  return used;
}

std::string PolicyOptionsCause(const PolicyOptions& options) {
  const auto no_zero = [](auto... numbers) { return ((numbers > 0) && ...); };
  if (!no_zero(options.compaction_threads)) return "compaction_threads is less than 1";
  if (!no_zero(options.l0_trigger)) return "l0_trigger is less than 1";
  if (options.l0_trigger > options.l0_slowdown || options.l0_slowdown > options.l0_stop) {
    return "the L0 limits are out of order: use l0_trigger <= l0_slowdown <= l0_stop";
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
    return "a maximum of immutable memtables is zero";
  }
  if (!no_zero(options.adoc.threads_step, options.adoc.batch_factor_max)) {
    return "a step or factor of adoc is less than 1";
  }
  return "";
}

std::unique_ptr<Policy> MakePolicy(const std::string& name, const PolicyOptions& options) {
  const KnownPolicy* const known = Find(name);
  if (known == nullptr || !PolicyOptionsCause(options).empty()) return nullptr;
  std::unique_ptr<Policy> policy = known->make(options);
  if (options.background_bytes_per_sec == 0) return policy;
  return std::make_unique<LimitedPolicy>(std::move(policy), options.background_bytes_per_sec);
}

}  // namespace lull
