// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "tests/support/open_store.h"

#include <sstream>
#include <vector>

#ifdef LULL_BUILD
#include "lull/lull.h"
#endif

namespace lull::testing {

using leveldb::Status;

#ifdef LULL_BUILD

Status OpenStore(const leveldb::Options& options, const std::string& scheduling,
                 const std::string& name, leveldb::DB** db) {
  lull::SchedulingOptions parsed;
  Status s = lull::SchedulingOptions::Parse(scheduling, &parsed);
  return s.ok() ? lull::Open(options, parsed, name, db) : s;
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
