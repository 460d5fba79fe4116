// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "tests/support/open_store.h"

#include <sstream>
#include <vector>

#ifdef LULL_BUILD
#include "db/store.h"
#include "lull/lull.h"
#endif

namespace lull::testing {

using leveldb::Status;

#ifdef LULL_BUILD

Status OpenStore(const leveldb::Options& options, const std::string& scheduling,
                 const std::string& name, leveldb::DB** db) {
  std::string text = scheduling;
  uint64_t manifest_bytes_min = 0;
  const std::string kPair = "manifest_bytes_min=";
  if (const size_t at = text.find(kPair); at != std::string::npos) {
    manifest_bytes_min = std::stoull(text.substr(at + kPair.size()));
    const size_t end = text.find(';', at);
    text.erase(at, end == std::string::npos ? end : end + 1 - at);
  }
  lull::SchedulingOptions parsed;
  Status s = lull::SchedulingOptions::Parse(text, &parsed);
  if (!s.ok()) return s;
  return lull::Store::Open(options, parsed, name, db, lull::MakePolicy, manifest_bytes_min);
}

Status FlushStore(leveldb::DB* db) { return lull::Flush(db); }
Status WaitForIdleStore(leveldb::DB* db) { return lull::WaitForIdle(db); }
Status CheckpointStore(leveldb::DB* db, const std::string& directory) {
  return lull::CreateCheckpoint(db, directory);
}

#else

Status OpenStore(const leveldb::Options& options, const std::string&, const std::string& name,
                 leveldb::DB** db) {
  return leveldb::DB::Open(options, name, db);
}

Status FlushStore(leveldb::DB* db) {
  db->CompactRange(nullptr, nullptr);
  return Status::OK();
}

Status WaitForIdleStore(leveldb::DB*) { return Status::OK(); }

Status CheckpointStore(leveldb::DB*, const std::string& directory) {
  return Status::NotSupported(directory, "LevelDB makes no checkpoints");
}

#endif

Hooks StoreHooks(const std::string& scheduling) {
  std::vector<std::string> turns;
  std::istringstream texts(scheduling);
  for (std::string text; std::getline(texts, text, '|');) turns.push_back(text);
  if (turns.empty()) turns.emplace_back();
  Hooks hooks;
  hooks.open = [turns, opens = size_t{0}](const leveldb::Options& options, const std::string& name,
                                          leveldb::DB** db) mutable {
    return OpenStore(options, turns[opens++ % turns.size()], name, db);
  };
  hooks.flush = FlushStore;
  hooks.wait_for_idle = WaitForIdleStore;
  return hooks;
}

}  // namespace lull::testing
