// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "benchmarks/device/paced_device.h"

#include "benchmarks/measure/platform.h"

namespace lull::bench {
namespace {

void SleepWithout(std::unique_lock<std::mutex>& lock, uint64_t due_ns) {
  thread_local const bool precise = (UsePreciseSleep(), true);
  static_cast<void>(precise);
  lock.unlock();
  SleepUntilNs(due_ns);
  lock.lock();
}

}  // namespace

PacedDevice::PacedDevice(const DeviceSpec& spec) : spec_(spec), model_(spec) {}

void PacedDevice::Append(const std::string& file, uint64_t bytes) {
  std::unique_lock lock(mutex_);
  model_.Advance(NowNs());
  model_.Append(file, bytes);
  while (model_.full()) {
    SleepWithout(lock, model_.RoomAtNs());
    model_.Advance(NowNs());
  }
}

void PacedDevice::Sync(const std::string& file) {
  std::unique_lock lock(mutex_);
  model_.Advance(NowNs());
  const DeviceModel::Ticket ticket = model_.Sync(file);
  while (!model_.TakeEnded(ticket)) {
    SleepWithout(lock, model_.EndsAtNs(ticket));
    model_.Advance(NowNs());
  }
}

void PacedDevice::Remove(const std::string& file) {
  const std::lock_guard lock(mutex_);
  model_.Advance(NowNs());
  model_.Remove(file);
}

void PacedDevice::Rename(const std::string& from, const std::string& to) {
  const std::lock_guard lock(mutex_);
  model_.Advance(NowNs());
  model_.Rename(from, to);
}

uint64_t PacedDevice::WrittenBytes() {
  const std::lock_guard lock(mutex_);
  model_.Advance(NowNs());
  return model_.written_bytes();
}

}  // namespace lull::bench
