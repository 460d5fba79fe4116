// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// StoreHealth: the errors of a store, and which operations they forbid. A state machine without a
// clock, a lock or files. The owner reports events and asks questions under its mutex. Some answers
// are also published as flags (PublishedFlags), which any thread reads without the mutex.
//
// Each row is a state, named after the event that leads to it. Several can hold at once; then an
// operation is allowed only if every one of them allows it. "delete" is the deletion of files that
// the MANIFEST does not need.
//
//   event                        write  flush  compact  install  delete  until
//   (at first)                   yes    yes    yes      yes      no      Opened
//   Opened                       yes    yes    yes      yes      yes
//   WalFailed                    no     yes    yes      yes      yes     WalRestarted
//   ManifestFailed, restorable   no     no     no       no       no      ManifestRestored
//   ManifestFailed, otherwise    no     no     no       no       no      the store is reopened
//   WritesFailed                 no     yes    no       yes      yes     the store is reopened
//   FlushFailed                  yes    later  yes      yes      yes     FlushInstalled
//   CompactionFailed             yes    yes    later    yes      yes     an install
//   CompactionLacksSpace         yes    yes    yes      yes      yes     an install
//   InputUnreadable              yes    yes    later    yes      yes     InputsReadable
//   Closing                      yes    yes    yes      yes      no      the store is reopened
//
// "later": from the given time on, or after RetryFlushNow (flushes) or RetryNow. After FlushFailed,
// a write that waits for memory fails with WhyNotFlushed. After CompactionFailed or
// CompactionLacksSpace, a write that waits for L0 fails with WhyNotCompacted. After
// InputUnreadable, the CompactionState begins no job in the unreadable range, and a client that
// needs that range gets the error `damage`.
//
// Invariants:
//   - Of two errors that refuse writes, the first is reported for as long as it lasts.
//   - An event that forbids an operation updates its gate before the mutex is released.
#pragma once

#include <cstdint>

#include "db/base/published_flags.h"
#include "leveldb/status.h"

namespace lull {

class StoreHealth {
 public:
  explicit StoreHealth(PublishedFlags* flags) : flags_(flags) {}
  StoreHealth(const StoreHealth&) = delete;
  StoreHealth& operator=(const StoreHealth&) = delete;

  // ---- events

  /// The MANIFEST of this open is durable.
  void Opened();
  /// No file is deleted any more.
  void Closing();

  /// A WAL failed to append or sync a record.
  void WalFailed(const leveldb::Status& why);
  /// A new WAL takes records, and the MANIFEST needs none of the older ones.
  void WalRestarted();

  /// It is unknown which edits are durable in the MANIFEST, or whether CURRENT names it.
  /// `restorable`: a new MANIFEST can resolve that. Returns whether to write one: never if
  /// write_error() was set before.
  bool ManifestFailed(const leveldb::Status& why, bool restorable);
  void ManifestRestored();

  /// No write is acknowledged until the store is reopened.
  void WritesFailed(const leveldb::Status& why);

  void FlushFailed(const leveldb::Status& why, uint64_t retry_at_nanos);
  void FlushInstalled();
  void CompactionFailed(const leveldb::Status& why, uint64_t retry_at_nanos);
  /// A compaction did not begin, since the disk has no room for its output. Smaller ones can begin.
  void CompactionLacksSpace(const leveldb::Status& why);
  void CompactionInstalled();

  /// A compaction failed to read its input.
  void InputUnreadable(const leveldb::Status& why, uint64_t retry_at_nanos);
  /// No range is unreadable any more.
  void InputsReadable();

  /// For a client that waits for a flush: a failed flush can be retried at once.
  void RetryFlushNow() { flush_retry_at_nanos_ = 0; }
  /// The same for flushes and compactions.
  void RetryNow();

  // ---- answers

  bool MayCompact(uint64_t now_nanos) const {
    return write_error().ok() && now_nanos >= compaction_retry_at_nanos_;
  }
  /// Whether edits can be appended to the MANIFEST. While false, no memtable is flushed.
  bool MayInstall() const { return manifest_ == Manifest::kGood; }
  /// The earliest time for the next flush, if the last one failed; otherwise in the past.
  uint64_t flush_retry_at_nanos() const { return flush_retry_at_nanos_; }

  /// The error that refuses writes and prevents jobs. Becomes OK again only if the MANIFEST is
  /// restored.
  const leveldb::Status& write_error() const {
    return manifest_error_.ok() ? fatal_error_ : manifest_error_;
  }
  /// The error of the failed WAL. Becomes OK again after WalRestarted.
  const leveldb::Status& wal_error() const { return wal_error_; }
  const leveldb::Status& WhyNotWritten() const { return FirstOf(write_error(), wal_error_); }
  /// Why memtables cannot be flushed: write_error(), or the error of the last flush.
  const leveldb::Status& WhyNotFlushed() const { return FirstOf(write_error(), flush_error_); }
  /// Why a write must not wait for a compaction: write_error(), or the error of the flush or
  /// compaction that ended last.
  const leveldb::Status& WhyNotCompacted() const {
    return FirstOf(write_error(), background_error_);
  }
  /// The error of the unreadable ranges; OK if there are none.
  const leveldb::Status& damage() const { return damage_; }
  /// For reports: the error of the flush or compaction that ended last, or else damage().
  const leveldb::Status& background_status() const { return FirstOf(background_error_, damage_); }

  /// The number of errors of background work. A client that waits for such work passes the number
  /// from before its wait to ErrorSince, which returns OK unless an error occurred since.
  uint64_t background_errors() const { return background_errors_; }
  leveldb::Status ErrorSince(uint64_t background_errors_before) const;
  uint64_t flushes_failed() const { return flushes_failed_; }

 private:
  enum class Manifest { kGood, kRestorable, kLost };

  static const leveldb::Status& FirstOf(const leveldb::Status& first,
                                        const leveldb::Status& second) {
    return first.ok() ? second : first;
  }
  void Publish();

  PublishedFlags* const flags_;
  Manifest manifest_ = Manifest::kGood;
  leveldb::Status manifest_error_;  // OK if another error came first
  leveldb::Status fatal_error_;
  leveldb::Status wal_error_;
  leveldb::Status background_error_;  // of the last flush or compaction that ended
  uint64_t background_errors_ = 0;
  leveldb::Status flush_error_;  // of the last flush
  uint64_t flushes_failed_ = 0;
  leveldb::Status damage_;
  uint64_t flush_retry_at_nanos_ = 0;
  uint64_t compaction_retry_at_nanos_ = 0;
};

}  // namespace lull
