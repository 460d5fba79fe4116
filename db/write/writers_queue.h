// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Group commit: writers queue up, the first leads, and writes for as many behind it as make a fair
// group. Only the leader is beyond this queue, so what it touches there (WAL, memtable, sequence)
// needs no lock.
#pragma once

#include <cstdint>

#include "leveldb/status.h"
#include "leveldb/write_batch.h"
#include "util/mutex.h"

namespace lull {

class WritersQueue {
 public:
  /// One waiting write, on its thread's stack.
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

  /// Returns true when `writer` leads: it must call Finish. False: a leader did its write; see
  /// writer->status.
  bool Join(Writer* writer) LULL_EXCLUDES(mutex_);

  /// Leader only: the last writer of its group, from itself on. A group holds no more than fits
  /// well: a small write is not held up by large ones behind it, an unsynced one not by a sync, and
  /// a request to seal stands alone.
  Writer* GroupEnd(Writer* leader) LULL_EXCLUDES(mutex_);
  static Writer* NextOf(Writer* writer) { return writer->next; }

  /// Leader only: the group up to `last` ends with `status`; the next writer leads.
  void Finish(Writer* leader, Writer* last, const leveldb::Status& status) LULL_EXCLUDES(mutex_);

  /// How many are in the queue, the leader included. Any thread.
  size_t Length() LULL_EXCLUDES(mutex_);

 private:
  Mutex mutex_;
  Writer* first_ LULL_GUARDED_BY(mutex_) = nullptr;
  Writer* last_ LULL_GUARDED_BY(mutex_) = nullptr;
};

}  // namespace lull
