// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "benchmarks/platform.h"
#include "benchmarks/store.h"
#include "lull/lull.h"
#include "util/crc32c.h"

namespace lull::bench {

std::string StoreName() { return "lull"; }

leveldb::Status OpenStore(const leveldb::Options& options, const std::string& scheduling,
                          const std::string& name, std::unique_ptr<leveldb::DB>* db) {
  SchedulingOptions parsed;
  leveldb::Status status = SchedulingOptions::Parse(scheduling, &parsed);
  leveldb::DB* opened = nullptr;
  if (status.ok()) status = lull::Open(options, parsed, name, &opened);
  db->reset(opened);
  return status;
}

leveldb::Status WaitUntilIdle(leveldb::DB* db, const std::string& /*name*/,
                              uint64_t* idle_since_ns) {
  const leveldb::Status status = lull::WaitForIdle(db);
  *idle_since_ns = NowNs();
  return status;
}

uint32_t StoreCrc32c(const char* data, size_t size) { return crc32c::Value(data, size); }

}  // namespace lull::bench
