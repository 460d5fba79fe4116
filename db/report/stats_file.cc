// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/report/stats_file.h"

#include <cctype>
#include <filesystem>
#include <utility>

#include "db/report/metrics_change.h"
#include "leveldb/slice.h"
#include "util/hash.h"
#include "util/logging.h"

namespace lull {
namespace {

using leveldb::Status;

constexpr uint64_t kNanosPerSecond = 1'000'000'000;
/// What others change, such as free space, is written at least this often.
constexpr uint64_t kOthersNanos = 60 * kNanosPerSecond;

/// A file system in memory that every Linux has, and that other users can read.
constexpr char kMemoryDirectory[] = "/dev/shm";

Status WriteAndClose(std::unique_ptr<leveldb::WritableFile> file, const std::string& text) {
  const Status status = file->Append(text);
  const Status closed = file->Close();
  return status.ok() ? closed : status;
}

/// "lull-var-lib-my%2Dstore.prom" for /var/lib/my-store: another name for each path.
std::string NameFor(const std::string& store) {
  constexpr size_t kNameBytesMax = 200;  // file systems allow 255
  std::error_code error;
  std::string path = std::filesystem::absolute(store, error).lexically_normal().generic_string();
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  std::string name;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = byte < 0x80 && (std::isalnum(byte) != 0 || c == '.' || c == '_');
    name += c == '/' ? "-" : is_plain ? std::string(1, c) : Format("%%%02X", byte);
  }
  if (name.size() > kNameBytesMax) {
    const uint32_t hash = Hash(path.data(), path.size(), 0);
    name = Format("-%08X", hash) + name.substr(name.size() - kNameBytesMax);
  }
  return "lull" + name + ".prom";
}

}  // namespace

StatsFile::StatsFile(Setup setup) : setup_(std::move(setup)), extension_(ExtensionOf(setup_.env)) {}

std::string StatsFile::PathFor(const std::string& store, const std::string& option) {
  std::error_code error;
  std::string path = option;
  if (option == "auto") {
    const bool has_memory = std::filesystem::is_directory(kMemoryDirectory, error);
    path = (has_memory ? kMemoryDirectory : store) + std::string("/");
  }
  if (path.ends_with('/')) path += NameFor(store);
  const bool is_relative = std::filesystem::path(path).is_relative() && option != "auto";
  return is_relative ? store + "/" + path : path;
}

StatsFile::~StatsFile() {
  if (thread_ != nullptr) thread_->Remove(this);
  thread_.reset();
  if (is_written_ && CheckTarget().ok()) setup_.env->RemoveFile(setup_.path);
}

void StatsFile::Start() {
  const std::string directory = std::filesystem::path(setup_.path).parent_path().string();
  const std::string mounts = extension_->MountOf(setup_.store).device + " " +
                             extension_->MountOf(directory.empty() ? "." : directory).device;
  const Status status = StatsThread::Get(mounts, setup_.interval_nanos, &thread_);
  if (status.ok()) {
    thread_->Add(this);
  } else {
    Report(status);
  }
}

Status StatsFile::Update() {
  const Status status = WriteOrTouch(setup_.read());
  Report(status);
  return status;
}

Status StatsFile::WriteOrTouch(const Stats& now) {
  if (!is_written_) return Write(now);
  const MetricsChange change = CompareMetrics(written_.text, now.text);
  const bool is_old = now.uptime_nanos - written_.uptime_nanos >= kOthersNanos;
  if (change == MetricsChange::kOfStore || (change == MetricsChange::kOfOthers && is_old))
    return Write(now);
  if (now.uptime_nanos - touched_uptime_nanos_ < kStatsTouchNanos) return Status::OK();
  // Also if the file was removed, or its file system cannot store the time.
  return Touch(now).ok() ? Status::OK() : Write(now);
}

Status StatsFile::Write(const Stats& now) {
  Status status = CheckTarget();
  if (!status.ok()) return status;
  // Another name each time, even if the clock stands still, so that a file of a killed process does
  // not block all later ones.
  const std::string temp =
      setup_.path + "." + std::to_string(setup_.env->NowMicros() + attempts_++) + ".tmp";
  leveldb::WritableFile* raw = nullptr;
  status = extension_->NewExclusiveFile(temp, &raw);
  if (!status.ok()) return status;
  status = WriteAndClose(std::unique_ptr<leveldb::WritableFile>(raw), now.text);
  if (status.ok()) status = setup_.env->RenameFile(temp, setup_.path);
  if (status.ok()) {
    is_written_ = true;
    written_ = now;
    touched_uptime_nanos_ = now.uptime_nanos;
  } else {
    setup_.env->RemoveFile(temp);
  }
  return status;
}

/// Changes only the time. Readers compare it with the time in the text, so it must be exact.
Status StatsFile::Touch(const Stats& now) {
  const uint64_t nanos =
      written_.wall_seconds * kNanosPerSecond + (now.uptime_nanos - written_.uptime_nanos);
  Status status = CheckTarget();
  if (status.ok()) status = extension_->SetModifiedNanos(setup_.path, nanos);
  FileStamp stamp;
  if (status.ok()) status = extension_->GetFileStamp(setup_.path, &stamp);
  if (status.ok() && stamp.modified_nanos != nanos)
    status = Status::NotSupported(setup_.path, "the file system does not store exact times");
  if (status.ok()) touched_uptime_nanos_ = now.uptime_nanos;
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
