// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Reads the files of a store without its LOCK, while another process can write to it. Any thread.
//
// Consistency: a writer deletes files, and overwrites WALs with newer ones, only after an edit in
// the MANIFEST. So if the MANIFEST did not grow while the files were read, every WAL and table that
// it needs was still there.
#pragma once

#include <functional>

#include "db/base/context.h"
#include "leveldb/status.h"

namespace lull {

/// InvalidArgument if `context.name` is not the directory of a store, or an error of FindStore.
leveldb::Status CheckIsStore(const StoreContext& context);

/// Calls `load`, which reads the MANIFEST and other files of the store at `context.name`, until the
/// MANIFEST does not change meanwhile. Then returns its result. Fails as CheckIsStore does, and
/// with IOError if the store changes during each of many attempts.
leveldb::Status LoadUnchanged(const StoreContext& context,
                              const std::function<leveldb::Status()>& load);

}  // namespace lull
