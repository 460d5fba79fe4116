// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "benchmarks/workloads/load_plan.h"

#include <algorithm>

#include "benchmarks/loadgen/text.h"

namespace lull::bench {
namespace {

std::string Named(const char* flag, const std::string& fault) {
  return fault.empty() ? "" : std::string(flag) + ": " + fault;
}

std::string ReadGroup(const Config& config, std::string_view mix, std::string_view shape, double x,
                      loadgen::ClientGroup* group) {
  group->threads = config.threads;
  group->batch_size = config.batch_size;
  const std::string values =
      config.values.empty() ? std::to_string(config.value_size) : config.values;
  std::string fault = Named("--mix", loadgen::OperationMix::Parse(mix, &group->mix));
  if (fault.empty()) {
    fault = Named("--shape",
                  loadgen::LoadShape::Parse(shape, x, config.duration, config.seed, &group->shape));
  }
  if (fault.empty()) fault = Named("--keys", loadgen::ParseKeys(config.keys, &group->keys));
  if (fault.empty()) {
    fault = Named("--values", loadgen::SizeDistribution::Parse(values, &group->values));
  }
  if (fault.empty()) {
    fault = Named("--scans", loadgen::SizeDistribution::Parse(config.scans, &group->scans));
  }
  if (fault.empty() && group->values.max() > (1 << 30)) fault = "--values: at most 1 GiB each";
  return fault;
}

}  // namespace

bool LoadPlan::NeedsSustainableRate(const Config& config) {
  return loadgen::LoadShape::NeedsSustainableRate(config.shape);
}

std::string LoadPlan::Make(const Config& config, double x, std::shared_ptr<LoadPlan>* plan) {
  const std::vector<std::string_view> mixes = loadgen::Split(config.mix, '|');
  const std::vector<std::string_view> shapes = loadgen::Split(config.shape, '|');
  if (mixes.empty() || mixes.size() != shapes.size()) {
    return "--mix and --shape must name the same number of groups, separated by '|'";
  }
  auto made = std::make_shared<LoadPlan>(static_cast<uint64_t>(config.num));
  for (size_t i = 0; i < mixes.size(); ++i) {
    loadgen::ClientGroup group;
    const std::string fault = ReadGroup(config, mixes[i], shapes[i], x, &group);
    if (!fault.empty()) return fault;
    made->groups.push_back(std::move(group));
  }
  if (!config.arrivals.empty()) {
    if (mixes.size() > 1) return "--arrivals is for one group of clients";
    const std::string fault =
        loadgen::TraceArrivals::ReadFile(config.arrivals, &made->arrival_times);
    if (!fault.empty()) return Named("--arrivals", fault);
  }
  *plan = std::move(made);
  return "";
}

int LoadPlan::clients() const {
  int sum = 0;
  for (const loadgen::ClientGroup& group : groups) sum += group.threads;
  return sum;
}

const loadgen::ClientGroup& LoadPlan::GroupOf(int client, int* index_in_group) const {
  auto group = groups.begin();
  for (; client >= group->threads; ++group) client -= group->threads;
  *index_in_group = client;
  return *group;
}

uint64_t LoadPlan::value_bytes_max() const {
  uint64_t most = 0;
  for (const loadgen::ClientGroup& group : groups) most = std::max(most, group.values.max());
  return most;
}

bool LoadPlan::closed_loop() const {
  return arrival_times.empty() &&
         std::all_of(groups.begin(), groups.end(), [](const loadgen::ClientGroup& group) {
           return group.shape.segments().size() == 1 && group.shape.has_closed_loop();
         });
}

double LoadPlan::OfferedRate(double from_seconds, double to_seconds) const {
  if (!arrival_times.empty()) {
    const auto first = std::lower_bound(arrival_times.begin(), arrival_times.end(), from_seconds);
    const auto last = std::lower_bound(arrival_times.begin(), arrival_times.end(), to_seconds);
    return static_cast<double>(last - first) / (to_seconds - from_seconds);
  }
  double sum = 0;
  for (const loadgen::ClientGroup& group : groups) {
    sum += group.shape.MeanRate(from_seconds, to_seconds);
  }
  return sum;
}

}  // namespace lull::bench
