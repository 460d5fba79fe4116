// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The store under test. One source of benchmarks is built once for each store, and this header is
// all in which the builds differ: store_lull.cc and store_leveldb.cc implement it. What is common
// to them (the API of leveldb::DB) is used directly everywhere else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "leveldb/db.h"
#include "leveldb/options.h"
#include "leveldb/status.h"

namespace lull::bench {

// "lull" or "leveldb".
std::string StoreName();

// Opens the store in folder `name`. `scheduling` is "k=v;k=v"; a store without scheduling options
// refuses any.
leveldb::Status OpenStore(const leveldb::Options& options, const std::string& scheduling,
                          const std::string& name, std::unique_ptr<leveldb::DB>* db);

// Waits until the background work of the store in folder `name` has come to rest, and sets
// `idle_since_ns` to the NowNs() at which it did. That may lie in the past: a store that cannot say
// so itself is watched until it has been quiet for a while.
leveldb::Status WaitUntilIdle(leveldb::DB* db, const std::string& name, uint64_t* idle_since_ns);

// The store's own CRC-32C.
uint32_t StoreCrc32c(const char* data, size_t size);

// A store that accepts everything and keeps nothing: what the benchmark and the machine cost by
// themselves.
std::unique_ptr<leveldb::DB> NewNullStore();

}  // namespace lull::bench
