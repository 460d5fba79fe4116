// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// simulate: runs policies in virtual time. See docs/research/simulator.md.
#include <gflags/gflags.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/simulation/calibration.h"
#include "benchmarks/simulation/profile.h"
#include "benchmarks/simulation/report.h"
#include "benchmarks/simulation/scenarios.h"
#include "benchmarks/simulation/validation.h"

DEFINE_bool(list, false, "list the scenarios");
DEFINE_string(policies, "", "comma-separated policies; empty: those of the scenario");
DEFINE_string(options, "", "further scheduling options of every policy, \"k=v;k=v\"");
DEFINE_double(seconds, 0, "length in virtual time; 0: that of the scenario");
DEFINE_uint64(seed, 1, "seed of arrivals and traces");
DEFINE_string(profile, "", "file with measured costs; empty: the built-in costs");
DEFINE_string(csv, "", "prefix of files with one row per second: PREFIX-scenario-policy.csv");
DEFINE_string(json, "", "append one JSON object per run to this file, one per line");
DEFINE_string(trace, "",
              "only write the rates of the scenario's load to this file, for db_bench "
              "--shape=trace:FILE");
DEFINE_bool(progress, true, "show progress on standard error");
DEFINE_string(calibrate, "", "measure this machine's costs and write them to this file");
DEFINE_bool(validate, false,
            "also run the scenarios on a real store, and show both results; without a scenario: "
            "all three that this machine can run");
DEFINE_string(folder, "build/simulate-db",
              "directory for the stores of --calibrate and --validate");

