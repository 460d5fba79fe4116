// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// leveldbutil dump FILE...: prints files of a store as text, in LevelDB's format. Uses only
// LevelDB's interface.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "leveldb/dumpfile.h"
#include "leveldb/env.h"
#include "leveldb/slice.h"
#include "leveldb/status.h"

namespace {

class StandardOutput final : public leveldb::WritableFile {
 public:
  /// errno of the first write that failed; 0: none has.
  int error() const { return error_; }

  leveldb::Status Append(const leveldb::Slice& data) override {
    return Checked(std::fwrite(data.data(), 1, data.size(), stdout) == data.size());
  }
  leveldb::Status Flush() override { return Checked(std::fflush(stdout) == 0); }
  leveldb::Status Sync() override { return Flush(); }
  leveldb::Status Close() override { return Flush(); }

 private:
  leveldb::Status Checked(bool written) {
    if (!written && error_ == 0) error_ = errno;
    return error_ == 0 ? leveldb::Status::OK() : leveldb::Status::IOError("cannot write output");
  }

  int error_ = 0;
};

int Usage() {
  std::fputs(
      "usage: leveldbutil dump FILE...\n"
      "  prints logs, MANIFESTs and tables as text\n",
      stderr);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || std::string(argv[1]) != "dump") return Usage();
  StandardOutput output;
  bool all_ok = true;
  for (int i = 2; i < argc; ++i) {
    leveldb::Status status = leveldb::DumpFile(leveldb::Env::Default(), argv[i], &output);
    const leveldb::Status flushed = output.Flush();
    if (!flushed.ok()) {
      if (output.error() != EPIPE)
        std::fprintf(stderr, "leveldbutil: cannot write output: %s\n",
                     std::strerror(output.error()));
      return 1;
    }
    if (status.ok()) continue;
    std::fprintf(stderr, "%s\n", status.ToString().c_str());
    all_ok = false;
  }
  return all_ok ? 0 : 1;
}
