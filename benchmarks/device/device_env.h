// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// An Env whose files are the machine's, and whose writes take as long as on the device of a model.
// A sync does not reach the machine's own disk, so that this takes no part: what such a store
// writes does not survive a power failure. Threads as of Env.
#pragma once

#include <memory>
#include <string>

#include "benchmarks/device/paced_device.h"
#include "leveldb/env.h"

namespace lull::bench {

class DeviceEnv final : public leveldb::EnvWrapper {
 public:
  // `device` must outlive the Env.
  explicit DeviceEnv(PacedDevice* device)
      : leveldb::EnvWrapper(leveldb::Env::Default()), device_(device) {}

  leveldb::Status NewWritableFile(const std::string& name, leveldb::WritableFile** file) override;
  leveldb::Status NewAppendableFile(const std::string& name, leveldb::WritableFile** file) override;
  leveldb::Status RemoveFile(const std::string& name) override;
  leveldb::Status RenameFile(const std::string& from, const std::string& to) override;

 private:
  PacedDevice* const device_;
};

}  // namespace lull::bench
