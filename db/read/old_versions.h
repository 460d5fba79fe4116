// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// OldVersions: the Versions that are no longer current but still exist, because iterators, reads,
// compactions or checkpoints need their tables. Costs reads nothing: the views of a Version share
// one reference to it, and a weak pointer tells whether one of these views still exists. No lock or
// clock; the owner calls it under its mutex.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "db/base/filename.h"
#include "db/version/version.h"

namespace lull {

class OldVersions {
 public:
  struct Old {
    VersionRef version;
    uint64_t replaced_nanos = 0;  ///< when the next Version became current
    bool is_read = false;         ///< an iterator or a read uses it
  };

  /// Returns the reference to `version` that a new view must hold. If it is not the Version of the
  /// last call, that one is old from now on.
  VersionRef ForView(const VersionRef& version, uint64_t now_nanos);

  /// Oldest first.
  std::vector<Old> Existing() const;

 private:
  struct Entry {
    std::weak_ptr<const Version> version;
    std::weak_ptr<const VersionRef> views;
    uint64_t replaced_nanos = 0;
  };

  Entry current_;
  std::vector<Entry> old_;
};

/// The tables that `old` lists and `current` does not.
FileTotals TablesOnlyIn(const std::vector<OldVersions::Old>& old, const Version& current);

}  // namespace lull
