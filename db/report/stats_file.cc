// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/report/stats_file.h"

#include <filesystem>
#include <utility>

#include "leveldb/slice.h"

namespace lull {
namespace {

using leveldb::Status;

Status WriteAndClose(std::unique_ptr<leveldb::WritableFile> file, const std::string& text) {
  const Status status = file->Append(text);
  const Status closed = file->Close();
  return status.ok() ? closed : status;
}

}  // namespace

StatsFile::StatsFile(Setup setup) : setup_(std::move(setup)), extension_(ExtensionOf(setup_.env)) {}

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
  if (is_written_ && CheckTarget().ok()) setup_.env->RemoveFile(setup_.path);
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
  Status status = CheckTarget();
  if (!status.ok()) return status;
  // Another name each time, even if the clock stands still, so that a file of a killed process does
  // not block all later ones.
  const std::string temp =
      setup_.path + "." + std::to_string(setup_.env->NowMicros() + attempts_++) + ".tmp";
  leveldb::WritableFile* raw = nullptr;
  status = extension_->NewExclusiveFile(temp, &raw);
  if (!status.ok()) return status;
  status = WriteAndClose(std::unique_ptr<leveldb::WritableFile>(raw), setup_.text());
  if (status.ok()) status = setup_.env->RenameFile(temp, setup_.path);
  if (status.ok()) {
    is_written_ = true;
  } else {
    setup_.env->RemoveFile(temp);
  }
  return status;
}

/// Refuses to replace what is no stats file. A crash can leave one, or, without a sync, an empty
/// file.
Status StatsFile::CheckTarget() const {
  leveldb::SequentialFile* raw = nullptr;
  Status status = extension_->OpenRegularFile(setup_.path, &raw);
  if (status.IsNotFound()) return Status::OK();
  if (status.ok()) {
    const std::unique_ptr<leveldb::SequentialFile> file(raw);
    char scratch[sizeof(kStatsFileBegin) - 1];
    leveldb::Slice begin;
    status = file->Read(sizeof(scratch), &begin, scratch);
    if (status.ok() && (begin.empty() || begin == leveldb::Slice(kStatsFileBegin))) return status;
  }
  if (!status.ok() && !status.IsInvalidArgument()) return status;
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
