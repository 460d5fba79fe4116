// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A store's directory with arbitrary files: opened, read, written, compacted, reopened.
//
// Input: flags, then the directory (store.h). Checks: the store opens or fails with a reason;
// every later operation ends with data or an error; only files that were read to their end, or are
// in lost/, are removed, and none if the open fails; a store that was open once opens again, and
// has the data written to it.
#include <string>

#include "db/base/filename.h"
#include "lull/lull.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/store.h"

namespace lull::fuzz {
namespace {

using leveldb::Status;

constexpr uint8_t kParanoid = 1;
constexpr uint8_t kCreate = 2;
constexpr uint8_t kCompact = 4;
constexpr uint8_t kReadOnlyFirst = 8;

constexpr char kKey[] = "a key that no seed has";

void OpenReadOnlyAndRead(const StoreUnderTest& store, const Directory& before) {
  leveldb::DB* raw = nullptr;
  const Status status = OpenReadOnly(store.options, kStore, &raw);
  const std::unique_ptr<leveldb::DB> db(raw);
  Require(status.ok() || IsRefusal(status) || status.IsNotFound(),
          "a read-only open succeeds or is refused", status.ToString());
  if (db != nullptr) ReadStore(db.get());
  Require(ReadDirectory(store.env(), kStore) == before, "a read-only open changes nothing");
}

}  // namespace

void RunOne(Input input) {
  const uint8_t flags = input.Byte();
  const Directory before = DecodeDirectory(input.rest());
  StoreUnderTest store(before);
  store.options.paranoid_checks = (flags & kParanoid) != 0;
  store.options.create_if_missing = (flags & kCreate) != 0;
  const std::set<std::string> removable = RemovableFiles(store.options, kStore);
  if ((flags & kReadOnlyFirst) != 0) OpenReadOnlyAndRead(store, before);

  const bool had_current = before.contains("CURRENT");
  Status status = store.Open();
  if (!status.ok()) {
    Require(IsRefusal(status) || status.IsNotFound(), "an open fails for a reason",
            status.ToString());
    RequireNone(MissingFiles(before, ReadDirectory(store.env(), kStore)),
                "an open that fails removes nothing");
    return;
  }
  Require(had_current || store.options.create_if_missing,
          "an open without CURRENT fails unless it may create a store");
  ReadStore(store.db());
  const bool written = store.db()->Put(leveldb::WriteOptions(), kKey, "value").ok();
  if ((flags & kCompact) != 0) store.db()->CompactRange(nullptr, nullptr);
  status = store.db()->Put(leveldb::WriteOptions(), kKey, "value");
  // Under paranoid_checks a compaction that finds damage stops writes, as on stock.
  const bool may_refuse = store.options.paranoid_checks && IsRefusal(status);
  Require(!written || status.ok() || may_refuse, "damaged tables do not stop writes",
          status.ToString());
  ReadStore(store.db());
  store.Close();

  std::set<std::string> missing = MissingFiles(before, ReadDirectory(store.env(), kStore));
  // Without a CURRENT there was no store, so its MANIFESTs and temporary files may be removed.
  std::erase_if(missing, [&](const std::string& name) {
    const auto parsed = ParseFileName(name);
    return removable.contains(name) ||
           (!had_current && parsed &&
            (parsed->kind == FileKind::kDescriptor || parsed->kind == FileKind::kTemp));
  });
  RequireNone(missing, "nothing is removed that was not read to its end");

  RequireOk(store.Open(), "a store that was open opens again");
  std::string value;
  status = store.db()->Get(leveldb::ReadOptions(), kKey, &value);
  Require(!written || (status.ok() && value == "value"), "what was written is there",
          status.ToString());
}

}  // namespace lull::fuzz
