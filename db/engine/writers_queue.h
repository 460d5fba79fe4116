// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// WritersQueue: group commit. Writers queue up; the first one leads, and writes a group of those
// after it. Only the leader proceeds past this queue, so what it uses there (WAL, memtable,
// sequence) needs no lock. A writer that finds the queue empty, and leaves it so, takes no lock
// either: it exchanges the end of the queue. All other changes of the queue need the mutex.
//
// A leader needs about a microsecond, a thread that sleeps and is woken several. So a waiting
// writer first watches its turn for a moment, and sleeps only then. One that syncs sleeps at once.
//
// A writer with a time limit leaves the queue when it has passed, but not once it leads or is in a
// group: GroupEnd decides on that.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "db/base/thread_roles.h"
#include "leveldb/status.h"
#include "leveldb/write_batch.h"
#include "util/clock.h"
#include "util/mutex.h"

namespace lull {

class WritersQueue {
 public:
  /// A waiting write, on its thread's stack.
  struct Writer {
    const leveldb::WriteBatch* batch = nullptr;  ///< null: asks the leader to seal the memtable
    bool sync = false;
    uint64_t until_nanos =
        UINT64_MAX;  ///< time of the clock at which it leaves; the default: never
    bool has_left = false;
    leveldb::Status status;

   private:
    friend class WritersQueue;
    enum class Turn { kWaits, kLeads, kDone };
    // Set once, by a leader. The writer can be gone after that, unless it sleeps.
    std::atomic<Turn> turn{Turn::kWaits};
    // Guarded by the queue's mutex, but NextOf.
    Writer* next = nullptr;
    Writer* before = nullptr;  // while it waits
    bool is_in_group = false;
    bool sleeps = false;
    CondVar wake;
  };

  explicit WritersQueue(const Clock* clock);

  /// Returns true if `writer` leads: this thread then has the role until it calls Finish. Returns
  /// false after another leader did its write, see writer->status, or after it has left.
  bool Join(Writer* writer) LULL_EXCLUDES(mutex_);

  /// Returns true if `writer` leads, as Join. Returns false at once if another writer is queued.
  bool TryJoin(Writer* writer);

  /// Returns the last writer of the leader's group. The group is limited: a small write does not
  /// wait for large ones, nor an unsynced write for a sync. A request to seal is alone in its
  /// group. Its writers stay until Finish.
  Writer* GroupEnd(Writer* leader) LULL_REQUIRES(kLeadingWriter) LULL_EXCLUDES(mutex_);
  static Writer* NextOf(Writer* writer) { return writer->next; }

  /// Ends the group up to `last` with `status`; the next writer leads.
  void Finish(Writer* leader, Writer* last, const leveldb::Status& status)
      LULL_REQUIRES(kLeadingWriter) LULL_EXCLUDES(mutex_);

  /// Count of queued writers, including the leader. Any thread.
  size_t Length() LULL_EXCLUDES(mutex_);

 private:
  bool IsSoonItsTurn(const Writer* writer) const;
  void SleepUntilItsTurn(Writer* writer) LULL_EXCLUDES(mutex_);
  void LeaveLocked(Writer* writer) LULL_REQUIRES(mutex_);
  static void GiveTurnLocked(Writer* writer, Writer::Turn turn);

  const Clock* const clock_;
  const int looks_;  // at a writer's turn before it sleeps
  // Null if nobody leads. Without the mutex it only changes from null, and to null by the leader
  // that is alone.
  std::atomic<Writer*> last_{nullptr};
  Mutex mutex_;
  size_t waiting_ LULL_GUARDED_BY(mutex_) = 0;  // those after the leader
};

}  // namespace lull
