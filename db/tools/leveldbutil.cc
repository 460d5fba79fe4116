// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// leveldbutil dump FILE...: prints files of a store as text, in LevelDB's format. Uses only
// LevelDB's interface.
#include <cstdio>
#include <string>

#include "leveldb/dumpfile.h"
#include "leveldb/env.h"
#include "leveldb/slice.h"
#include "leveldb/status.h"

namespace {

class StandardOutput final : public leveldb::WritableFile {
 public:
  leveldb::Status Append(const leveldb::Slice& data) override {
    return Checked(std::fwrite(data.data(), 1, data.size(), stdout) == data.size());
  }
  leveldb::Status Flush() override { return Checked(std::fflush(stdout) == 0); }
  leveldb::Status Sync() override { return Flush(); }
  leveldb::Status Close() override { return Flush(); }

 private:
  static leveldb::Status Checked(bool written) {
    return written ? leveldb::Status::OK() : leveldb::Status::IOError("cannot write the output");
  }
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
    if (status.ok()) status = flushed;
    if (status.ok()) continue;
    std::fprintf(stderr, "%s\n", status.ToString().c_str());
    all_ok = false;
  }
  return all_ok ? 0 : 1;
}
