// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// RepairDB on a store's directory with arbitrary files.
//
// Input: flags, then the directory (store.h). Checks: whatever it does, each file stays where
// it is or moves to lost/; if it succeeds, the store opens with all checks and can be read
// completely; a second repair changes nothing.
#include <string>

#include "db/base/filename.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/store.h"

namespace lull::fuzz {
namespace {

constexpr uint8_t kParanoid = 1;

Directory WithoutLogs(Directory directory) {
  for (const char* name : {"LOG", "LOG.old", "LOCK"}) directory.erase(name);
  return directory;
}

/// A CURRENT that no store writes is kept too.
bool IsCurrentLost(const Directory& before, const Directory& after) {
  const auto current = before.find("CURRENT");
  if (current == before.end() || after.contains("lost/CURRENT")) return false;
  const std::string& text = current->second;
  const auto named = ParseFileName(text.empty() ? text : text.substr(0, text.size() - 1));
  return !text.ends_with('\n') || !named || named->kind != FileKind::kDescriptor;
}

void CheckRepaired(StoreUnderTest* store) {
  const Directory repaired = WithoutLogs(ReadDirectory(store->env(), kStore));
  RequireOk(leveldb::RepairDB(kStore, store->options), "what was repaired can be repaired");
  Require(WithoutLogs(ReadDirectory(store->env(), kStore)) == repaired,
          "and has nothing left to repair");
  store->options.paranoid_checks = true;
  RequireOk(store->Open(), "what was repaired opens");
  Require(ReadStore(store->db()), "and can be read whole");
  store->Close();
}

}  // namespace

void RunOne(Input input) {
  const uint8_t flags = input.Byte();
  const Directory before = DecodeDirectory(input.rest());
  StoreUnderTest store(before);
  store.options.paranoid_checks = (flags & kParanoid) != 0;
  const leveldb::Status status = leveldb::RepairDB(kStore, store.options);
  const Directory after = ReadDirectory(store.env(), kStore);
  RequireNone(MissingFiles(before, after), "a repair removes nothing");
  if (!status.ok()) {
    Require(IsRefusal(status), "a repair fails for a reason", status.ToString());
    return;
  }
  Require(!IsCurrentLost(before, after), "a repair keeps a damaged CURRENT");
  CheckRepaired(&store);
}

}  // namespace lull::fuzz
