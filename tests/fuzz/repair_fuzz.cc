// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// RepairDB on a store's directory with arbitrary files.
//
// Input: flags, then the directory (folder.h). Checks: whatever it does, each file stays where it
// is or moves to lost/; if it succeeds, the store opens with all checks and can be read completely;
// a second repair changes nothing.
#include <string>

#include "db/base/filename.h"
#include "tests/fuzz/folder.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/store.h"

namespace lull::fuzz {
namespace {

using leveldb::Status;

constexpr uint8_t kParanoid = 1;

Folder WithoutLogs(Folder folder) {
  for (const char* name : {"LOG", "LOG.old", "LOCK"}) folder.erase(name);
  return folder;
}

/// A CURRENT that no store writes is kept too.
bool IsCurrentLost(const Folder& before, const Folder& after) {
  const auto current = before.find("CURRENT");
  if (current == before.end() || after.contains("lost/CURRENT")) return false;
  const std::string& text = current->second;
  const auto named = ParseFileName(text.empty() ? text : text.substr(0, text.size() - 1));
  return !text.ends_with('\n') || !named || named->kind != FileKind::kDescriptor;
}

void CheckRepaired(StoreUnderTest* store) {
  const Folder repaired = WithoutLogs(ReadFolder(store->env(), kStore));
  RequireOk(leveldb::RepairDB(kStore, store->options), "what was repaired can be repaired");
  Require(WithoutLogs(ReadFolder(store->env(), kStore)) == repaired,
          "and has nothing left to repair");
  store->options.paranoid_checks = true;
  RequireOk(store->Open(), "what was repaired opens");
  Require(ReadStore(store->db()).has_value(), "and can be read whole");
  store->Close();
}

}  // namespace

void RunOne(Input input) {
  const uint8_t flags = input.Byte();
  const Folder before = DecodeFolder(input.rest());
  StoreUnderTest store;
  store.options.paranoid_checks = (flags & kParanoid) != 0;
  WriteFolder(store.env(), kStore, before);
  const Status status = leveldb::RepairDB(kStore, store.options);
  const Folder after = ReadFolder(store.env(), kStore);
  std::string missing;
  for (const std::string& name : MissingFiles(before, after)) missing += " " + name;
  Require(missing.empty(), "a repair removes nothing", missing);
  if (!status.ok()) {
    Require(IsRefusal(status), "a repair fails for a reason", status.ToString());
    return;
  }
  Require(!IsCurrentLost(before, after), "a repair keeps a damaged CURRENT");
  CheckRepaired(&store);
}

}  // namespace lull::fuzz
