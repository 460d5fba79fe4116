// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include "leveldb/filter_policy.h"

namespace leveldb {

FilterPolicy::~FilterPolicy() = default;

}  // namespace leveldb
