// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// SpaceBound: the user's bound on a store's disk space, as a share of its live entries. It decides
// when compactions must free space although clients write, and when writers must wait for them. No
// lock or clock; the owner calls it under its mutex.
//
// The bound holds for what compactions can free. It does not hold for space that old iterators or
// snapshots keep: writers do not wait for clients.
#pragma once

#include <cstdint>

namespace lull {

class SpaceBound {
 public:
  struct Use {
    uint64_t file_bytes = 0;      ///< tables and logs, obsolete ones too, and sealed memtables
    uint64_t doomed_bytes = 0;    ///< of these, obsolete tables and logs
    uint64_t output_bytes = 0;    ///< what running compactions write, or the next one of L0
    uint64_t live_bytes = 0;      ///< entries in tables that nothing hides, by estimate
    uint64_t memtable_bytes = 0;  ///< size at which a memtable is full
  };

  /// 0: no bound.
  void SetPercentMax(uint64_t percent) { percent_max_ = percent; }
  bool is_set() const { return percent_max_ > 0; }

  /// The bound, in bytes. A small store gets what it needs to work: room for some memtables with
  /// their logs, and for the output of a compaction.
  uint64_t BytesMax(const Use& use) const;
  /// Compactions must free space. A compaction needs space for its output before its inputs can be
  /// deleted.
  bool IsNear(const Use& use) const;
  /// The next memtable would exceed the bound.
  bool IsReached(const Use& use) const;

  /// A compaction was installed, so its inputs can soon be deleted.
  void Installed(uint64_t now_nanos) { installed_nanos_ = now_nanos; }
  /// No compaction must begin: its output would exceed the bound, but files are about to be
  /// deleted. Not for long, since an iterator can keep them.
  bool HoldsCompactions(const Use& use, uint64_t now_nanos) const;

 private:
  uint64_t percent_max_ = 0;
  uint64_t installed_nanos_ = 0;
};

}  // namespace lull
