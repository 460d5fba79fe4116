// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Known weaknesses of LevelDB 1.23, each as a scenario against the public API. The same code runs
// against stock, where a scenario must show its weakness (or the scenario is worthless), and
// against Lull, where it must not. docs/research/stock-weaknesses.md describes each one.
//
// A scenario can crash or hang its process, so tests run it in a child process:
// RunWeaknessIsolated() starts the same program again with the scenario's name in the environment.
// The program must contain a test that calls RunWeaknessChild().
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace lull::testing {

struct WeaknessVerdict {
  bool weakness_shown = false;
  std::string detail;
};

struct Weakness {
  const char* id;
  const char* title;
  WeaknessVerdict (*run)();
};

// For the names that GoogleTest shows.
void PrintTo(const Weakness& weakness, std::ostream* out);

const std::vector<Weakness>& AllWeaknesses();

// Runs scenario `id` in a child process. A child that dies, or that does not finish within
// `seconds_max`, shows the weakness.
WeaknessVerdict RunWeaknessIsolated(const std::string& id, int seconds_max = 120);

// For the test WeaknessChild.DISABLED_Run, which the child runs: runs the scenario named in the
// environment and prints its verdict. False if none is named.
bool RunWeaknessChild();

// Starts this program as RunWeaknessIsolated does, for scenarios that need a second process. Passes
// `extra` to the child; see WeaknessExtra.
struct ChildResult {
  bool finished = false;  // it exited by itself, with 0
  std::string how;        // how it ended
  std::string output;
};
ChildResult RunChild(const std::string& id, const std::string& extra, int seconds_max);
std::string WeaknessExtra();

}  // namespace lull::testing
