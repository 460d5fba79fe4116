// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/report/stats_file.h"

#include <filesystem>
#include <utility>

#include "leveldb/slice.h"

namespace lull {
namespace {

using leveldb::Status;

std::string TempPath(const std::string& path) { return path + ".tmp"; }

Status WriteWithoutSync(leveldb::Env* env, const std::string& path, const std::string& text) {
  leveldb::WritableFile* raw = nullptr;
  Status status = env->NewWritableFile(path, &raw);
  if (!status.ok()) return status;
  const std::unique_ptr<leveldb::WritableFile> file(raw);
  status = file->Append(text);
  const Status closed = file->Close();
  return status.ok() ? closed : status;
}

}  // namespace

std::string StatsFile::PathFor(const std::string& store, const std::string& option) {
  return std::filesystem::path(option).is_absolute() ? option : store + "/" + option;
}

StatsFile::~StatsFile() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    stop_requested_.NotifyAll();
  }
  thread_.reset();
  if (is_ours_) setup_.env->RemoveFile(setup_.path);
}

void StatsFile::Start() {
  const Status status = ThreadFactory::System()->TryStart(
      "lull-stats", CpuClass::kNormal, [this] { Loop(); }, &thread_);
  if (!status.ok()) Report(status);
}

void StatsFile::Loop() {
  MutexLock lock(mutex_);
  while (!stopping_) {
    mutex_.Unlock();
    Report(WriteNow());
    mutex_.Lock();
    // An early wake-up only writes early.
    if (!stopping_) stop_requested_.WaitFor(mutex_, setup_.interval_nanos);
  }
}

Status StatsFile::WriteNow() {
  Status status = is_ours_ ? Status::OK() : CheckTarget();
  if (!status.ok()) return status;
  const std::string temp = TempPath(setup_.path);
  status = WriteWithoutSync(setup_.env, temp, setup_.text());
  if (status.ok()) status = setup_.env->RenameFile(temp, setup_.path);
  if (status.ok()) {
    is_ours_ = true;
  } else {
    setup_.env->RemoveFile(temp);
  }
  return status;
}

/// Refuses to replace a file of the user or of a store. A crash can leave a stats file, or, without
/// a sync, an empty one.
Status StatsFile::CheckTarget() const {
  leveldb::SequentialFile* raw = nullptr;
  const Status status = setup_.env->NewSequentialFile(setup_.path, &raw);
  if (status.IsNotFound()) return Status::OK();
  if (!status.ok()) return status;
  const std::unique_ptr<leveldb::SequentialFile> file(raw);
  char scratch[sizeof(kStatsFileBegin) - 1];
  leveldb::Slice begin;
  const Status read = file->Read(sizeof(scratch), &begin, scratch);
  if (!read.ok()) return read;
  if (begin.empty() || begin == leveldb::Slice(kStatsFileBegin)) return Status::OK();
  return Status::InvalidArgument(
      setup_.path, "exists and is not a stats file; remove it or set stats_file to another path");
}

void StatsFile::Report(const Status& status) {
  const bool failed_before = std::exchange(failing_, !status.ok());
  if (status.ok() || failed_before) return;
  Log(setup_.logger, "Cannot write stats_file %s: %s; retried every second", setup_.path.c_str(),
      status.ToString().c_str());
}

}  // namespace lull
