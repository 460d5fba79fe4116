// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A device model that makes its callers wait: an append until the page cache has room, a sync until
// it ends on the modelled device. Any thread; sleeps on the caller's thread without holding a lock.
#pragma once

#include <mutex>
#include <string>

#include "benchmarks/device/device_model.h"

namespace lull::bench {

class PacedDevice {
 public:
  explicit PacedDevice(const DeviceSpec& spec);

  void Append(const std::string& file, uint64_t bytes);
  void Sync(const std::string& file);
  void Remove(const std::string& file);
  void Rename(const std::string& from, const std::string& to);

  uint64_t WrittenBytes();
  const DeviceSpec& spec() const { return spec_; }

 private:
  const DeviceSpec spec_;
  std::mutex mutex_;
  DeviceModel model_;
};

}  // namespace lull::bench
