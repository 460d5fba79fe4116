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
#include <memory>
#include <string>
#include <vector>

#include "leveldb/db.h"
#include "leveldb/options.h"

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

// Runs scenario `id` in a child process. A child that dies, or that does not finish within two
// minutes, shows the weakness.
WeaknessVerdict RunWeaknessIsolated(const std::string& id);

// For the test WeaknessChild.DISABLED_Run, which the child runs: runs the scenario named in the
// environment and prints its verdict. False if none is named.
bool RunWeaknessChild();

// ---- for the scenarios, which are independent of each other and clean up ----

std::vector<Weakness> LogWeaknesses();   // weaknesses_log.cc: crashes, the log, the MANIFEST
std::vector<Weakness> DataWeaknesses();  // weaknesses_data.cc: tables, the lock, bad input

leveldb::Options UncompressedStore(leveldb::Env* env);
// nullptr if the store does not open. `status` can be null.
std::unique_ptr<leveldb::DB> OpenOrNull(const leveldb::Options& options, const std::string& name,
                                        leveldb::Status* status = nullptr);
// The paths of the files in a directory whose names end in `suffix`, in order.
std::vector<std::string> FilesEndingIn(leveldb::Env* env, const std::string& directory,
                                       const std::string& suffix);

}  // namespace lull::testing
