// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/api/scheduling_options.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "db/compaction/layout_options.h"
#include "leveldb/slice.h"
#include "util/logging.h"

namespace lull {
namespace {

using leveldb::Status;

using Member = std::variant<std::string SchedulingOptions::*, bool SchedulingOptions::*,
                            int SchedulingOptions::*, uint64_t SchedulingOptions::*>;

enum class Unit { kNone, kBytes };

/// One field of SchedulingOptions. The bounds are for numbers.
struct Field {
  std::string_view name;
  Member member;
  uint64_t min = 0;
  uint64_t max = 0;
  Unit unit = Unit::kNone;
  std::string_view fixed_because = {};  // why it cannot change while a store is open; empty: it can
};

constexpr int kDefaultThreadsMax = 4;

// Far beyond any machine, and small enough that no sum or product of a policy overflows.
constexpr uint64_t kThreadsMax = 256;
constexpr uint64_t kTablesMax = 1 << 20;
constexpr uint64_t kBytesMax = uint64_t{1} << 50;
constexpr uint64_t kGrowthMax = 1000;             // beyond it, L2 holds all there is
constexpr uint64_t kMemTableBytesMin = 64 << 10;  // both as Options::write_buffer_size
constexpr uint64_t kMemTableBytesMax = 1 << 30;
constexpr uint64_t kTableBytesMin = 4 << 10;  // a block
constexpr uint64_t kTableBytesMax = 1 << 30;  // as Options::max_file_size
constexpr uint64_t kHourUs = 3'600'000'000;

// What is measured over less than this says more of the moment than of the load.
constexpr uint64_t kPeriodUsMin = 1'000;

constexpr std::string_view kThreadsRun =
    "cannot change while a store is open: the threads were started with it";
constexpr std::string_view kBudgetShared =
    "cannot change while a store is open: all stores that share threads share the budget";
constexpr std::string_view kMemTablesSized =
    "cannot change while a store is open: its memtables and logs were sized with it";
constexpr std::string_view kCoordinatorChosen =
    "cannot change while a store is open: its threads were chosen when it was opened";
constexpr std::string_view kLaidOut =
    "cannot change while a store is open: open it anew with another layout";

constexpr std::string_view kHistogramsMade =
    "cannot change while a store is open: histograms are made when it is opened";

using SO = SchedulingOptions;

constexpr Field kFields[] = {
    {"policy", &SO::policy},
    {"compaction_threads", &SO::compaction_threads, 0, kThreadsMax, Unit::kNone, kThreadsRun},
    {"memory_budget_bytes", &SO::memory_budget_bytes, 1, kBytesMax, Unit::kBytes, kBudgetShared},
    {"memtable_bytes", &SO::memtable_bytes, 0, kMemTableBytesMax, Unit::kBytes, kMemTablesSized},
    {"l0_trigger", &SO::l0_trigger, 0, kTablesMax},
    {"l0_slowdown", &SO::l0_slowdown, 0, kTablesMax},
    {"l0_stop", &SO::l0_stop, 0, kTablesMax},
    {"debt_bytes_max", &SO::debt_bytes_max, 0, kBytesMax, Unit::kBytes},
    {"pause_us_max", &SO::pause_us_max, kPeriodUsMin, kHourUs},
    {"lull_after_us", &SO::lull_after_us, 0, kHourUs},
    {"lull_smoothing_us", &SO::lull_smoothing_us, kPeriodUsMin, kHourUs},
    {"lull_half_life_us", &SO::lull_half_life_us, kPeriodUsMin, kHourUs},
    {"lull_hard_percent", &SO::lull_hard_percent, 0, 100},
    {"lull_hard_flush_percent", &SO::lull_hard_flush_percent, 0, 100},
    {"lull_flush_bytes_min", &SO::lull_flush_bytes_min, 0, kBytesMax, Unit::kBytes},
    {"lull_burst_us_max", &SO::lull_burst_us_max, 0, kHourUs},
    {"lull_write_bytes_per_sec_min", &SO::lull_write_bytes_per_sec_min, 1, kBytesMax, Unit::kBytes},
    {"lull_l0_miss_bytes", &SO::lull_l0_miss_bytes, 0, kTableBytesMax, Unit::kBytes},
    {"lull_bandwidth_bytes_per_sec", &SO::lull_bandwidth_bytes_per_sec, 0, kBytesMax, Unit::kBytes},
    {"idle_probe_us", &SO::idle_probe_us, kPeriodUsMin, kHourUs},
    {"idle_threshold_bytes_per_sec", &SO::idle_threshold_bytes_per_sec, 1, kBytesMax, Unit::kBytes},
    {"idle_quiet_us", &SO::idle_quiet_us, 0, kHourUs},
    {"silk_bandwidth_bytes_per_sec", &SO::silk_bandwidth_bytes_per_sec, 0, kBytesMax, Unit::kBytes},
    {"silk_reserve_bytes_per_sec", &SO::silk_reserve_bytes_per_sec, 0, kBytesMax, Unit::kBytes},
    {"silk_urgent_bytes_per_sec_min", &SO::silk_urgent_bytes_per_sec_min, 1, kBytesMax,
     Unit::kBytes},
    {"silk_change_bytes_per_sec_min", &SO::silk_change_bytes_per_sec_min, 0, kBytesMax,
     Unit::kBytes},
    {"silk_tick_us", &SO::silk_tick_us, kPeriodUsMin, kHourUs},
    {"silk_half_life_us", &SO::silk_half_life_us, kPeriodUsMin, kHourUs},
    {"silk_immutables_max", &SO::silk_immutables_max, 1, kTablesMax},
    {"adoc_window_us", &SO::adoc_window_us, kPeriodUsMin, kHourUs},
    {"adoc_threads_step", &SO::adoc_threads_step, 1, kThreadsMax},
    {"adoc_batch_step_bytes", &SO::adoc_batch_step_bytes, 0, kBytesMax, Unit::kBytes},
    {"adoc_batch_factor_max", &SO::adoc_batch_factor_max, 1, 1024},
    {"adoc_slowed_bytes_per_sec", &SO::adoc_slowed_bytes_per_sec, 1, kBytesMax, Unit::kBytes},
    {"adoc_immutables_max", &SO::adoc_immutables_max, 1, kTablesMax},
    {"own_coordinator", &SO::own_coordinator, 0, 0, Unit::kNone, kCoordinatorChosen},
    {"latency_histograms", &SO::latency_histograms, 0, 0, Unit::kNone, kHistogramsMade},
    {"layout", &SO::layout, 0, 0, Unit::kNone, kLaidOut},
    {"growth_factor", &SO::growth_factor, 0, kGrowthMax, Unit::kNone, kLaidOut},
    {"vsst_phi", &SO::vsst_phi, 1, kGrowthMax, Unit::kNone, kLaidOut},
    {"table_bytes_max", &SO::table_bytes_max, 0, kTableBytesMax, Unit::kBytes, kLaidOut},
    {"pick_by_overlap", &SO::pick_by_overlap, 0, 0, Unit::kNone, kLaidOut},
    {"align_outputs", &SO::align_outputs, 0, 0, Unit::kNone, kLaidOut},
};

struct Suffix {
  char letter;
  int shift;
};
constexpr Suffix kSuffixes[] = {{'G', 30}, {'M', 20}, {'K', 10}};

Status Refused(std::string_view pair, const std::string& cause) {
  return Status::InvalidArgument(
      "scheduling option \"" + EscapeBytes({pair.data(), pair.size()}) + "\"", cause);
}

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

/// How many single letters must be put in, left out or replaced to turn one word into the other.
size_t EditDistance(std::string_view from, std::string_view to) {
  std::vector<size_t> costs(to.size() + 1);
  std::iota(costs.begin(), costs.end(), size_t{0});
  for (const char letter : from) {
    size_t diagonal = costs[0]++;
    for (size_t i = 0; i < to.size(); ++i) {
      const size_t replaced = diagonal + (letter == to[i] ? 0 : 1);
      diagonal = costs[i + 1];
      costs[i + 1] = std::min({replaced, costs[i] + 1, diagonal + 1});
    }
  }
  return costs.back();
}

const Field* FindField(std::string_view name) {
  const auto* found = std::find_if(std::begin(kFields), std::end(kFields),
                                   [&](const Field& field) { return field.name == name; });
  return found == std::end(kFields) ? nullptr : found;
}

std::string NearestName(std::string_view name) {
  const auto* nearest =
      std::min_element(std::begin(kFields), std::end(kFields), [&](const Field& a, const Field& b) {
        return EditDistance(name, a.name) < EditDistance(name, b.name);
      });
  return std::string(nearest->name);
}

std::string BytesText(uint64_t bytes) {
  for (const Suffix& suffix : kSuffixes) {
    const uint64_t unit = uint64_t{1} << suffix.shift;
    if (bytes > 0 && bytes % unit == 0) return std::to_string(bytes / unit) + suffix.letter;
  }
  return std::to_string(bytes);
}

std::string NumberText(const Field& field, uint64_t value) {
  return field.unit == Unit::kBytes ? BytesText(value) : std::to_string(value);
}

// The functions below that return a cause return "" when there is nothing to object to.

std::string BoundsCause(const Field& field, uint64_t value) {
  if (value < field.min) return "too small: at least " + NumberText(field, field.min);
  if (value > field.max) return "too large: at most " + NumberText(field, field.max);
  return "";
}

/// Objects to a name that is not among those that the field knows.
std::string NameCause(const Field& field, const std::string& name) {
  const std::vector<std::string>& names = field.name == "layout" ? LayoutNames() : PolicyNames();
  if (std::find(names.begin(), names.end(), name) != names.end()) return "";
  std::string known;
  for (const std::string& each : names) known += (known.empty() ? "" : ", ") + each;
  return "no such " + std::string(field.name) + "; there are: " + known;
}

/// Reads a number that may end in a suffix where the field is a size.
std::string ReadNumber(const Field& field, std::string_view text, uint64_t* value) {
  const bool is_size = field.unit == Unit::kBytes;
  int shift = 0;
  std::string_view digits = text;
  if (is_size && !text.empty()) {
    const char last = text.back() >= 'a' ? static_cast<char>(text.back() - 'a' + 'A') : text.back();
    for (const Suffix& suffix : kSuffixes) {
      if (suffix.letter != last) continue;
      shift = suffix.shift;
      digits.remove_suffix(1);
    }
  }
  if (digits.empty() || digits.find_first_not_of("0123456789") != digits.npos) {
    return is_size ? "not a size: a number of bytes, or one that ends in K, M or G"
                   : "not a whole number";
  }
  leveldb::Slice rest(digits.data(), digits.size());
  const uint64_t largest = std::numeric_limits<uint64_t>::max() >> shift;
  if (!ConsumeDecimal(&rest, value) || *value > largest) return BoundsCause(field, UINT64_MAX);
  *value <<= shift;
  return BoundsCause(field, *value);
}

/// Sets one field from text.
struct Reader {
  const Field& field;
  std::string_view text;
  SchedulingOptions* options;

