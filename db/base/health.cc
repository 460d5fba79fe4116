// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/base/health.h"

namespace lull {

void StoreHealth::Publish() {
  flags_->refuses_writes.store(!WhyNotWritten().ok(), std::memory_order_release);
  flags_->may_install.store(MayInstall(), std::memory_order_release);
}

void StoreHealth::Opened() { flags_->is_open.store(true, std::memory_order_release); }

void StoreHealth::Closing() { flags_->is_open.store(false, std::memory_order_release); }

void StoreHealth::WalFailed(const leveldb::Status& why) {
  wal_error_ = why;
  Publish();
}

void StoreHealth::WalRestarted() {
  wal_error_ = leveldb::Status::OK();
  Publish();
}

bool StoreHealth::ManifestFailed(const leveldb::Status& why, bool restorable) {
  restorable = restorable && write_error().ok();
  manifest_ = restorable ? Manifest::kRestorable : Manifest::kLost;
  if (write_error().ok()) manifest_error_ = why;
  Publish();
  return restorable;
}

void StoreHealth::ManifestRestored() {
  if (manifest_ != Manifest::kRestorable) return;
  manifest_ = Manifest::kGood;
  manifest_error_ = leveldb::Status::OK();
  Publish();
}

void StoreHealth::WritesFailed(const leveldb::Status& why) {
  if (fatal_error_.ok()) fatal_error_ = why;
  Publish();
}

void StoreHealth::FlushFailed(const leveldb::Status& why, uint64_t retry_at_nanos) {
  flush_error_ = background_error_ = why;
  ++flushes_failed_;
  ++background_errors_;
  flush_retry_at_nanos_ = retry_at_nanos;
}

void StoreHealth::FlushInstalled() { flush_error_ = background_error_ = leveldb::Status::OK(); }

void StoreHealth::CompactionFailed(const leveldb::Status& why, uint64_t retry_at_nanos) {
  background_error_ = why;
  ++background_errors_;
  compaction_retry_at_nanos_ = retry_at_nanos;
}

void StoreHealth::CompactionLacksSpace(const leveldb::Status& why) {
  background_error_ = why;
  ++background_errors_;
}

void StoreHealth::CompactionInstalled() { background_error_ = leveldb::Status::OK(); }

void StoreHealth::InputUnreadable(const leveldb::Status& why, uint64_t retry_at_nanos) {
  damage_ = why;
  compaction_retry_at_nanos_ = retry_at_nanos;
}

void StoreHealth::InputsReadable() { damage_ = leveldb::Status::OK(); }

void StoreHealth::RetryNow() {
  flush_retry_at_nanos_ = 0;
  compaction_retry_at_nanos_ = 0;
}

leveldb::Status StoreHealth::ErrorSince(uint64_t background_errors_before) const {
  if (!write_error().ok()) return write_error();
  return background_errors_ > background_errors_before ? background_error_ : leveldb::Status::OK();
}

}  // namespace lull
