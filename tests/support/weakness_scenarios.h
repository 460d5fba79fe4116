// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The scenarios of weaknesses.h. Each is independent of the others and cleans up.
#pragma once

#include <string>

#include "tests/support/weaknesses.h"

namespace lull::testing {

// weaknesses_log.cc: crashes, the log, the MANIFEST.
WeaknessVerdict W1RenameAfterUnlink();
WeaknessVerdict W2UnsyncedLogName();
WeaknessVerdict W3HoleBetweenLogs();
WeaknessVerdict W4WriteAfterFailedAppend();
WeaknessVerdict W5ReadErrorAtOpen();
WeaknessVerdict W6HoleAfterBadRecord();
WeaknessVerdict W7ReuseTornLog();
WeaknessVerdict W10MissingCurrent();
WeaknessVerdict W11LyingRename();

// weaknesses_data.cc: tables, the lock, bad input.
WeaknessVerdict W12SplitUserKey();
WeaknessVerdict W13LostLock();
WeaknessVerdict W15CorruptionRewritten();
WeaknessVerdict W15DamagedFilter();
WeaknessVerdict W16TableSizes();
WeaknessVerdict W17ManifestKeys();
WeaknessVerdict W19TruncatedTable();

// The second process of W13: prints whether the store in `directory` could be opened.
inline constexpr char kLockProbe[] = "lock-probe";
void ProbeLock(const std::string& directory);

}  // namespace lull::testing
