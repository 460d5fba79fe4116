// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "tests/scheduler/policy_script.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <sstream>
#include <utility>
#include <variant>

#include "tests/scheduler/script_text.h"

namespace lull::testing {
namespace {

constexpr uint64_t kTickUs = 10'000;
constexpr uint64_t kSliceUs = 1'000;

std::string GrantText(const char* name, const Grant& grant) {
  if (grant.jobs_max == 0) return std::string(name) + " paused";
  return std::string(name) + " " + std::to_string(grant.jobs_max) +
         (grant.cpu == CpuPriority::kIdle ? " idle" : " normal");
}

const char* CauseText(StallCause cause) {
  switch (cause) {
    case StallCause::kNone:
      return "no cause";
    case StallCause::kMemory:
      return "memory";
    case StallCause::kL0:
      return "L0";
    case StallCause::kDebt:
      return "debt";
  }
  return "?";
}

std::string RateText(uint64_t bytes_per_sec) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.2f MiB/s", static_cast<double>(bytes_per_sec) / (1 << 20));
  return text;
}

std::string AdmissionText(const Directive& directive) {
  std::string text;
  if (directive.delay_us_per_write > 0) {
    text += "each write " + std::to_string(directive.delay_us_per_write) + " us late";
  }
  if (directive.write_bytes_per_sec_max > 0) {
    text += std::string(text.empty() ? "" : ", ") + "writes at " +
            RateText(directive.write_bytes_per_sec_max);
  }
  if (text.empty() && directive.cause == StallCause::kNone) return "writes free";
  return text + " (" + CauseText(directive.cause) + ")";
}

std::string LimitsText(const Directive& directive) {
  const auto limit = [](int value) {
    return value == 1 << 20 ? std::string("any number of") : std::to_string(value);
  };
  return "limits: " + limit(directive.compactions_max) + " compactions, " +
         limit(directive.immutables_max) + " immutable memtables, " + limit(directive.l0_stop) +
         " L0 tables";
}

/// Sets a policy constant by its key in scripts; false if there is no such key.
bool SetConstant(const std::string& key, uint64_t value, PolicyOptions* options) {
  const std::pair<const char*, int*> counts[] = {
      {"threads", &options->compaction_threads},
      {"l0_trigger", &options->l0_trigger},
      {"l0_slowdown", &options->l0_slowdown},
      {"l0_stop", &options->l0_stop},
      {"lull_hard", &options->lull.hard_percent},
      {"silk_immutables", &options->silk.immutables_max},
      {"adoc_threads_step", &options->adoc.threads_step},
      {"adoc_factor_max", &options->adoc.batch_factor_max},
  };
  const std::pair<const char*, uint64_t*> sizes_and_times[] = {
      {"debt_max", &options->debt_bytes_max},
      {"pause_max", &options->pause_us_max},
      {"memtable", &options->memtable_bytes},
      {"table", &options->table_bytes},
      {"lull_after", &options->lull.after_us},
      {"lull_burst_max", &options->lull.burst_us_max},
      {"lull_l0_miss_bytes", &options->lull.l0_miss_bytes},
      {"lull_bandwidth", &options->lull.bandwidth_bytes_per_sec},
      {"idle_probe", &options->idle.probe_us},
      {"idle_threshold", &options->idle.threshold_bytes_per_sec},
      {"idle_quiet", &options->idle.quiet_us},
      {"silk_bandwidth", &options->silk.bandwidth_bytes_per_sec},
      {"silk_reserve", &options->silk.reserve_bytes_per_sec},
      {"silk_urgent_min", &options->silk.urgent_bytes_per_sec_min},
      {"silk_change_min", &options->silk.change_bytes_per_sec_min},
      {"silk_half_life", &options->silk.half_life_us},
      {"adoc_window", &options->adoc.window_us},
      {"adoc_batch_step", &options->adoc.batch_step_bytes},
      {"adoc_slowed", &options->adoc.slowed_bytes_per_sec},
  };
  for (const auto& [name, count] : counts) {
    if (key == name) return *count = static_cast<int>(value), true;
  }
  for (const auto& [name, number] : sizes_and_times) {
    if (key == name) return *number = value, true;
  }
  return false;
}

}  // namespace

std::string DirectiveText(const Directive& directive) {
  std::string text = GrantText("L0", directive.l0) + "; " + GrantText("deep", directive.deep);
  if (directive.rate.bytes_per_sec > 0) {
    text += "; background at " + RateText(directive.rate.bytes_per_sec) + ", urgent from " +
            RateText(directive.rate.urgent_bytes_per_sec_min);
  }
  if (directive.memtable_bytes > 0) text += "; memtables of " + SizeText(directive.memtable_bytes);
  if (directive.table_bytes > 0) text += "; tables of " + SizeText(directive.table_bytes);
  if (directive.absorb) text += "; absorb";
  if (directive.flush_bytes_min > 0) text += "; flush from " + SizeText(directive.flush_bytes_min);
  if (directive.flush_bytes_per_sec_max > 0)
    text += "; flush at " + RateText(directive.flush_bytes_per_sec_max);
  text += "; " + AdmissionText(directive);
  if (directive.offers_core) text += "; offers its core";
  if (directive.tick) text += "; tick";
  return text;
}