namespace lull::sim {
namespace {

int Complain(const std::string& fault) {
  std::fprintf(stderr, "simulate: %s\n", fault.c_str());
  return 1;
}

std::vector<std::string> Split(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    if (comma != 0) parts.emplace_back(text.substr(0, comma));
    text = comma == text.npos ? std::string_view() : text.substr(comma + 1);
  }
  return parts;
}

int ListScenarios() {
  for (const std::string& name : ScenarioNames()) {
    Scenario scenario;
    MakeScenario(name, Costs(), 1, 0, &scenario);
    std::printf("%-16s %s\n", name.c_str(), scenario.title.c_str());
  }
  return 0;
}

int WriteTrace(const std::string& name, const std::string& path) {
  Scenario scenario;
  const std::string fault = MakeScenario(name, Costs(), FLAGS_seed, FLAGS_seconds, &scenario);
  if (!fault.empty()) return Complain(fault + "; use --list");
  if (scenario.base.load.closed_loop) return Complain(name + " is a closed loop: it has no rates");
  std::FILE* const file = std::fopen(path.c_str(), "w");
  if (file == nullptr) return Complain("cannot write " + path);
  std::fprintf(file, "# Seconds and requests per second of %s, seed %llu.\n", name.c_str(),
               static_cast<unsigned long long>(FLAGS_seed));
  for (const Phase& phase : scenario.base.load.phases)
    std::fprintf(file, "%.2f,%.0f\n", phase.seconds, phase.requests_per_sec);
  const bool written = std::ferror(file) == 0;
  return std::fclose(file) == 0 && written ? 0 : Complain("cannot write " + path);
}

int Run(const std::string& name, const Costs& costs) {
  Scenario scenario;
  std::string fault = MakeScenario(name, costs, FLAGS_seed, FLAGS_seconds, &scenario);
  if (!fault.empty()) return Complain(fault + "; use --list");
  if (!FLAGS_policies.empty()) scenario.policies = Split(FLAGS_policies);
  scenario.scheduling += ";" + FLAGS_options;

  std::FILE* const json = FLAGS_json.empty() ? nullptr : std::fopen(FLAGS_json.c_str(), "a");
  if (!FLAGS_json.empty() && json == nullptr) return Complain("cannot write " + FLAGS_json);
  std::vector<Outcome> outcomes;
  for (const std::string& policy : scenario.policies) {
    SimulationOptions options;
    fault = MakeOptions(scenario, policy, &options);
    if (!fault.empty()) return Complain(policy + ": " + fault);
    std::FILE* csv = nullptr;
    if (!FLAGS_csv.empty()) {
      const std::string path = FLAGS_csv + "-" + name + "-" + policy + ".csv";
      csv = std::fopen(path.c_str(), "w");
      if (csv == nullptr) return Complain("cannot write " + path);
    }
    outcomes.push_back(RunPolicy(scenario, policy, options, csv, json, FLAGS_progress));
    if (csv != nullptr) std::fclose(csv);
  }
  if (json != nullptr) std::fclose(json);
  PrintTable(scenario, outcomes);
  return 0;
}

int Validate(const std::string& name, const Costs& costs) {
  Scenario scenario;
  std::string fault = MakeScenario(name, costs, FLAGS_seed, FLAGS_seconds, &scenario);
  if (!fault.empty()) return Complain(fault + "; use --list");
  if (!FLAGS_policies.empty()) scenario.policies = Split(FLAGS_policies);
  for (const std::string& policy : scenario.policies) {
    SimulationOptions options;
    fault = MakeOptions(scenario, policy, &options);
    if (!fault.empty()) return Complain(policy + ": " + fault);
    const Outcome outcome = RunPolicy(scenario, policy, options, nullptr, nullptr, false);
    Performance real;
    std::fprintf(stderr, "%s, %s: measuring for %.0f s\n", name.c_str(), policy.c_str(),
                 scenario.base.seconds);
    fault = MeasureReal(scenario, policy, FLAGS_folder, &real);
    if (!fault.empty()) return Complain(fault);
    PrintComparison(scenario, policy, real, PerformanceOf(options, outcome.result));
  }
  return 0;
}

// Bits of a set of modes. A call has one.
enum Mode : unsigned { kSimulate = 1, kList = 2, kCalibrate = 4, kValidate = 8, kTrace = 16 };

struct FlagUse {
  const char* flag;
  unsigned users;
};
constexpr FlagUse kUses[] = {
    {"policies", kSimulate | kValidate},
    {"options", kSimulate},
    {"seconds", kSimulate | kValidate | kTrace},
    {"seed", kSimulate | kValidate | kTrace},
    {"profile", kSimulate | kValidate},
    {"csv", kSimulate},
    {"json", kSimulate},
    {"folder", kCalibrate | kValidate},
};

// What is wrong with the flags together; empty if nothing. Scenarios: those that the call names.
std::string FaultOfFlags(int scenarios) {
  const struct {
    bool given;
    Mode mode;
    const char* text;
  } others[] = {{FLAGS_list, kList, "--list"},
                {!FLAGS_calibrate.empty(), kCalibrate, "--calibrate"},
                {FLAGS_validate, kValidate, "--validate"},
                {!FLAGS_trace.empty(), kTrace, "--trace"}};
  Mode mode = kSimulate;
  const char* text = "simulations";
  for (const auto& other : others) {
    if (!other.given) continue;
    if (mode != kSimulate)
      return "--list, --calibrate, --validate and --trace: give only one of them";
    mode = other.mode;
    text = other.text;
  }
  if (scenarios > 0 && (mode == kList || mode == kCalibrate))
    return std::string(text) + " takes no scenario";
  for (const FlagUse& use : kUses) {
    if ((use.users & mode) == 0 && !gflags::GetCommandLineFlagInfoOrDie(use.flag).is_default)
      return "--" + std::string(use.flag) + " has no effect on " + text;
  }
  return "";
}

int Main(int argc, char** argv) {
  if (const std::string fault = FaultOfFlags(argc - 1); !fault.empty()) return Complain(fault);
  if (FLAGS_list) return ListScenarios();
  Costs costs;
  if (!FLAGS_calibrate.empty()) {
    std::string fault = Calibrate(FLAGS_folder, &costs);
    if (fault.empty()) fault = SaveCosts(FLAGS_calibrate, costs);
    return fault.empty() ? 0 : Complain(fault);
  }
  if (!FLAGS_profile.empty()) {
    const std::string fault = LoadCosts(FLAGS_profile, &costs);
    if (!fault.empty()) return Complain(fault);
  }
  if (FLAGS_validate && argc < 2) {
    for (const char* name : {"bursts-1k", "bursts-synced", "openloop"}) {
      if (const int status = Validate(name, costs); status != 0) return status;
    }
    return 0;
  }
  if (argc < 2) return Complain("no scenario given; --list shows them");
  if (!FLAGS_trace.empty()) {
    return argc == 2 ? WriteTrace(argv[1], FLAGS_trace) : Complain("--trace takes one scenario");
  }
  for (int i = 1; i < argc; ++i) {
    const int status = FLAGS_validate ? Validate(argv[i], costs) : Run(argv[i], costs);
    if (status != 0) return status;
  }
  return 0;
}

}  // namespace
}  // namespace lull::sim

int main(int argc, char** argv) {
  gflags::SetUsageMessage(
      "runs scheduling policies in virtual time\n\n  simulate [flags] SCENARIO...\n  simulate "
      "--list");
  gflags::ParseCommandLineFlags(&argc, &argv, /*remove_flags=*/true);
  const int code = lull::sim::Main(argc, argv);
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  std::fprintf(stderr, "simulate: cannot write the output\n");
  return code == 0 ? 1 : code;
}
