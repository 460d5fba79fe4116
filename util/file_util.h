// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Whole files at once, beyond what leveldb/env.h offers. Any thread.
#pragma once

#include <string>

#include "leveldb/env.h"
#include "leveldb/slice.h"
#include "leveldb/status.h"

namespace lull {

/// As leveldb::WriteStringToFile, and the bytes are on stable storage when it returns OK (the
/// file's name is so only after EnvExtension::SyncDirectory). On failure no file of that name is
/// left.
leveldb::Status WriteStringToFileSync(leveldb::Env* env, const leveldb::Slice& data,
                                      const std::string& name);

}  // namespace lull
