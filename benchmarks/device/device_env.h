// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// An Env that stores its files on the machine's disk, but whose writes take as long as on the
// modelled device. Syncs do not reach the machine's disk, so that its speed does not matter. The
// data of such a store does not survive a power failure. Same threading rules as Env.
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
