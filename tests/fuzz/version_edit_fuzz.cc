// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Records of a MANIFEST, and the Versions that result from them.
//
// Input: edits, each after its length (2 bytes). Checks: an accepted edit encodes and decodes to
// the same; a built Version is in order and answers queries; edits applied one by one give the same
// Version as all at once.
#include <string>
#include <vector>

#include "db/base/filename.h"
#include "db/version/version.h"
#include "db/version/version_edit.h"
#include "tests/db/support/version_text.h"
#include "tests/fuzz/fuzz.h"

namespace lull::fuzz {
namespace {

std::vector<VersionEdit> DecodeEdits(Input input) {
  std::vector<VersionEdit> edits;
  while (!input.empty()) {
    const Exact record(input.Take(input.Short()));
    VersionEdit edit;
    const leveldb::Status status = edit.DecodeFrom(record.slice());
    Require(status.ok() || status.IsCorruption() || status.IsNotSupportedError(),
            "a bad record is corruption, or of another database");
    if (!status.ok()) break;
    std::string encoded;
    edit.EncodeTo(&encoded);
    VersionEdit again;
    RequireOk(again.DecodeFrom(encoded), "an edit that was read can be written and read");
    Require(again == edit, "an edit survives being written");
    Require(!edit.DebugString().empty(), "an edit can be shown");
    edits.push_back(std::move(edit));
  }
  return edits;
}

void AskAbout(const Version& version, const TableMeta& table) {
  for (int level = 0; level < kLevels; ++level) {
    const auto& tables = version.level(level);
    if (level > 0) {
      Require(version.FindTable(level, table.smallest) <= tables.size(), "a search stays inside");
    }
    const UserRange range{UserKeyOf(table.smallest).ToString(),
                          UserKeyOf(table.largest).ToString()};
    Require(version.Overlapping(level, range).size() <= tables.size(), "a level has its tables");
  }
}

void CheckVersion(const Version& version) {
  const KeyOrder order = testing::InternalOrder();
  for (int level = 0; level < kLevels; ++level) {
    uint64_t bytes = 0;
    const TableFile* before = nullptr;
    for (const TableRef& table : version.level(level)) {
      Require(order.Compare(table->smallest(), table->largest()) <= 0, "a table has a range");
      Require(table->number() <= kFileNumberMax, "a number is a possible one");
      if (before != nullptr && level == 0)
        Require(before->number() > table->number(), "L0 is ordered by number");
      if (before != nullptr && level > 0)
        Require(order.Compare(before->largest(), table->smallest()) < 0, "a level is disjoint");
      bytes += table->file_bytes();
      before = table.get();
    }
    Require(bytes == version.LevelBytes(level), "a level's bytes are those of its tables");
  }
  version.DebtBytes({1, 10, 100, 1000, 10'000, 100'000, UINT64_MAX}, 4);
}

}  // namespace

void RunOne(Input input) {
  const std::vector<VersionEdit> edits = DecodeEdits(input);
  const VersionRef empty = testing::EmptyVersion();
  VersionBuilder together(empty, DescribedTable);
  bool all_applied = true;
  VersionRef step = empty;
  for (const VersionEdit& edit : edits) {
    all_applied = all_applied && together.Apply(edit).ok();
    if (step == nullptr) continue;
    VersionBuilder builder(step, DescribedTable);
    VersionRef next;
    const bool built = builder.Apply(edit).ok() && builder.Build(&next).ok();
    step = built ? next : nullptr;
    if (!built) continue;
    CheckVersion(*step);
    for (const TableMeta& table : edit.new_tables) AskAbout(*step, table);
  }
  VersionRef whole;
  const bool built = all_applied && together.Build(&whole).ok();
  if (built) CheckVersion(*whole);
  if (step != nullptr) {
    Require(built, "edits that go one by one go together");
    Require(step->AllTables() == whole->AllTables(), "and give the same");
  }
}

}  // namespace lull::fuzz
