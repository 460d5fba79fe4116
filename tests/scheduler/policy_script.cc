// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Runs commands of a text file on one policy, so that a reviewer reads the policy's behaviour
// instead of test code. A command is one line; its output is the transcript:
//
//   policy NAME [KEY=VALUE...]    starts over with a new policy, for a store just opened; prints
//                                 its limits and its directive. Keys: budget (memory), threads,
//                                 l0_trigger, l0_slowdown, l0_stop, debt_max, pause_max, and
//                                 constants of single policies by their names in OptionValues,
//                                 without units (see OptionKeys)
//   set KEY=VALUE...              changes the pressure; prints nothing. Keys: used, budget,
//                                 immutables, immutable_bytes, flush_rate, l0, l0_bytes, l1_bytes,
//                                 debt, l0_due, deep_due, drain, low (space), stopped (a write),
//                                 writing, active, l0_running, deep_running, deep_paused. For the
//                                 commands that let time pass: reads and background (bytes a
//                                 second), misses (tables a second), and starved=1: due and granted
//                                 work gets no slice
//   event KIND [KEY=VALUE...]     as set, then the event at the current time; prints the directive
//   write RATE TIME [trace]       clients write at RATE bytes a second, with a tick every 10 ms;
//                                 prints the last directive, or with "trace" every changed one
//   quiet TIME [trace]            as write, with no writes
//   state [NAME...]               prints the state that the policy reports, or these figures
//   sweep KEY FROM TO STEP        prints how writes are admitted at each value of a pressure
#include <algorithm>
#include <cstdio>
#include <iterator>
#include <variant>

#include "tests/scheduler/script.h"