  std::string operator()(std::string SchedulingOptions::*member) const {
    options->*member = std::string(text);
    return NameCause(field, options->*member);
  }
  std::string operator()(bool SchedulingOptions::*member) const {
    const bool yes = text == "true" || text == "1";
    if (!yes && text != "false" && text != "0") return "neither true nor false";
    options->*member = yes;
    return "";
  }
  template <class Number>
  std::string operator()(Number SchedulingOptions::*member) const {
    uint64_t value = 0;
    std::string cause = ReadNumber(field, text, &value);
    if (cause.empty()) options->*member = static_cast<Number>(value);
    return cause;
  }
};

/// Objects to a field's present value.
struct Checker {
  const Field& field;
  const SchedulingOptions& options;

  std::string operator()(std::string SchedulingOptions::*member) const {
    return NameCause(field, options.*member);
  }
  std::string operator()(bool SchedulingOptions::*) const { return ""; }
  std::string operator()(int SchedulingOptions::*member) const {
    const int value = options.*member;
    return value < 0 ? "less than 0" : BoundsCause(field, static_cast<uint64_t>(value));
  }
  std::string operator()(uint64_t SchedulingOptions::*member) const {
    return BoundsCause(field, options.*member);
  }
};

/// A field's present value as text.
struct Writer {
  const Field& field;
  const SchedulingOptions& options;

