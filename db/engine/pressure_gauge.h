// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// PressureGauge: measures the store for its policy, once in each round of the monitor. What it
// finds also decides things that no policy decides: whether the memtable is sealed although it is
// not full, whether writers wait for the user's space bound, and whether the monitor can leave the
// store alone until a client writes.
//
// Monitor, except where noted. Takes the store's mutex for short sections.
#pragma once

#include <atomic>
#include <cstdint>

#include "db/base/applied_directive.h"
#include "db/base/context.h"
#include "db/base/disk_space.h"
#include "db/engine/cache_loan.h"
#include "db/engine/engine_parts.h"
#include "db/engine/flusher.h"
#include "db/engine/obsolete_files.h"
#include "db/engine/preload.h"
#include "db/engine/store_state.h"
#include "db/engine/table_ingester.h"
#include "db/engine/version_set.h"
#include "db/engine/write_path.h"
#include "scheduler/policy.h"

namespace lull {

class PressureGauge {
 public:
  /// What it measures beside the EngineParts. `listed_bytes`: of tables that some Version lists.
  struct Sources {
    WritePath* writes;
    const VersionSet* versions;
    const Flusher* flusher;
    const TableIngester* ingester;
    Preload* preload;
    const std::atomic<uint64_t>* listed_bytes;
  };
  PressureGauge(const EngineParts& parts, const Sources& sources);

  /// See Tenant::MeasurePressure.
  bool Measure(Pressure* pressure) LULL_EXCLUDES(state_->mutex());

  /// Whether the active memtable must be sealed, once for each time that it was found. Flush
  /// thread.
  bool TakeSealRequest() { return wants_seal_.exchange(false, std::memory_order_relaxed); }
  /// This store's shares of the memory budget and of its unused part. Any thread.
  CacheLoan::Share MemoryShare() const;

 private:
  /// What clients do, sampled once in a round.
  struct Clients {
    uint64_t written_bytes = 0;
    bool are_writing = false;     // a write is under way or delayed
    uint64_t wrote_at_nanos = 0;  // when that was last so
    uint64_t rest_nanos = 0;      // how long it was not
  };

  void SampleClients(uint64_t now_nanos);
  void PassOnShare(uint64_t now_nanos);
  void MeasureTablesLocked(Pressure* pressure) LULL_REQUIRES(state_->mutex());
  bool ObeySpaceBoundLocked(Pressure* pressure) LULL_REQUIRES(state_->mutex());
  bool WantsSealLocked() LULL_REQUIRES(state_->mutex());
  bool MayRestLocked(const Pressure& pressure) LULL_REQUIRES(state_->mutex());
  bool Rests(bool may_rest);

  StoreContext* const context_;
  Coordinator* const coordinator_;
  StoreState* const state_;
  StoreReader* const reader_;
  const AppliedDirective* const applied_;
  const DiskSpace* const disk_;
  const ObsoleteFiles* const obsolete_;
  Reporting* const reporting_;
  const Sources sources_;

  Clients clients_;
  uint64_t rest_told_at_nanos_ = 0;     // see Rests
  CacheLoan::Share share_;              // the flush thread was woken for it
  uint64_t share_passed_at_nanos_ = 0;  // when
  uint64_t table_bytes_ = 0;            // of the current version
  std::atomic<bool> wants_seal_{false};
};

}  // namespace lull
