// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "benchmarks/device/rocksdb_device.h"

#include <string>
#include <utility>

namespace lull::bench {
namespace {

using rocksdb::FileOptions;
using rocksdb::FSWritableFile;
using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;

class PacedFile final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  PacedFile(std::unique_ptr<FSWritableFile> file, std::string name, PacedDevice* device)
      : FSWritableFileOwnerWrapper(std::move(file)), name_(std::move(name)), device_(device) {}

  IOStatus Append(const rocksdb::Slice& data, const IOOptions& options,
                  IODebugContext* debug) override {
    device_->Append(name_, data.size());
    return FSWritableFileOwnerWrapper::Append(data, options, debug);
  }
  IOStatus Append(const rocksdb::Slice& data, const IOOptions& options,
                  const rocksdb::DataVerificationInfo& info, IODebugContext* debug) override {
    device_->Append(name_, data.size());
    return FSWritableFileOwnerWrapper::Append(data, options, info, debug);
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* debug) override {
    device_->Sync(name_);
    return Flush(options, debug);
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* debug) override {
    return Sync(options, debug);
  }
  // A hint to write back early, which the model does anyway.
  IOStatus RangeSync(uint64_t, uint64_t, const IOOptions&, IODebugContext*) override {
    return IOStatus::OK();
  }

 private:
  const std::string name_;
  PacedDevice* const device_;
};

class DeviceFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  explicit DeviceFileSystem(PacedDevice* device)
      : FileSystemWrapper(rocksdb::FileSystem::Default()), device_(device) {}

  const char* Name() const override { return "lull.DeviceFileSystem"; }

  IOStatus NewWritableFile(const std::string& name, const FileOptions& options,
                           std::unique_ptr<FSWritableFile>* file, IODebugContext* debug) override {
    const IOStatus status = target()->NewWritableFile(name, options, file, debug);
    if (!status.ok()) return status;
    device_->Remove(name);  // an older file of that name was truncated
    *file = std::make_unique<PacedFile>(std::move(*file), name, device_);
    return status;
  }
  IOStatus ReopenWritableFile(const std::string& name, const FileOptions& options,
                              std::unique_ptr<FSWritableFile>* file,
                              IODebugContext* debug) override {
    const IOStatus status = target()->ReopenWritableFile(name, options, file, debug);
    if (status.ok()) *file = std::make_unique<PacedFile>(std::move(*file), name, device_);
    return status;
  }
  IOStatus DeleteFile(const std::string& name, const IOOptions& options,
                      IODebugContext* debug) override {
    const IOStatus status = target()->DeleteFile(name, options, debug);
    if (status.ok()) device_->Remove(name);
    return status;
  }
  IOStatus RenameFile(const std::string& from, const std::string& to, const IOOptions& options,
                      IODebugContext* debug) override {
    const IOStatus status = target()->RenameFile(from, to, options, debug);
    if (status.ok()) device_->Rename(from, to);
    return status;
  }

 private:
  PacedDevice* const device_;
};

}  // namespace

std::shared_ptr<rocksdb::FileSystem> NewDeviceFileSystem(PacedDevice* device) {
  return std::make_shared<DeviceFileSystem>(device);
}

}  // namespace lull::bench
