// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Replaces the file of this name in Bitcoin Core, which needs most of its sources, with what the
// tests of dbwrapper use of it: a data directory of their own, and random numbers.

#pragma once

#include <random.h>
#include <util/fs.h>

#include <cstdlib>
#include <string>

struct BasicTestingSetup {
  struct Arguments {
    fs::path GetDataDirBase() const { return directory; }

    static inline int number = 0;
    const fs::path directory{fs::PathFromString(std::string(std::getenv("DBWRAPPER_FOLDER")) + "/" +
                                                std::to_string(number++))};
  };

  BasicTestingSetup() { fs::create_directories(m_args.directory); }

  const Arguments m_args;
  FastRandomContext m_rng{/*fDeterministic=*/true};
};
