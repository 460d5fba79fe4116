// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// WritersQueue: group commit. Writers queue up; the first one leads, and writes a group of those
// after it. Only the leader proceeds past this queue, so what it uses there (WAL, memtable,
// sequence) needs no lock.
#pragma once

#include <cstdint>

#include "db/base/thread_roles.h"
#include "leveldb/status.h"
#include "leveldb/write_batch.h"
#include "util/mutex.h"

namespace lull {

class WritersQueue {
 public:
  /// A waiting write, on its thread's stack.
  struct Writer {
    const leveldb::WriteBatch* batch = nullptr;  ///< null: asks the leader to seal the memtable
    bool sync = false;
    leveldb::Status status;

   private:
    friend class WritersQueue;
    Writer* next = nullptr;
    bool done = false;
    CondVar wake;
  };

  /// Returns true if `writer` leads: this thread then has the role until it calls Finish. Returns
  /// false after another leader did its write; see writer->status.
  bool Join(Writer* writer) LULL_EXCLUDES(mutex_);

  /// Returns true if `writer` leads, as Join. Returns false at once if another writer is queued.
  bool TryJoin(Writer* writer) LULL_EXCLUDES(mutex_);

  /// Returns the last writer of the leader's group. The group is limited: a small write does not
  /// wait for large ones, nor an unsynced write for a sync. A request to seal is alone in its
  /// group.
  Writer* GroupEnd(Writer* leader) LULL_REQUIRES(kLeadingWriter) LULL_EXCLUDES(mutex_);
  static Writer* NextOf(Writer* writer) { return writer->next; }

  /// Ends the group up to `last` with `status`; the next writer leads.
  void Finish(Writer* leader, Writer* last, const leveldb::Status& status)
      LULL_REQUIRES(kLeadingWriter) LULL_EXCLUDES(mutex_);

  /// Count of queued writers, including the leader. Any thread.
  size_t Length() LULL_EXCLUDES(mutex_);

 private:
  Mutex mutex_;
  Writer* first_ LULL_GUARDED_BY(mutex_) = nullptr;
  Writer* last_ LULL_GUARDED_BY(mutex_) = nullptr;
};

}  // namespace lull
