// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/base/scheduling_options.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "db/base/option_table.h"
#include "leveldb/slice.h"
#include "util/logging.h"

namespace lull {
namespace {

using leveldb::Status;

constexpr int kDefaultThreadsMax = 4;

/// One more than cores: a compaction also waits for the device.
int DefaultThreads(int cores) { return std::min(std::max(cores, 1) + 1, kDefaultThreadsMax); }

Status Refused(std::string_view pair, const std::string& cause) {
  return Status::InvalidArgument(
      "scheduling option \"" + EscapeBytes({pair.data(), pair.size()}) + "\"", cause);
}

std::string PairText(const OptionRow& row, const OptionValues& values) {
  return std::string(row.name) + "=" + OptionText(row, values);
}

Status RefusedValue(std::string_view name, const OptionValues& values, const std::string& cause) {
  return Refused(PairText(*FindOption(name), values), cause);
}

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

L0Limits ResolvedL0Limits(const OptionValues& values) {
  L0Limits limits = DefaultL0Limits(values.policy);
  // In vsst one table can be a whole job. Waiting for four would write a quarter less, but chains
  // would be three times as wide.
  if (values.layout == "vsst") limits.trigger = 1;
  if (values.l0_trigger != 0) limits.trigger = values.l0_trigger;
  if (values.l0_slowdown != 0) limits.slowdown = values.l0_slowdown;
  if (values.l0_stop != 0) limits.stop = values.l0_stop;
  return limits;
}

/// Refuses limits that are out of order, and names one that the user chose.
Status CheckL0Order(const OptionValues& values) {
  struct Limit {
    std::string_view name;
    int chosen, resolved;
  };
  const L0Limits limits = ResolvedL0Limits(values);
  const Limit ordered[] = {{"l0_trigger", values.l0_trigger, limits.trigger},
                           {"l0_slowdown", values.l0_slowdown, limits.slowdown},
                           {"l0_stop", values.l0_stop, limits.stop}};
  for (size_t i = 0; i + 1 < std::size(ordered); ++i) {
    const Limit& low = ordered[i];
    const Limit& high = ordered[i + 1];
    if (low.resolved <= high.resolved) continue;
    const bool blame_low = low.chosen != 0;
    const Limit& blamed = blame_low ? low : high;
    const Limit& other = blame_low ? high : low;
    std::string cause = (blame_low ? "more than " : "less than ") + std::string(other.name) +
                        ", which is " + std::to_string(other.resolved);
    if (other.chosen == 0) cause += " by the policy's own choice";
    return RefusedValue(blamed.name, values, cause);
  }
  return Status::OK();
}

/// Refuses a bandwidth that would leave nothing for deep compactions.
Status CheckSilk(const OptionValues& values) {
  const SilkConstants& silk = values.silk;
  const uint64_t taken = silk.reserve_bytes_per_sec + silk.urgent_bytes_per_sec_min;
  if (silk.bandwidth_bytes_per_sec == 0 || silk.bandwidth_bytes_per_sec > taken) {
    return Status::OK();
  }
  const std::string_view name = "silk_bandwidth_bytes_per_sec";
  return RefusedValue(name, values,
                      "not more than silk_reserve_bytes_per_sec and silk_urgent_bytes_per_sec_min "
                      "together, which are " +
                          OptionNumberText(*FindOption(name), taken) +
                          ": nothing would be left for deep compactions");
}

Status ReadPair(std::string_view pair, OptionValues* values) {
  const size_t equals = pair.find('=');
  const std::string_view name = Trimmed(pair.substr(0, equals));
  const OptionRow* const row = FindOption(name);
  if (row == nullptr) {
    return Refused(
        pair, "no such name; the nearest is \"" + std::string(NearestOption(name).name) + "\"");
  }
  if (equals == pair.npos) return Refused(pair, "no value: write name=value");
  const std::string cause = SetOption(*row, Trimmed(pair.substr(equals + 1)), values);
  return cause.empty() ? Status::OK() : Refused(pair, cause);
}

/// Reads the pairs into `values`, which an error leaves partly changed.
Status ReadPairs(std::string_view text, OptionValues* values) {
  while (!text.empty()) {
    const size_t end = std::min(text.find(';'), text.size());
    const std::string_view pair = Trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (pair.empty()) continue;
    Status status = ReadPair(pair, values);
    if (!status.ok()) return status;
  }
  return ValidateOptions(*values);
}

}  // namespace

Status ParseOptions(const std::string& text, OptionValues* values) {
  OptionValues parsed = *values;
  Status status = ReadPairs(text, &parsed);
  if (status.ok()) *values = std::move(parsed);
  return status;
}

Status ParseLive(const std::string& text, OptionValues* values) {
  OptionValues parsed = *values;
  Status status = ReadPairs(text, &parsed);
  if (!status.ok()) return status;
  for (const OptionRow& row : OptionTable()) {
    const std::string pair = PairText(row, parsed);
    if (!row.is_live() && pair != PairText(row, *values)) {
      return Refused(pair, std::string(row.fixed_because));
    }
  }
  *values = std::move(parsed);
  return Status::OK();
}

Status ValidateOptions(const OptionValues& values) {
  for (const OptionRow& row : OptionTable()) {
    const std::string cause = OptionCause(row, values);
    if (!cause.empty()) return Refused(PairText(row, values), cause);
  }
  const Status status = CheckL0Order(values);
  return status.ok() ? CheckSilk(values) : status;
}

std::string ToOptionString(const OptionValues& values) {
  std::string text;
  for (const OptionRow& row : OptionTable()) {
    if (!text.empty()) text += ';';
    text += PairText(row, values);
  }
  return text;
}

PolicyOptions ResolvePolicyOptions(const OptionValues& values, uint64_t memtable_bytes,
                                   uint64_t table_bytes, int cores) {
  const L0Limits limits = ResolvedL0Limits(values);
  PolicyOptions resolved;
  resolved.compaction_threads =
      values.compaction_threads != 0 ? values.compaction_threads : DefaultThreads(cores);
  resolved.l0_trigger = limits.trigger;
  resolved.l0_slowdown = limits.slowdown;
  resolved.l0_stop = limits.stop;
  resolved.debt_bytes_max = values.debt_bytes_max != 0
                                ? values.debt_bytes_max
                                : DefaultDebtBytesMax(values.policy, memtable_bytes);
  resolved.pause_us_max = values.pause_us_max;
  resolved.background_bytes_per_sec = values.background_bytes_per_sec;
  resolved.memtable_bytes = memtable_bytes;
  resolved.table_bytes = table_bytes;
  resolved.l0_job_bytes_max = L0JobBytesMax(values.policy, resolved.debt_bytes_max);
  resolved.lull = values.lull;
  resolved.idle = values.idle;
  resolved.silk = values.silk;
  resolved.adoc = values.adoc;
  return resolved;
}

}  // namespace lull