std::string PolicyScript::Run(const std::string& command) {
  std::istringstream stream(command);
  const Words words{std::istream_iterator<std::string>(stream), {}};
  if (words.empty()) return "error: empty command\n";
  if (words[0] == "policy") return StartPolicy(words);
  if (policy_ == nullptr) return "error: no policy yet\n";
  if (words[0] == "set") return SetPressure(words, 1);
  if (words[0] == "event") return FireEvent(words);
  if (words[0] == "sweep") return Sweep(words);
  if (words[0] == "state" && words.size() == 1) return StateText();
  uint64_t rate = 0;
  uint64_t length_us = 0;
  const bool trace = words.back() == "trace";
  const size_t operands = words.size() - 1 - (trace ? 1 : 0);
  if (words[0] == "quiet" && operands == 1 && ReadNumber(words[1], &length_us)) {
    return PassTime(0, length_us, trace);
  }
  if (words[0] == "write" && operands == 2 && ReadNumber(words[1], &rate) &&
      ReadNumber(words[2], &length_us)) {
    return PassTime(rate, length_us, trace);
  }
  return "error: cannot read \"" + command + "\"\n";
}

std::string PolicyScript::StartPolicy(const Words& words) {
  if (words.size() < 2) return "error: policy needs a name\n";
  PolicyOptions options;
  const L0Limits limits = DefaultL0Limits(words[1]);
  options.l0_trigger = limits.trigger;
  options.l0_slowdown = limits.slowdown;
  options.l0_stop = limits.stop;
  numbers_ = Numbers();
  numbers_.budget = 64 << 20;
  for (size_t i = 2; i < words.size(); ++i) {
    std::string key;
    uint64_t value = 0;
    if (!ReadPair(words[i], &key, &value)) return "error: cannot read \"" + words[i] + "\"\n";
    if (key == "budget") {
      numbers_.budget = value;
    } else if (!SetConstant(key, value, &options)) {
      return "error: no such key \"" + key + "\"\n";
    }
  }
  policy_ = MakePolicy(words[1], options);
  if (policy_ == nullptr) return "error: no such policy\n";
  // Not at zero: a new store has been silent for an unknown time.
  now_us_ = 1'000'000;
  memtable_bytes_ = options.memtable_bytes;
  client_bytes_ = read_bytes_ = misses_ = background_bytes_ = l0_slices_ = deep_slices_ = 0;
  last_write_us_ = now_us_;
  directive_ = policy_->OnEvent(EventKind::kOpened, CurrentPressure(), now_us_);
  return LimitsText(directive_) + "\n" + DirectiveText(directive_) + "\n";
}

uint64_t* PolicyScript::PressureNumber(const std::string& key) {
  const std::pair<const char*, uint64_t*> keys[] = {
      {"used", &numbers_.used},
      {"budget", &numbers_.budget},
      {"immutables", &numbers_.immutables},
      {"immutable_bytes", &numbers_.immutable_bytes},
      {"flush_rate", &numbers_.flush_rate},
      {"l0", &numbers_.l0},
      {"l0_bytes", &numbers_.l0_bytes},
      {"l1_bytes", &numbers_.l1_bytes},
      {"debt", &numbers_.debt},
      {"l0_due", &numbers_.l0_due},
      {"deep_due", &numbers_.deep_due},
      {"drain", &numbers_.drain},
      {"active", &numbers_.active},
      {"l0_running", &numbers_.l0_running},
      {"deep_running", &numbers_.deep_running},
      {"deep_paused", &numbers_.deep_paused},
      {"reads", &numbers_.reads},
      {"misses", &numbers_.misses},
      {"background", &numbers_.background},
      {"starved", &numbers_.starved},
  };
  for (const auto& [name, number] : keys) {
    if (key == name) return number;
  }
  return nullptr;
}

std::string PolicyScript::SetPressure(const Words& words, size_t first) {
  for (size_t i = first; i < words.size(); ++i) {
    std::string key;
    uint64_t value = 0;
    if (!ReadPair(words[i], &key, &value)) return "error: cannot read \"" + words[i] + "\"\n";
    uint64_t* number = PressureNumber(key);
    if (number == nullptr) return "error: no such key \"" + key + "\"\n";
    *number = value;
  }
  return "";
}

