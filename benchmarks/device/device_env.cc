// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "benchmarks/device/device_env.h"

namespace lull::bench {
namespace {

class PacedFile final : public leveldb::WritableFile {
 public:
  PacedFile(leveldb::WritableFile* file, std::string name, PacedDevice* device)
      : file_(file), name_(std::move(name)), device_(device) {}

  leveldb::Status Append(const leveldb::Slice& data) override {
    device_->Append(name_, data.size());
    return file_->Append(data);
  }
  leveldb::Status Close() override { return file_->Close(); }
  leveldb::Status Flush() override { return file_->Flush(); }
  leveldb::Status Sync() override {
    device_->Sync(name_);
    return file_->Flush();
  }

 private:
  const std::unique_ptr<leveldb::WritableFile> file_;
  // Not updated when the file is renamed while open. Stores rename only closed files.
  const std::string name_;
  PacedDevice* const device_;
};

}  // namespace

leveldb::Status DeviceEnv::NewWritableFile(const std::string& name, leveldb::WritableFile** file) {
  const leveldb::Status status = target()->NewWritableFile(name, file);
  if (!status.ok()) return status;
  device_->Remove(name);  // an older file of that name was truncated
  *file = new PacedFile(*file, name, device_);
  return status;
}

leveldb::Status DeviceEnv::NewAppendableFile(const std::string& name,
                                             leveldb::WritableFile** file) {
  const leveldb::Status status = target()->NewAppendableFile(name, file);
  if (status.ok()) *file = new PacedFile(*file, name, device_);
  return status;
}

leveldb::Status DeviceEnv::RemoveFile(const std::string& name) {
  const leveldb::Status status = target()->RemoveFile(name);
  if (status.ok()) device_->Remove(name);
  return status;
}

leveldb::Status DeviceEnv::RenameFile(const std::string& from, const std::string& to) {
  const leveldb::Status status = target()->RenameFile(from, to);
  if (status.ok()) device_->Rename(from, to);
  return status;
}

}  // namespace lull::bench
