// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The scenarios.
#include "tests/support/scenario.h"

#include <stdexcept>

namespace lull::testing {

void RunScenario(const Scenario& scenario, ScenarioStore* store) {
  store->Open();
  scenario.run(store);
  store->CheckReads();
  store->Close();
}

namespace {

void SyncedPuts(ScenarioStore* store) {
  for (int i = 0; i < 25; ++i) store->Put(i % 9, 120, true);
}

void MixedSync(ScenarioStore* store) {
  for (int i = 0; i < 60; ++i) store->Put(i % 20, i % 5 == 0 ? 6000 : 300, i % 4 == 3);
}

void MemtableSwitches(ScenarioStore* store) {
  for (int i = 0; i < 60; ++i) store->Put(i % 25, 5000, i % 10 == 9);
}

// Writes the same amount to each WAL, so that the records of a recycled one overwrite older ones.
// The last WAL also has unsynced records.
void SyncedSwitches(ScenarioStore* store) {
  for (int round = 0; round < 16; ++round) {
    for (int i = 0; i < 3; ++i) store->Put(i + round % 4, 6000, true);
    store->Flush();
  }
  for (int i = 0; i < 4; ++i) store->Put(i, 6000, i == 1);
}

void AsyncBurst(ScenarioStore* store) {
  for (int i = 0; i < 70; ++i) store->Put(i % 30, 4000, false);
  store->Put(99, 50, true);
  for (int i = 0; i < 20; ++i) store->Put(i, 4000, false);
}

void OverwriteAndCompact(ScenarioStore* store) {
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 12; ++i) store->Put(i, 3000, i == 6);
    for (int i = round; i < 12; i += 3) store->Delete(i, i > 8);
    store->CompactAll();
    store->CheckReads();
  }
}

void Reopening(ScenarioStore* store) {
  for (int round = 0; round < 4; ++round) {
    if (round > 0) store->Open();
    store->CheckReads();
    for (int i = 0; i < 6; ++i) store->Put(i + round, 700, i % 3 == 2);
    store->Close();
  }
}

void ReopeningWithData(ScenarioStore* store) {
  for (int round = 0; round < 3; ++round) {
    if (round > 0) store->Open();
    for (int i = 0; i < 18; ++i) store->Put(i + round, 6000, i % 6 == 5);
    store->CheckReads();
    store->Close();
  }
}

void WideBatches(ScenarioStore* store) {
  for (int i = 0; i < 6; ++i) {
    store->Batch(i * 3, 12, 3500, i % 2 == 1);
    store->Batch(i, 3, 10, false);
  }
}

void FlushAndIdle(ScenarioStore* store) {
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < 8; ++i) store->Put(i * 3 + round, 2000, false);
    store->Flush();
    store->Put(50 + round, 20, true);
  }
  store->WaitForIdle();
}

void SnapshotsHeld(ScenarioStore* store) {
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < 8; ++i) store->Put(i, 2500, i == 7);
    store->HoldSnapshot();
    store->Delete(round, false);
    if (round % 2 == 1) store->CompactAll();
  }
  store->DropSnapshots();
  store->CompactAll();
}

// A quarter of the values expire. The first ones fill the deepest level, and small later ones hide
// them from L1.
void FilteredValues(ScenarioStore* store) {
  store->UseFilter();
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < 12; ++i) store->Put(i, round == 0 ? 2000 : 100, i == 6);
    store->Delete(round, true);
    store->Flush();
    store->WaitForIdle();
    store->CheckReads();
  }
  store->CompactAll();
}

// Many installs and few tables, so that a MANIFEST rolls over several times.
void ManifestsRoll(ScenarioStore* store) {
  for (int i = 0; i < 10; ++i) {
    store->Put(i % 5, 100, i % 3 == 0);
    store->Flush();
  }
  store->WaitForIdle();
}

// Tables over memtables, over L0 and into an empty range; then WALs that begin after a gap.
void Ingestions(ScenarioStore* store) {
  store->PutRange(0, 12, 3000);
  store->Ingest(4, 9, 2000);
  store->Put(6, 100, false);
  store->HoldSnapshot();
  store->Ingest(20, 26, 3000);
  store->Flush();
  store->Put(22, 50, false);
  store->Ingest(5, 8, 100);
  store->CheckReads();
  store->CheckReaders();
  store->PutRange(0, 24, 4000);
  store->Ingest(21, 40, 500);
  store->Close();
  store->Open();
  store->Put(21, 60, false);
  store->Ingest(0, 3, 50);
}