Pressure PolicyScript::CurrentPressure() const {
  Pressure pressure;
  pressure.memory_used_bytes = numbers_.used;
  pressure.memory_budget_bytes = numbers_.budget;
  pressure.immutable_bytes = numbers_.immutable_bytes;
  pressure.immutables = static_cast<int>(numbers_.immutables);
  pressure.flush_bytes_per_sec = numbers_.flush_rate;
  pressure.l0_tables = static_cast<int>(numbers_.l0);
  pressure.l0_bytes = numbers_.l0_bytes;
  pressure.l1_bytes = numbers_.l1_bytes;
  pressure.debt_bytes = numbers_.debt;
  pressure.l0_due = numbers_.l0_due != 0;
  pressure.deep_due = numbers_.deep_due != 0;
  pressure.l0_running = static_cast<int>(numbers_.l0_running);
  pressure.deep_running = static_cast<int>(numbers_.deep_running);
  pressure.deep_paused = static_cast<int>(numbers_.deep_paused);
  pressure.background_bytes_total = background_bytes_;
  pressure.l0_slices_total = l0_slices_;
  pressure.deep_slices_total = deep_slices_;
  pressure.active_bytes = numbers_.active;
  pressure.memtable_bytes = memtable_bytes_;
  pressure.client_bytes_total = client_bytes_;
  pressure.client_read_bytes_total = read_bytes_;
  pressure.l0_misses_total = misses_;
  pressure.idle_us = now_us_ - last_write_us_;
  pressure.drain_requested = numbers_.drain != 0;
  return pressure;
}

std::string PolicyScript::FireEvent(const Words& words) {
  const std::pair<const char*, EventKind> kinds[] = {{"tick", EventKind::kTick},
                                                     {"sealed", EventKind::kSealed},
                                                     {"flushed", EventKind::kFlushed},
                                                     {"job-done", EventKind::kJobDone},
                                                     {"job-failed", EventKind::kJobFailed}};
  if (words.size() < 2) return "error: event needs a kind\n";
  const auto* kind = std::find_if(std::begin(kinds), std::end(kinds),
                                  [&](const auto& known) { return words[1] == known.first; });
  if (kind == std::end(kinds)) return "error: no such event\n";
  const std::string error = SetPressure(words, 2);
  if (!error.empty()) return error;
  directive_ = policy_->OnEvent(kind->second, CurrentPressure(), now_us_);
  return DirectiveText(directive_) + "\n";
}

std::string PolicyScript::PassTime(uint64_t bytes_per_sec, uint64_t length_us, bool trace) {
  std::string text;
  std::string last;
  const uint64_t begin_us = now_us_;
  while (now_us_ < begin_us + length_us) {
    const uint64_t step_us = std::min(kTickUs, begin_us + length_us - now_us_);
    now_us_ += step_us;
    client_bytes_ += bytes_per_sec * step_us / 1'000'000;
    read_bytes_ += numbers_.reads * step_us / 1'000'000;
    misses_ += numbers_.misses * step_us / 1'000'000;
    background_bytes_ += numbers_.background * step_us / 1'000'000;
    const uint64_t slices = numbers_.starved > 0 ? 0 : step_us / kSliceUs;
    if (numbers_.l0_due > 0 && directive_.l0.jobs_max > 0) l0_slices_ += slices;
    if (numbers_.deep_due > 0 && directive_.deep.jobs_max > 0) deep_slices_ += slices;
    if (bytes_per_sec > 0) last_write_us_ = now_us_;
    directive_ = policy_->OnEvent(EventKind::kTick, CurrentPressure(), now_us_);
    const std::string now = DirectiveText(directive_);
    if (trace && now != last) text += "+" + TimeText(now_us_ - begin_us) + ": " + now + "\n";
    last = now;
  }
  return trace ? text : last + "\n";
}

std::string PolicyScript::StateText() const {
  // Prints only as many digits of measured numbers as are the same on every machine.
  const auto number_text = [](const std::string& name, uint64_t number) {
    if (name.find("_bytes_per_sec") != name.npos) return RateText(number);
    if (!name.ends_with("_bytes")) return std::to_string(number);
    return RateText(number).substr(0, RateText(number).find("/s"));
  };
  std::string text;
  for (const PolicyFigure& figure : policy_->State()) {
    text += std::string(figure.name) + ": ";
    if (const auto* number = std::get_if<uint64_t>(&figure.value)) {
      text += number_text(figure.name, *number);
    } else if (const auto* is_so = std::get_if<bool>(&figure.value)) {
      text += *is_so ? "yes" : "no";
    } else {
      text += std::get<const char*>(figure.value);
    }
    text += "\n";
  }
  return text;
}

std::string PolicyScript::Sweep(const Words& words) {
  uint64_t from = 0;
  uint64_t to = 0;
  uint64_t step = 0;
  uint64_t* number = words.size() == 5 ? PressureNumber(words[1]) : nullptr;
  if (number == nullptr || !ReadNumber(words[2], &from) || !ReadNumber(words[3], &to) ||
      !ReadNumber(words[4], &step) || step == 0) {
    return "error: sweep KEY FROM TO STEP\n";
  }
  std::string text;
  const uint64_t before = *number;
  for (*number = from; *number <= to; *number += step) {
    const Directive directive = policy_->OnEvent(EventKind::kTick, CurrentPressure(), now_us_);
    text += words[1] + " " + SizeText(*number) + ": " + AdmissionText(directive) + "\n";
  }
  *number = before;
  return text;
}

}  // namespace lull::testing
