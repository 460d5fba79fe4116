// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "tests/support/open_store.h"

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

#endif

Hooks StoreHooks(const std::string& scheduling) {
  Hooks hooks;
  hooks.open = [scheduling](const leveldb::Options& options, const std::string& name,
                            leveldb::DB** db) { return OpenStore(options, scheduling, name, db); };
  hooks.flush = FlushStore;
  hooks.wait_for_idle = WaitForIdleStore;
  return hooks;
}

}  // namespace lull::testing
