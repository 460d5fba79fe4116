// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Puts RocksDB on a modelled device, as device_env.h does for the stores that use LevelDB's Env.
#pragma once

#include <rocksdb/file_system.h>

#include <memory>

#include "benchmarks/device/paced_device.h"

namespace lull::bench {

// `device` must outlive the file system.
std::shared_ptr<rocksdb::FileSystem> NewDeviceFileSystem(PacedDevice* device);

}  // namespace lull::bench