// ---- DeleteRange and DeleteFilesInRange

constexpr int kNone = -1;  // no bound

// Tables in the deepest level, newer ones with deletions above them, and entries in memory.
void FillLevels(ScenarioStore* store) {
  store->PutRange(0, 36, 900);
  store->CompactAll();
  for (int i = 6; i < 30; i += 2) store->Put(i, 500, false);
  for (int i = 7; i < 30; i += 4) store->Delete(i, false);
  store->Flush();
  store->WaitForIdle();
  for (int i = 4; i < 34; i += 5) store->Put(i, 60, i % 2 == 0);
}

void RangeInMemory(ScenarioStore* store) {
  store->CountFromHere();
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < 12; ++i) store->Put(i, 200, i % 5 == 4);
    store->DeleteRange(3 + round, 9);
    store->Put(5, 50, false);
    store->Put(20 + round, 50, round % 2 == 0);
    store->Delete(6, false);
    store->CheckReads();
  }
}

// L0 is never compacted, so it has older and newer tables, inside the range and across its ends.
void RangeOverL0(ScenarioStore* store) {
  for (int round = 0; round < 4; ++round) {
    store->PutRange(4 * round, 30 - 4 * round, 300);
    store->Delete(5 + round, false);
    store->Flush();
  }
  store->CountFromHere();
  store->DeleteRange(9, 26);
  store->CheckReads();
  store->PutRange(12, 15, 200);
  store->Flush();
  store->DeleteRange(kNone, 10);
  store->Put(40, 20, true);
  store->CompactAll();
}

void RangeOverLevels(ScenarioStore* store) {
  FillLevels(store);
  store->CountFromHere();
  store->DeleteRange(5, 31);
  store->CheckReads();
  store->PutRange(10, 16, 300);
  store->Flush();
  store->WaitForIdle();
  store->CompactAll();
}

// No table is inside the range: all of it is deleted key by key.
void EdgesInsideTables(ScenarioStore* store) {
  store->PutRange(0, 30, 700);
  store->CompactAll();
  for (int i = 8; i < 20; i += 3) store->Put(i, 400, false);
  store->CountFromHere();
  store->DeleteRange(6, 24);
  store->CheckReads();
  store->Flush();
  store->Put(15, 30, false);
  store->CompactAll();
  store->DeleteRange(14, kNone);
  store->CompactAll();
}

void WholeStore(ScenarioStore* store) {
  FillLevels(store);
  store->CountFromHere();
  store->DeleteRange(kNone, kNone);
  store->CheckReads();
  store->PutRange(0, 8, 300);
  store->Flush();
  store->PutRange(4, 12, 100);
  store->DeleteRange(kNone, kNone);
  store->Put(3, 10, false);
  store->Close();
  store->Open();
  store->DeleteRange(kNone, kNone);
}

void RangeWithReaders(ScenarioStore* store) {
  FillLevels(store);
  store->HoldSnapshot();
  store->HoldIterator();
  store->PutRange(8, 20, 300);
  store->HoldSnapshot();
  store->CountFromHere();
  store->DeleteRange(5, 24);
  store->CheckReads();
  store->HoldIterator();
  store->PutRange(10, 14, 200);
  store->CompactAll();
  store->DeleteFiles(kNone, 20);
  store->CheckReaders();
  store->DropSnapshots();
  store->CompactAll();
}

// Memtables fill up and compactions run while ranges, or their files, are deleted.
template <bool kFiles>
void RemovalsBesideCompactions(ScenarioStore* store) {
  store->PutRange(0, 30, 3000);
  store->CountFromHere();
  for (int first = 0; first < 15; first += 5) {
    store->PutRange(first, first + 16, 5000);
    if (kFiles) {
      store->DeleteFiles(first + 1, first + 14);
      store->Delete(first + 4, first == 5);
    } else {
      store->DeleteRange(first + 3, first + 12);
      store->Put(first + 4, 400, first == 5);
    }
  }
}

