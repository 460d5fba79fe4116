// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Preload: opens the tables that reads search first, after the store opens, and loads their key
// filters. Otherwise the first reads would open many tables, and search each table of L0. It also
// reads what they contain, which the MANIFEST does not tell. On demand it reads that of all tables:
// otherwise the picker would not see old deletions.
//
// The monitor takes jobs, one at a time, and workers run them before compactions. A job opens only
// a few tables: reads from a cold disk are slow, and other stores need the worker too. Waiting
// tables are not pinned.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "db/base/context.h"
#include "db/read/table_cache.h"
#include "db/version/version.h"
#include "scheduler/job.h"

namespace lull {

class Preload {
 public:
  /// Receives the contents of a table, unless they could not be read. Called by workers.
  using OnContents = std::function<void(TableFile* file, const TableContents& contents)>;

  /// `context` and `tables` outlive this object.
  Preload(const StoreContext* context, TableCache* tables, OnContents on_contents)
      : context_(context), tables_(tables), on_contents_(std::move(on_contents)) {}

  /// Chooses tables of `version` to open: L0, newest first, then L1, L2, ... Opening thread, at
  /// most once, before the first TakeJob.
  void Begin(const Version& version);
  /// Reads what the tables contain of which that is unknown, without leaving them open. Tables that
  /// cannot be read are tried again after a minute. Does nothing while other tables wait. Monitor,
  /// with the mutex that guards the contents.
  void ReadUnknownContents(const Version& version, uint64_t now_nanos);
  /// Returns null if a job exists or nothing is left to do. Monitor.
  std::unique_ptr<Job> TakeJob();

 private:
  class OpenTables;
  struct Waiting {
    std::weak_ptr<TableFile> table;
    bool stays_open = false;
    bool has_key_filter = false;
  };

  const StoreContext* const context_;
  TableCache* const tables_;
  const OnContents on_contents_;
  std::vector<Waiting> waiting_;  // in reverse order
  std::atomic<bool> job_exists_{false};
  uint64_t retry_at_nanos_ = 0;  // of ReadUnknownContents
};

}  // namespace lull