  std::string operator()(std::string SchedulingOptions::*member) const { return options.*member; }
  std::string operator()(bool SchedulingOptions::*member) const {
    return options.*member ? "true" : "false";
  }
  std::string operator()(int SchedulingOptions::*member) const {
    return std::to_string(options.*member);
  }
  std::string operator()(uint64_t SchedulingOptions::*member) const {
    return NumberText(field, options.*member);
  }
};

std::string PairText(const Field& field, const SchedulingOptions& options) {
  return std::string(field.name) + "=" + std::visit(Writer{field, options}, field.member);
}

L0Limits ResolvedL0Limits(const SchedulingOptions& options) {
  L0Limits limits = DefaultL0Limits(options.policy);
  // In vsst one table is a whole job: nothing is gained by waiting for more.
  if (options.layout == "vsst") limits.trigger = 1;
  if (options.l0_trigger != 0) limits.trigger = options.l0_trigger;
  if (options.l0_slowdown != 0) limits.slowdown = options.l0_slowdown;
  if (options.l0_stop != 0) limits.stop = options.l0_stop;
  return limits;
}

/// Objects to limits out of order, naming one that the user chose.
Status CheckL0Order(const SchedulingOptions& options) {
  struct Limit {
    std::string_view name;
    int chosen, resolved;
  };
  const L0Limits limits = ResolvedL0Limits(options);
  const Limit ordered[] = {{"l0_trigger", options.l0_trigger, limits.trigger},
                           {"l0_slowdown", options.l0_slowdown, limits.slowdown},
                           {"l0_stop", options.l0_stop, limits.stop}};
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
    return Refused(PairText(*FindField(blamed.name), options), cause);
  }
  return Status::OK();
}

/// Objects to a bandwidth of which nothing would ever be left for deep compactions.
Status CheckSilk(const SchedulingOptions& options) {
  const uint64_t taken = options.silk_reserve_bytes_per_sec + options.silk_urgent_bytes_per_sec_min;
  if (options.silk_bandwidth_bytes_per_sec == 0 || options.silk_bandwidth_bytes_per_sec > taken) {
    return Status::OK();
  }
  return Refused(PairText(*FindField("silk_bandwidth_bytes_per_sec"), options),
                 "not more than silk_reserve_bytes_per_sec and silk_urgent_bytes_per_sec_min "
                 "together, which are " +
                     BytesText(taken) + ": nothing would be left for deep compactions");
}

/// Objects to memtables and tables that could hold next to nothing; 0 leaves the choice to others.
Status CheckSizes(const SchedulingOptions& options) {
  if (options.memtable_bytes != 0 && options.memtable_bytes < kMemTableBytesMin) {
    return Refused(PairText(*FindField("memtable_bytes"), options),
                   "too small: at least " + BytesText(kMemTableBytesMin) + ", or 0");
  }
  if (options.table_bytes_max != 0 && options.table_bytes_max < kTableBytesMin) {
    return Refused(PairText(*FindField("table_bytes_max"), options),
                   "less than a block: at least " + BytesText(kTableBytesMin) + ", or 0");
  }
  return Status::OK();
}

Status ReadPair(std::string_view pair, SchedulingOptions* options) {
  const size_t equals = pair.find('=');
  const std::string_view name = Trimmed(pair.substr(0, equals));
  const Field* field = FindField(name);
  if (field == nullptr) {
    return Refused(pair, "no such name; the nearest is \"" + NearestName(name) + "\"");
  }
  if (equals == pair.npos) return Refused(pair, "no value: write name=value");
  const std::string_view value = Trimmed(pair.substr(equals + 1));
  const std::string cause = std::visit(Reader{*field, value, options}, field->member);
  return cause.empty() ? Status::OK() : Refused(pair, cause);
}

/// Reads "name=value;name=value" over `options`, which may be left half changed by an error.
Status ReadPairs(std::string_view text, SchedulingOptions* options) {
  while (!text.empty()) {
    const size_t end = std::min(text.find(';'), text.size());
    const std::string_view pair = Trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (pair.empty()) continue;
    Status status = ReadPair(pair, options);
    if (!status.ok()) return status;
  }
  return ValidateSchedulingOptions(*options);
}

}  // namespace

