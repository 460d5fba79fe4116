// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// which: the LevelDB that a process runs on. Searches the files whose code the process has mapped,
// because a library inside a program, a wheel or an addon has no name of its own.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>

#include "db/tools/commands.h"
#include "leveldb/env.h"
#include "util/build_info.h"
#include "util/file_util.h"

namespace lull::tools {
namespace {

using leveldb::Status;

/// A virtual function of LevelDB's returns it, so no compiler leaves it out. Lull and RocksDB have
/// no such name.
constexpr std::string_view kLevelDbMark = "leveldb.InternalKeyComparator";

/// The files whose code the process has mapped: names in the process, and one range of addresses.
using CodeFiles = std::map<std::string, std::string>;

/// Parses the lines "8048000-8056000 r-xp 00000000 03:0c 64593 /usr/bin/program".
CodeFiles ParseMaps(const std::string& maps) {
  CodeFiles files;
  std::istringstream lines(maps);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string range, access, offset, device, inode, name;
    fields >> range >> access >> offset >> device >> inode >> std::ws;
    std::getline(fields, name);
    const bool is_file = inode != "0" && name.starts_with('/') && !name.starts_with("/memfd:");
    if (is_file && access.find('x') != access.npos) files.try_emplace(name, range);
  }
  return files;
}

/// Opens a file that the process has mapped. Only root can do so if it is replaced or removed.
Status OpenCode(const std::string& process, const std::string& name, const std::string& range,
                std::unique_ptr<leveldb::SequentialFile>* file) {
  // Names of map_files lack the leading zeros of maps.
  const auto without_zeros = [](const std::string& number) {
    return number.substr(std::min(number.find_first_not_of('0'), number.size()));
  };
  const size_t dash = range.find('-');
  const std::string mapped = process + "/map_files/" + without_zeros(range.substr(0, dash)) + "-" +
                             without_zeros(range.substr(dash + 1));
  Status status = OpenForReading(leveldb::Env::Default(), mapped, file);
  // The process can have another root, as in a container.
  if (!status.ok())
    status = OpenForReading(leveldb::Env::Default(), process + "/root" + name, file);
  return status.ok() ? status : Status::IOError(name, "cannot be read; try it as root");
}

/// Sets *library to "Lull 0.1.0, commit COMMIT", "LevelDB, not Lull", or "" for neither.
Status FindLibrary(leveldb::SequentialFile* file, std::string* library) {
  constexpr size_t kBlockBytes = 1 << 20, kMarkBytesMax = 128;
  // The part of BuildMark that every version has. As a constant here, it would be a second mark.
  const std::string_view own = BuildMark();
  const std::string_view lull_mark = own.substr(0, own.find(' ') + 1);
  const std::unique_ptr<char[]> block(new char[kBlockBytes]);
  std::string text;
  for (;;) {
    leveldb::Slice read;
    const Status status = file->Read(kBlockBytes, &read, block.get());
    if (!status.ok() || read.empty()) return status;
    text.append(read.data(), read.size());
    const size_t at = text.find(lull_mark);
    if (at != text.npos) {
      // If the block ends within the mark, the next one has all of it.
      *library = text.substr(at, text.find('\0', at) - at).substr(std::strlen("@(#)"));
    } else if (library->empty() && text.find(kLevelDbMark) != text.npos) {
      *library = "LevelDB, not Lull";
    }
    text.erase(0, text.size() - std::min(text.size(), kMarkBytesMax));
  }
}

Status ReadMaps(const std::string& process, std::string* maps) {
  leveldb::Env* const env = leveldb::Env::Default();
  if (!env->FileExists("/proc/self/maps"))
    return Status::NotSupported("lull which", "needs /proc/PID/maps, which only Linux has");
  const Status status = leveldb::ReadFileToString(env, process + "/maps", maps);
  if (status.IsNotFound()) return Status::NotFound(process, "no such process");
  if (status.ToString().ends_with(std::strerror(EACCES)))
    return Status::IOError(process, "Permission denied; try it as the process's user or as root");
  return status;
}

}  // namespace

int RunWhich(const Invocation& call) {
  const std::string process = "/proc/" + std::to_string(call.process);
  std::string maps;
  Status status = ReadMaps(process, &maps);
  if (!status.ok()) return Fail(status, call.json);
  bool has_lull = false, has_other = false;
  for (const auto& [name, range] : ParseMaps(maps)) {
    std::unique_ptr<leveldb::SequentialFile> file;
    std::string library;
    status = OpenCode(process, name, range, &file);
    if (status.ok()) status = FindLibrary(file.get(), &library);
    if (!status.ok()) {
      Fail(status, call.json);
      has_other = true;
    } else if (!library.empty()) {
      PrintResult(call.json, {{"path", name}, {"library", library}}, name + ": " + library);
      (library.starts_with("Lull") ? has_lull : has_other) = true;
    }
  }
  if (!has_lull && !has_other)
    PrintResult(call.json, {{"path", nullptr}, {"library", "none"}}, "none");
  return has_lull && !has_other ? kDone : kFailed;
}

}  // namespace lull::tools
