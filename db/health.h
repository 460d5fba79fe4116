// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// What has gone wrong with a store, and what it may do meanwhile. A state machine without a clock,
// a lock or a file: the owner reports events and asks, under its mutex. Some answers are also
// published as gates, which any thread reads without the mutex.
//
// Each row is a state that an event leads to; several may hold at once, and then every "no" counts.
//
//   event                        write  flush  compact  install  delete  until
//   -                            yes    yes    yes      yes      no      Opened
//   Opened                       yes    yes    yes      yes      yes
//   WalFailed                    no     yes    yes      yes      yes     WalRestarted
//   ManifestFailed, restorable   no     no     no       no       no      ManifestRestored
//   ManifestFailed, otherwise    no     no     no       no       no      the store is reopened
//   WritesFailed                 no     yes    no       yes      yes     the store is reopened
//   FlushFailed                  yes    later  yes      yes      yes     FlushInstalled
//   CompactionFailed             yes    yes    later    yes      yes     an install
//   InputUnreadable              yes    yes    later    yes      yes     InputsReadable
//   Closing                      yes    yes    yes      yes      no      the store is reopened
//
// "later": from the given time on, or from RetryNow. After FlushFailed a write that waits for
// memory fails instead of waiting, and after CompactionFailed one that waits for L0: WhyNotFlushed
// and WhyNotCompacted are their errors. After InputUnreadable the board keeps jobs away from that
// range; `damage` is the error of a client that needs just that range.
//
// What always holds:
//   - Of two errors that refuse writes, the first one is reported while it lasts.
//   - A gate says no before the mutex of the event that closed it is released.
#pragma once

#include <cstdint>

#include "db/gates.h"
#include "leveldb/status.h"

namespace lull {

class StoreHealth {
 public:
  explicit StoreHealth(StoreGates* gates) : gates_(gates) {}
  StoreHealth(const StoreHealth&) = delete;
  StoreHealth& operator=(const StoreHealth&) = delete;

  // ---- events

  /// The MANIFEST of this open is durable.
  void Opened();
  void Closing();

  /// A WAL did not take a record, or did not sync.
  void WalFailed(const leveldb::Status& why);
  /// Another WAL takes records, and the MANIFEST needs none from before.
  void WalRestarted();

  /// Nobody knows what is durable in the MANIFEST, or whether CURRENT names it. `restorable`: a new
  /// MANIFEST may settle that. Returns whether it may: not where writes are refused anyway.
  bool ManifestFailed(const leveldb::Status& why, bool restorable);
  void ManifestRestored();

  /// No write may be acknowledged any more.
  void WritesFailed(const leveldb::Status& why);

  void FlushFailed(const leveldb::Status& why, uint64_t retry_at_nanos);
  void FlushInstalled();
  void CompactionFailed(const leveldb::Status& why, uint64_t retry_at_nanos);
  void CompactionInstalled();

  /// A compaction could not read its input.
  void InputUnreadable(const leveldb::Status& why, uint64_t retry_at_nanos);
  /// No range is kept from compactions any more.
  void InputsReadable();

  /// Somebody waits for work that failed.
  void RetryFlushNow() { flush_retry_at_nanos_ = 0; }
  void RetryNow();

  // ---- answers

  bool MayCompact(uint64_t now_nanos) const {
    return write_error().ok() && now_nanos >= compaction_retry_at_nanos_;
  }
  /// Whether edits may be appended to the MANIFEST; no memtable is flushed otherwise.
  bool MayInstall() const { return manifest_ == Manifest::kGood; }
  /// When a flush may be tried, as far as that is a matter of time.
  uint64_t flush_retry_at_nanos() const { return flush_retry_at_nanos_; }

  /// Why nothing is written and no job begins; OK again only if the MANIFEST can be restored.
  const leveldb::Status& write_error() const {
    return manifest_error_.ok() ? fatal_error_ : manifest_error_;
  }
  /// OK again when a WAL was restarted.
  const leveldb::Status& wal_error() const { return wal_error_; }
  const leveldb::Status& WhyNotWritten() const { return FirstOf(write_error(), wal_error_); }
  /// What keeps memory from being flushed.
  const leveldb::Status& WhyNotFlushed() const { return FirstOf(write_error(), flush_error_); }
  /// What keeps background work as a whole from its end.
  const leveldb::Status& WhyNotCompacted() const {
    return FirstOf(write_error(), background_error_);
  }
  /// Why some ranges are kept from compactions.
  const leveldb::Status& damage() const { return damage_; }
  /// Of the last flush or compaction, whether it is over or not; for reports.
  const leveldb::Status& WorstOfBackground() const { return FirstOf(background_error_, damage_); }

  /// For a client that waits: an error from before says nothing about the next try.
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

  StoreGates* const gates_;
  bool is_open_ = false;  // from Opened to Closing
  Manifest manifest_ = Manifest::kGood;
  leveldb::Status manifest_error_;  // OK if there was another error first
  leveldb::Status fatal_error_;
  leveldb::Status wal_error_;
  leveldb::Status background_error_;  // of the last flush or compaction that ended
  uint64_t background_errors_ = 0;    // so far
  leveldb::Status flush_error_;       // the same of flushes alone
  uint64_t flushes_failed_ = 0;
  leveldb::Status damage_;
  uint64_t flush_retry_at_nanos_ = 0;
  uint64_t compaction_retry_at_nanos_ = 0;
};

}  // namespace lull