void OverlappingRanges(ScenarioStore* store) {
  FillLevels(store);
  store->CountFromHere();
  store->DeleteRange(5, 20);
  store->PutRange(14, 18, 300);
  store->DeleteRange(16, 30);
  store->PutRange(18, 22, 300);
  store->Flush();
  store->DeleteRange(kNone, 19);
  store->DeleteRange(12, 17);
  store->CheckReads();
  store->Put(16, 10, true);
}

void RangeAndReopen(ScenarioStore* store) {
  FillLevels(store);
  store->CountFromHere();
  for (int round = 0; round < 3; ++round) {
    store->DeleteRange(4 + 8 * round, 16 + 8 * round);
    store->Put(10 + 8 * round, 300, false);
    store->Put(11 + 8 * round, 300, round == 1);
    store->Close();
    store->Open();
    store->CheckReads();
  }
}

void FilesInRange(ScenarioStore* store) {
  FillLevels(store);
  store->CountFromHere();
  store->DeleteFiles(5, 28);
  store->CheckReads();
  store->PutRange(8, 14, 300);
  store->Delete(15, true);
  store->Flush();
  store->DeleteFiles(3, 20);
  store->CheckReads();
  store->CompactAll();
  store->DeleteFiles(10, kNone);
  store->Put(12, 20, true);
}

void FilesThenRange(ScenarioStore* store) {
  FillLevels(store);
  store->CountFromHere();
  for (int i = 8; i < 20; i += 3) store->Delete(i, false);
  store->DeleteFiles(6, 26);
  store->Put(9, 40, false);
  store->DeleteRange(7, 22);
  store->Put(10, 40, false);
  store->DeleteFiles(kNone, kNone);
}

// ---- compaction filters

void FilterWithSnapshots(ScenarioStore* store) {
  store->UseFilter();
  store->PutRange(0, 24, 900);
  store->HoldSnapshot();
  store->HoldIterator();
  store->CountFromHere();
  for (int i = 0; i < 24; i += 2) store->Put(i, 200, i % 10 == 0);
  store->Flush();
  store->WaitForIdle();
  store->CheckReads();
  store->CompactAll();
  store->CheckReaders();
  store->DropSnapshots();
  store->CompactAll();
}

// The filter comes to a store whose data is in the deepest level already.
void FilterRewritesDeepest(ScenarioStore* store) {
  store->PutRange(0, 30, 900);
  store->CompactAll();
  store->UseFilter();
  store->CountFromHere();
  store->CompactAll();
  store->CheckReads();
  store->PutRange(10, 20, 300);
  store->CompactAll();
}

void FilterThrows(ScenarioStore* store) {
  auto calls = std::make_shared<int>(0);
  const auto throws_often = [calls](std::string_view value) {
    if (++*calls % 23 == 0) throw std::runtime_error("no decision");
    return Expires(value);
  };
  store->PutRange(0, 30, 700);
  store->CompactAll();
  store->CountFromHere();
  for (int round = 0; round < 4; ++round) {
    store->PutRange(4 * round, 4 * round + 12, 150);
    store->UseFilter(Expires, throws_often);
    store->CompactAll();
    store->CheckReads();
  }
}

// A value begins with the number of its write, as a time stamp would. Old ones expire.
void ValuesGrowOld(ScenarioStore* store) {
  auto oldest = std::make_shared<int>(0);
  const auto old = [oldest](std::string_view value) {
    return std::stoi(std::string(value.substr(0, value.find('.')))) < *oldest;
  };
  const auto always = [](std::string_view) { return true; };
  store->UseFilter(always, old);
  store->PutRange(0, 24, 700);
  store->CompactAll();
  store->CountFromHere();
  for (int round = 1; round < 4; ++round) {
    for (int i = round; i < 24; i += 3) store->Put(i, 300, i % 4 == 0);
    store->Delete(round, false);
    store->Flush();
    *oldest = 12 * round;
    store->CompactAll();
    store->CheckReads();
  }
}

void RangesAndFilter(ScenarioStore* store) {
  store->UseFilter();
  FillLevels(store);
  store->CountFromHere();
  store->DeleteRange(8, 18);
  store->PutRange(10, 24, 400);
  store->Flush();
  store->WaitForIdle();
  store->DeleteFiles(3, 16);
  store->CompactAll();
  store->DeleteRange(20, kNone);
  store->Put(21, 100, false);
  store->CompactAll();
}