Status ValidateSchedulingOptions(const SchedulingOptions& options) {
  for (const Field& field : kFields) {
    const std::string cause = std::visit(Checker{field, options}, field.member);
    if (!cause.empty()) return Refused(PairText(field, options), cause);
  }
  Status status = CheckL0Order(options);
  if (status.ok()) status = CheckSilk(options);
  return status.ok() ? CheckSizes(options) : status;
}

bool CanChangeLive(std::string_view name) {
  const Field* const field = FindField(name);
  return field != nullptr && field->fixed_because.empty();
}

Status ParseLive(const std::string& text, SchedulingOptions* options) {
  SchedulingOptions parsed = *options;
  Status status = ReadPairs(text, &parsed);
  if (!status.ok()) return status;
  for (const Field& field : kFields) {
    const std::string pair = PairText(field, parsed);
    if (!field.fixed_because.empty() && pair != PairText(field, *options)) {
      return Refused(pair, std::string(field.fixed_because));
    }
  }
  *options = std::move(parsed);
  return Status::OK();
}

PolicyOptions ResolvePolicyOptions(const SchedulingOptions& options, uint64_t memtable_bytes,
                                   uint64_t table_bytes, int cores) {
  const L0Limits limits = ResolvedL0Limits(options);
  PolicyOptions resolved;
  resolved.compaction_threads = options.compaction_threads != 0
                                    ? options.compaction_threads
                                    : std::clamp(cores, 1, kDefaultThreadsMax);
  resolved.cores = cores;
  resolved.l0_trigger = limits.trigger;
  resolved.l0_slowdown = limits.slowdown;
  resolved.l0_stop = limits.stop;
  resolved.debt_bytes_max = options.debt_bytes_max != 0
                                ? options.debt_bytes_max
                                : DefaultDebtBytesMax(options.policy, memtable_bytes);
  resolved.pause_us_max = options.pause_us_max;
  resolved.memtable_bytes = memtable_bytes;
  resolved.table_bytes = table_bytes;
  resolved.l0_job_bytes_max = DefaultL0JobBytesMax(options.policy);
  resolved.lull = {.after_us = options.lull_after_us,
                   .smoothing_us = options.lull_smoothing_us,
                   .half_life_us = options.lull_half_life_us,
                   .hard_percent = options.lull_hard_percent,
                   .hard_flush_percent = options.lull_hard_flush_percent,
                   .flush_bytes_min = options.lull_flush_bytes_min,
                   .burst_us_max = options.lull_burst_us_max,
                   .write_bytes_per_sec_min = options.lull_write_bytes_per_sec_min,
                   .l0_miss_bytes = options.lull_l0_miss_bytes,
                   .bandwidth_bytes_per_sec = options.lull_bandwidth_bytes_per_sec};
  resolved.idle = {.probe_us = options.idle_probe_us,
                   .threshold_bytes_per_sec = options.idle_threshold_bytes_per_sec,
                   .quiet_us = options.idle_quiet_us};
  resolved.silk = {.bandwidth_bytes_per_sec = options.silk_bandwidth_bytes_per_sec,
                   .reserve_bytes_per_sec = options.silk_reserve_bytes_per_sec,
                   .urgent_bytes_per_sec_min = options.silk_urgent_bytes_per_sec_min,
                   .change_bytes_per_sec_min = options.silk_change_bytes_per_sec_min,
                   .tick_us = options.silk_tick_us,
                   .half_life_us = options.silk_half_life_us,
                   .immutables_max = options.silk_immutables_max};
  resolved.adoc = {.window_us = options.adoc_window_us,
                   .threads_step = options.adoc_threads_step,
                   .batch_step_bytes = options.adoc_batch_step_bytes,
                   .batch_factor_max = options.adoc_batch_factor_max,
                   .slowed_bytes_per_sec = options.adoc_slowed_bytes_per_sec,
                   .immutables_max = options.adoc_immutables_max};
  return resolved;
}

Status SchedulingOptions::Parse(const std::string& text, SchedulingOptions* options) {
  SchedulingOptions parsed = *options;
  Status status = ReadPairs(text, &parsed);
  if (status.ok()) *options = std::move(parsed);
  return status;
}

std::string SchedulingOptions::ToString() const {
  std::string text;
  for (const Field& field : kFields) {
    if (!text.empty()) text += ';';
    text += PairText(field, *this);
  }
  return text;
}

}  // namespace lull
