// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include <fcntl.h>
#include <unistd.h>

#include <cstdarg>
#include <string>

#include "util/logging.h"
#include "util/posix/file.h"

namespace lull::posix {
namespace {

/// Writes each line with one write(2) in append mode. So lines of different threads do not mix,
/// without a lock. Write errors are ignored: there is nowhere to report them.
class FileLogger final : public leveldb::Logger {
 public:
  FileLogger(std::string name, UniqueFd fd) : name_(std::move(name)), fd_(std::move(fd)) {}

  void Logv(const char* format, std::va_list arguments) override {
    std::string line = LogLine(format, arguments);
    if (line.empty()) return;
    iovec pieces[] = {{line.data(), line.size()}};
    WriteAll(fd_.get(), name_, pieces);
  }

 private:
  const std::string name_;
  const UniqueFd fd_;
};

}  // namespace

leveldb::Status OpenLogger(const Path& path, leveldb::Logger** result) {
  *result = nullptr;
  UniqueFd fd;
  if (leveldb::Status s = Open(path, O_WRONLY | O_CREAT | O_APPEND, &fd); !s.ok()) return s;
  *result = new FileLogger(path.name(), std::move(fd));
  return leveldb::Status::OK();
}

}  // namespace lull::posix