namespace lull::testing {
namespace {

constexpr uint64_t kTickUs = 10'000;

std::string GrantText(const char* name, const Grant& grant) {
  if (grant.jobs_max == 0) return std::string(name) + " paused";
  return std::string(name) + " " + std::to_string(grant.jobs_max) +
         (grant.cpu == CpuPriority::kIdle ? " idle" : " normal");
}

constexpr const char* kCauses[] = {"no cause", "memory", "L0", "debt"};  // by StallCause

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
  return text + " (" + kCauses[static_cast<size_t>(directive.cause)] + ")";
}

std::string LimitsText(const Directive& directive) {
  const auto limit = [](int value) {
    return value == 1 << 20 ? std::string("any number of") : std::to_string(value);
  };
  return "limits: " + limit(directive.compactions_max) + " compactions, " +
         limit(directive.immutables_max) + " immutable memtables, " + limit(directive.l0_stop) +
         " L0 tables";
}

std::vector<Key> OptionKeys(PolicyOptions* options) {
  return {{"threads", &options->compaction_threads},
          {"l0_trigger", &options->l0_trigger},
          {"l0_slowdown", &options->l0_slowdown},
          {"l0_stop", &options->l0_stop},
          {"debt_max", &options->debt_bytes_max},
          {"pause_max", &options->pause_us_max},
          {"lull_after", &options->lull.after_us},
          {"lull_bandwidth", &options->lull.bandwidth_bytes_per_sec},
          {"lull_l0_miss_bytes", &options->lull.l0_miss_bytes},
          {"idle_probe", &options->idle.probe_us},
          {"idle_threshold", &options->idle.threshold_bytes_per_sec},
          {"idle_quiet", &options->idle.quiet_us},
          {"silk_bandwidth", &options->silk.bandwidth_bytes_per_sec},
          {"silk_reserve", &options->silk.reserve_bytes_per_sec},
          {"silk_urgent_min", &options->silk.urgent_bytes_per_sec_min},
          {"silk_change_min", &options->silk.change_bytes_per_sec_min},
          {"silk_half_life", &options->silk.half_life_us},
          {"adoc_window", &options->adoc.window_us},
          {"adoc_threads_step", &options->adoc.threads_step},
          {"adoc_batch_step", &options->adoc.batch_step_bytes},
          {"adoc_factor_max", &options->adoc.batch_factor_max}};
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

namespace {

class PolicyScript final : public Script {
 public:
  std::optional<std::string> Run(const Words& words) override {
    if (words[0] == "policy") return StartPolicy(words);
    if (policy_ == nullptr) return std::nullopt;
    if (words[0] == "set" && SetKeys(words, 1, PressureKeys())) return "";
    if (words[0] == "event") return FireEvent(words);
    if (words[0] == "sweep") return Sweep(words);
    if (words[0] == "state") return StateText(words);
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
    return std::nullopt;
  }

 private:
  std::optional<std::string> StartPolicy(const Words& words) {
    if (words.size() < 2) return std::nullopt;
    *this = PolicyScript();
    PolicyOptions options;
    const L0Limits limits = DefaultL0Limits(words[1]);
    options.l0_trigger = limits.trigger;
    options.l0_slowdown = limits.slowdown;
    options.l0_stop = limits.stop;
    pressure_.memory_budget_bytes = 64 << 20;
    pressure_.memtable_bytes = options.memtable_bytes;
    std::vector<Key> keys = OptionKeys(&options);
    keys.push_back({"budget", &pressure_.memory_budget_bytes});
    if (!SetKeys(words, 2, keys)) return std::nullopt;
    policy_ = MakePolicy(words[1], options);
    if (policy_ == nullptr) return std::nullopt;
    // Not at zero: a new store has been silent for an unknown time.
    now_us_ = last_write_us_ = 1'000'000;
    const std::string text = Fire(EventKind::kOpened);
    return LimitsText(directive_) + "\n" + text + "\n";
  }

  std::vector<Key> PressureKeys() {
    return {{"used", &pressure_.memory_used_bytes},
            {"budget", &pressure_.memory_budget_bytes},
            {"immutables", &pressure_.immutables},
            {"immutable_bytes", &pressure_.immutable_bytes},
            {"flush_rate", &pressure_.flush_bytes_per_sec},
            {"l0", &pressure_.l0_tables},
            {"l0_bytes", &pressure_.l0_bytes},
            {"l1_bytes", &pressure_.l1_bytes},
            {"debt", &pressure_.debt_bytes},
            {"l0_due", &pressure_.l0_due},
            {"deep_due", &pressure_.deep_due},
            {"drain", &pressure_.drain_requested},
            {"low", &pressure_.space_is_low},
            {"stopped", &pressure_.write_waits},
            {"writing", &pressure_.write_under_way},
            {"active", &pressure_.active_bytes},
            {"l0_running", &pressure_.l0_running},
            {"deep_running", &pressure_.deep_running},
            {"deep_paused", &pressure_.deep_paused},
            {"reads", &reads_per_sec_},
            {"misses", &misses_per_sec_},
            {"background", &background_per_sec_},
            {"starved", &starved_}};
  }

  /// Sends the event; returns the text of the directive.
  std::string Fire(EventKind kind) {
    pressure_.idle_us = now_us_ - last_write_us_;
    directive_ = policy_->OnEvent(kind, pressure_, now_us_);
    return DirectiveText(directive_);
  }

  std::optional<std::string> FireEvent(const Words& words) {
    if (words.size() < 2) return std::nullopt;
    const auto* kind = std::find(std::begin(kEventNames), std::end(kEventNames), words[1]);
    if (kind == std::end(kEventNames) || !SetKeys(words, 2, PressureKeys())) return std::nullopt;
    return Fire(static_cast<EventKind>(kind - std::begin(kEventNames))) + "\n";
  }

  std::string PassTime(uint64_t bytes_per_sec, uint64_t length_us, bool trace) {
    std::string text;
    std::string last;
    const uint64_t begin_us = now_us_;
    while (now_us_ < begin_us + length_us) {
      const uint64_t step_us = std::min(kTickUs, begin_us + length_us - now_us_);
      now_us_ += step_us;
      const auto grown = [&](uint64_t per_sec) { return per_sec * step_us / 1'000'000; };
      pressure_.client_bytes_total += grown(bytes_per_sec);
      pressure_.client_read_bytes_total += grown(reads_per_sec_);
      pressure_.l0_misses_total += grown(misses_per_sec_);
      pressure_.background_bytes_total += grown(background_per_sec_);
      const uint64_t slices = starved_ ? 0 : step_us / kSliceUs;
      if (pressure_.l0_due && directive_.l0.jobs_max > 0) pressure_.l0_slices_total += slices;
      if (pressure_.deep_due && directive_.deep.jobs_max > 0) pressure_.deep_slices_total += slices;
      if (bytes_per_sec > 0 || pressure_.write_under_way) last_write_us_ = now_us_;
      const std::string now = Fire(EventKind::kTick);
      if (trace && now != last) text += "+" + TimeText(now_us_ - begin_us) + ": " + now + "\n";
      last = now;
    }
    return trace ? text : last + "\n";
  }

  std::string StateText(const Words& words) const {
    // Prints only as many digits of measured numbers as are the same on every machine.
    const auto number_text = [](const std::string& name, uint64_t number) {
      if (name.find("_bytes_per_sec") != name.npos) return RateText(number);
      if (!name.ends_with("_bytes")) return std::to_string(number);
      return RateText(number).substr(0, RateText(number).find("/s"));
    };
    std::string text;
    for (const PolicyFigure& figure : policy_->State()) {
      const bool asked = std::find(words.begin(), words.end(), figure.name) != words.end();
      if (words.size() > 1 && !asked) continue;
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

  std::optional<std::string> Sweep(const Words& words) {
    uint64_t from = 0;
    uint64_t to = 0;
    uint64_t step = 0;
    if (words.size() != 5 || !ReadNumber(words[2], &from) || !ReadNumber(words[3], &to) ||
        !ReadNumber(words[4], &step) || step == 0) {
      return std::nullopt;
    }
    std::string text;
    const Pressure before = pressure_;
    for (uint64_t value = from; value <= to; value += step) {
      if (!SetKeys({words[1] + "=" + std::to_string(value)}, 0, PressureKeys()))
        return std::nullopt;
      Fire(EventKind::kTick);
      text += words[1] + " " + SizeText(value) + ": " + AdmissionText(directive_) + "\n";
    }
    pressure_ = before;
    return text;
  }

  std::unique_ptr<Policy> policy_;
  Directive directive_;  // the last one of the policy
  Pressure pressure_;
  uint64_t now_us_ = 0;
  uint64_t last_write_us_ = 0;
  uint64_t reads_per_sec_ = 0;
  uint64_t misses_per_sec_ = 0;
  uint64_t background_per_sec_ = 0;
  bool starved_ = false;
};

}  // namespace

std::unique_ptr<Script> NewPolicyScript() { return std::make_unique<PolicyScript>(); }

}  // namespace lull::testing
