// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "leveldb/slice.h"
#include "util/page_buffer.h"
#include "util/posix/file.h"
#include "util/posix/file_os.h"

namespace lull::posix {
namespace {

using leveldb::Slice;
using leveldb::Status;

bool IsManifest(const std::string& name) {
  const size_t slash = name.rfind('/');
  return Slice(name.data() + (slash == std::string::npos ? 0 : slash + 1)).starts_with("MANIFEST");
}

class BufferedFile final : public LogFile {
 public:
  BufferedFile(const Path& path, UniqueFd fd, const WriteStyle& style)
      : path_(path),
        syncs_directory_(style.manifest_syncs_directory && IsManifest(path.name())),
        style_(style),
        buffer_(style.buffer_bytes),
        fd_(std::move(fd)) {}

  ~BufferedFile() override {
    if (fd_.is_open()) BufferedFile::Flush();  // a destructor cannot report an error
  }

  Status Append(const Slice& data) override {
    if (!failure_.ok()) return failure_;
    if (data.size() >= style_.direct_bytes || data.size() > style_.buffer_bytes - buffered_)
      return Write(data);
    std::memcpy(buffer_.get() + buffered_, data.data(), data.size());
    buffered_ += data.size();
    return Status::OK();
  }

  Status Flush() override {
    if (!failure_.ok() || buffered_ == 0) return failure_;
    return Write(Slice());
  }

  Status Sync() override {
    if (Status s = Flush(); !s.ok()) return s;
    // A MANIFEST names files created before it. When it becomes durable, their names and its own
    // must be durable too.
    if (syncs_directory_) failure_ = SyncDirectory(path_.Parent());
    if (failure_.ok()) failure_ = SyncData(fd_.get(), path_.name());
    return failure_;
  }

  Status Seal() override {
    if (Status s = Flush(); !s.ok() || !style_.trims) return s;
    return ftruncate(fd_.get(), static_cast<off_t>(written_)) == 0 ? Status::OK()
                                                                   : Error(path_.name(), errno);
  }

  Status Close() override {
    Status s = BufferedFile::Seal();
    const int error = fd_.Close();
    if (s.ok() && error != 0) s = Error(path_.name(), error);
    return s;
  }

 private:
  /// Writes the buffer, then `more`, in one call.
  Status Write(const Slice& more) {
    iovec pieces[] = {{buffer_.get(), buffered_}, {const_cast<char*>(more.data()), more.size()}};
    failure_ = WriteAll(fd_.get(), path_.name(), pieces);
    if (!failure_.ok()) return failure_;
    written_ += buffered_ + more.size();
    buffered_ = 0;
    BeginWriteback();
    return failure_;
  }

  /// At most one piece is in writeback, so that a client's WAL sync waits for no more than that.
  void BeginWriteback() {
    if (style_.writeback_bytes == 0 || written_ - writeback_begun_ < style_.writeback_bytes) return;
    int error = 0;
    if (writeback_begun_ > writeback_done_) {
      error = os::WriteBack(fd_.get(), writeback_done_, writeback_begun_, os::Writeback::kFinish);
    }
    if (error == 0)
      error = os::WriteBack(fd_.get(), writeback_begun_, written_, os::Writeback::kBegin);
    if (error != 0) failure_ = Error(path_.name(), error);
    writeback_done_ = std::exchange(writeback_begun_, written_);
  }

  const Path path_;
  const bool syncs_directory_;
  const WriteStyle style_;
  const PageBuffer buffer_;
  UniqueFd fd_;
  size_t buffered_ = 0;
  uint64_t written_ = 0;          // bytes passed to the kernel
  uint64_t writeback_begun_ = 0;  // bytes whose writeback was requested
  uint64_t writeback_done_ = 0;   // bytes whose writeback is complete, if no error
  Status failure_;
};

}  // namespace

std::unique_ptr<LogFile> MakeWritable(const Path& path, UniqueFd fd, const WriteStyle& style) {
  return std::make_unique<BufferedFile>(path, std::move(fd), style);
}

}  // namespace lull::posix
