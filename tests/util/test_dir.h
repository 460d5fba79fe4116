// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A private directory of a test, removed with its contents at the end; and files opened by an Env.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "leveldb/status.h"
#include "util/random.h"

namespace lull {

class TestDir {
 public:
  TestDir() {
    static std::atomic<int> made{0};
    const std::string name =
        "lull-util-" + std::to_string(getpid()) + "-" + std::to_string(made.fetch_add(1));
    const std::filesystem::path path = std::filesystem::path(::testing::TempDir()) / name;
    std::filesystem::remove_all(path);
    std::filesystem::create_directories(path);
    path_ = path.string();
  }
  ~TestDir() { std::filesystem::remove_all(path_); }
  TestDir(const TestDir&) = delete;
  TestDir& operator=(const TestDir&) = delete;

  const std::string& path() const { return path_; }
  std::string File(const std::string& name) const { return path_ + "/" + name; }

  /// Bypasses the Env under test.
  static std::string Contents(const std::string& name) {
    std::ifstream in(name, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  }
  static void SetContents(const std::string& name, const std::string& bytes) {
    std::ofstream(name, std::ios::binary) << bytes;
  }

 private:
  std::string path_;
};

inline std::string RandomBytes(size_t size, uint64_t seed = 1) {
  Random random(seed);
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random.Next());
  return bytes;
}

/// The file that a function of an Env opens: Opened(env, &Env::NewWritableFile, name).
template <class Owner, class File>
std::unique_ptr<File> Opened(Owner* owner,
                             leveldb::Status (Owner::*open)(const std::string&, File**),
                             const std::string& name) {
  File* file = nullptr;
  const leveldb::Status s = (owner->*open)(name, &file);
  EXPECT_TRUE(s.ok()) << s.ToString();
  return std::unique_ptr<File>(file);
}

/// The error of such a function, which must not give a file.
template <class Owner, class File>
leveldb::Status Refused(Owner* owner, leveldb::Status (Owner::*open)(const std::string&, File**),
                        const std::string& name) {
  File* file = reinterpret_cast<File*>(owner);
  const leveldb::Status s = (owner->*open)(name, &file);
  EXPECT_EQ(file, nullptr);
  return s;
}

}  // namespace lull