// Compactions of L0 run while tables arrive above, below and beside what they merge.
void IngestBesideCompactions(ScenarioStore* store) {
  FillLevels(store);
  store->CountFromHere();
  for (int first = 0; first < 24; first += 8) {
    store->PutRange(first, first + 10, 3000);
    store->Ingest(first + 4, first + 14, 900);
    store->DeleteRange(first + 6, first + 9);
    store->Ingest(first + 7, first + 8, 70);
    store->Ingest(60 + first, 64 + first, 900);
  }
  store->CheckReads();
  store->CompactAll();
}

constexpr char kManyLevels[] =
    "own_coordinator=true;layout=vsst;table_bytes_max=4K;growth_factor=1;vsst_phi=1;";
constexpr char kBigTables[] = "own_coordinator=true;layout=leveled;";
constexpr char kOnlyL0[] = "own_coordinator=true;layout=leveled;l0_trigger=8;";
constexpr char kEagerL0[] =
    "own_coordinator=true;layout=vsst;table_bytes_max=8K;growth_factor=2;l0_trigger=1;";
constexpr char kShortManifests[] =
    "own_coordinator=true;layout=vsst;table_bytes_max=4K;growth_factor=2;manifest_bytes_min=1;";

}  // namespace

const std::vector<Scenario>& AllScenarios() {
  // Option sets 1..4 and up have small memtables; for the other differences see option_sets.cc.
  static const auto* const kAll = new std::vector<Scenario>{
      {"SyncedPuts", 0, SyncedPuts},
      {"MixedSync", 1, MixedSync},
      {"MemtableSwitches", 2, MemtableSwitches},
      {"SyncedSwitches", 2, SyncedSwitches},
      {"AsyncBurst", 1, AsyncBurst},
      {"OverwriteAndCompact", 5, OverwriteAndCompact},
      {"Reopening", 4, Reopening},
      {"ReopeningReuseLogs", 14, Reopening},
      {"ReopeningWithData", 8, ReopeningWithData},
      {"ReopeningWithDataReuseLogs", 9, ReopeningWithData},
      {"WideBatches", 10, WideBatches},
      {"FlushAndIdle", 2, FlushAndIdle},
      {"SnapshotsHeld", 12, SnapshotsHeld},
      {"ManifestsRoll", 2, ManifestsRoll, "manifest_bytes_min=1;"},
      {"FilteredValues", 5, FilteredValues,
       "layout=vsst;table_bytes_max=4K;growth_factor=1;vsst_phi=1;"},
      {"Ingestions", 2, Ingestions},
  };
  return *kAll;
}

const std::vector<Scenario>& RemovalScenarios() {
  static const auto* const kAll = new std::vector<Scenario>{
      {"RangeInMemory", 2, RangeInMemory, kBigTables},
      {"RangeOverL0", 1, RangeOverL0, kOnlyL0},
      {"RangeOverLevels", 5, RangeOverLevels, kManyLevels},
      {"EdgesInsideTables", 2, EdgesInsideTables, kBigTables},
      {"WholeStore", 4, WholeStore, kManyLevels},
      {"RangeWithReaders", 1, RangeWithReaders, kManyLevels},
      {"RangeBesideCompactions", 2, RemovalsBesideCompactions<false>, kEagerL0},
      {"OverlappingRanges", 10, OverlappingRanges, kManyLevels},
      {"RangeAndReopen", 9, RangeAndReopen, kManyLevels},
      {"RangeShortManifests", 2, RangeOverLevels, kShortManifests},
      {"FilesInRange", 5, FilesInRange, kManyLevels},
      {"FilesThenRange", 1, FilesThenRange, kManyLevels},
      {"FilesBesideCompactions", 2, RemovalsBesideCompactions<true>, kEagerL0},
      {"FilterWithSnapshots", 5, FilterWithSnapshots, kManyLevels},
      {"FilterRewritesDeepest", 2, FilterRewritesDeepest, kManyLevels},
      {"FilterThrows", 1, FilterThrows, kManyLevels},
      {"ValuesGrowOld", 5, ValuesGrowOld, kManyLevels},
      {"RangesAndFilter", 2, RangesAndFilter, kManyLevels},
      {"IngestBesideCompactions", 2, IngestBesideCompactions, kEagerL0},
      {"IngestShortManifests", 1, IngestBesideCompactions, kShortManifests},
  };
  return *kAll;
}

}  // namespace lull::testing
