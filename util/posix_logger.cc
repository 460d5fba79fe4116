// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include <fcntl.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <ctime>
#include <memory>
#include <string>

#include "util/clock.h"
#include "util/os.h"
#include "util/posix_file.h"

namespace lull::posix {
namespace {

/// "2026/03/29-02:30:00.123456 4711 ": local time, then the thread id.
std::string LinePrefix() {
  const uint64_t now_micros = WallClockMicros();
  const auto seconds = static_cast<std::time_t>(now_micros / 1'000'000);
  std::tm local = {};
  localtime_r(&seconds, &local);
  char text[96];
  const size_t date_bytes = std::strftime(text, sizeof(text), "%Y/%m/%d-%H:%M:%S", &local);
  const int rest_bytes = std::snprintf(text + date_bytes, sizeof(text) - date_bytes, ".%06u %llu ",
                                       static_cast<unsigned>(now_micros % 1'000'000),
                                       static_cast<unsigned long long>(os::ThreadId()));
  return std::string(text, date_bytes + static_cast<size_t>(rest_bytes));
}

/// Writes each line with one write(2) in append mode. So lines of different threads do not mix,
/// without a lock. Write errors are ignored: there is nowhere to report them.
class FileLogger final : public leveldb::Logger {
 public:
  FileLogger(std::string name, UniqueFd fd) : name_(std::move(name)), fd_(std::move(fd)) {}

  void Logv(const char* format, std::va_list arguments) override {
    std::string line = LinePrefix();
    std::va_list again;
    va_copy(again, arguments);
    const int message_bytes = std::vsnprintf(nullptr, 0, format, again);
    va_end(again);
    if (message_bytes < 0) return;
    const size_t prefix_bytes = line.size();
    line.resize(prefix_bytes + static_cast<size_t>(message_bytes) +
                1);  // room for vsnprintf's terminating zero
    std::vsnprintf(line.data() + prefix_bytes, line.size() - prefix_bytes, format, arguments);
    line.pop_back();
    if (line.back() != '\n') line.push_back('\n');
    iovec pieces[] = {{line.data(), line.size()}};
    WriteAll(fd_.get(), name_, pieces);
  }

 private:
  const std::string name_;
  const UniqueFd fd_;
};

}  // namespace

leveldb::Status OpenLogger(const std::string& name, leveldb::Logger** result) {
  *result = nullptr;
  UniqueFd fd;
  if (leveldb::Status s = Open(name, O_WRONLY | O_CREAT | O_APPEND, &fd); !s.ok()) return s;
  *result = new FileLogger(name, std::move(fd));
  return leveldb::Status::OK();
}

}  // namespace lull::posix
