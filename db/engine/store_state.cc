// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/engine/store_state.h"

#include <algorithm>

namespace lull {

void StoreState::PublishViewLocked() {
  reader_->PublishView(memtables, old_versions.ForView(version_, context_->pace.clock->NowNanos()));
}

void StoreState::CommitLocked(VersionRef version) {
  version_ = std::move(version);
  compaction_state.VersionChanged();
  PublishViewLocked();
  changed.NotifyAll();
}

uint64_t StoreState::DebtBytesLocked() const {
  const LayoutOptions& layout = compaction_state.layout();
  const uint64_t debt = version_->DebtBytes(LevelTargets(layout), layout.l0_trigger);
  return debt - std::min(debt, in_flight.MovedBytes());
}

/// Only the first refusal becomes an event; LOG lists all of them.
void StoreState::ReportRefusalLocked(const char* what, const leveldb::Status& why) {
  if (health.write_error().ok()) activity_->WritesRefused(what, why);
  changed.NotifyAll();
}

void StoreState::FailWrites(const char* what, const leveldb::Status& why) {
  activity_->Log(context_->logger(), std::string("Writes are refused from now on: ") + what +
                                         " failed: " + why.ToString());
  MutexLock lock(mutex);
  ReportRefusalLocked(what, why);
  health.WritesFailed(why);
}

bool StoreState::FailManifest(const leveldb::Status& why, bool restorable) {
  activity_->Log(context_->logger(),
                 "Writes are refused from now on: the MANIFEST failed: " + why.ToString());
  MutexLock lock(mutex);
  ReportRefusalLocked("the MANIFEST", why);
  return health.ManifestFailed(why, restorable);
}

}  // namespace lull
