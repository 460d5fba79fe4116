// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// RocksDB on the device of a model: what device_env.h is for the stores with LevelDB's Env.
#pragma once

#include <rocksdb/file_system.h>

#include <memory>

#include "benchmarks/device/paced_device.h"

namespace lull::bench {

// `device` must outlive the file system.
std::shared_ptr<rocksdb::FileSystem> NewDeviceFileSystem(PacedDevice* device);

}  // namespace lull::bench
