// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A function that uses every type of LevelDB's headers. It is compiled with stock's headers and
// with Lull's. abidiff then compares the debug information of the types: every member, including
// private ones, and every virtual function.
#include "leveldb/cache.h"
#include "leveldb/comparator.h"
#include "leveldb/db.h"
#include "leveldb/env.h"
#include "leveldb/filter_policy.h"
#include "leveldb/iterator.h"
#include "leveldb/options.h"
#include "leveldb/slice.h"
#include "leveldb/status.h"
#include "leveldb/table.h"
#include "leveldb/table_builder.h"
#include "leveldb/write_batch.h"

namespace compat {

__attribute__((visibility("default"))) void UseStore(
    leveldb::DB*, leveldb::Options*, leveldb::ReadOptions*, leveldb::WriteOptions*,
    leveldb::Snapshot*, leveldb::Range*, leveldb::Slice*, leveldb::Status*, leveldb::Iterator*,
    leveldb::WriteBatch*, leveldb::WriteBatch::Handler*, leveldb::Table*, leveldb::TableBuilder*) {}

__attribute__((visibility("default"))) void UsePlugins(leveldb::Cache*, leveldb::Comparator*,
                                                       leveldb::Env*, leveldb::EnvWrapper*,
                                                       leveldb::FileLock*, leveldb::FilterPolicy*,
                                                       leveldb::Logger*, leveldb::RandomAccessFile*,
                                                       leveldb::SequentialFile*,
                                                       leveldb::WritableFile*) {}

}  // namespace compat
