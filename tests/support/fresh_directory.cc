// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "tests/support/fresh_directory.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <system_error>
#include <vector>

namespace lull::testing {

namespace {

struct Made {
  const pid_t made_in = getpid();
  std::mutex mu;
  std::vector<std::filesystem::path> paths;
};

Made& AllMade() {
  static auto* const kMade = new Made;
  return *kMade;
}

void RemoveAll() {
  if (getpid() != AllMade().made_in) return;  // a forked child that exits
  std::error_code ignored;
  for (const auto& path : AllMade().paths) std::filesystem::remove_all(path, ignored);
}

}  // namespace

std::string FreshDirectory(const std::string& id) {
  Made& made = AllMade();
  std::lock_guard<std::mutex> lock(made.mu);
  const std::string name =
      "lull-" + id + "-" + std::to_string(getpid()) + "-" + std::to_string(made.paths.size());
  const std::filesystem::path path = std::filesystem::temp_directory_path() / name;
  std::filesystem::remove_all(path);
  std::filesystem::create_directories(path);
  if (made.paths.empty()) std::atexit(RemoveAll);
  made.paths.push_back(path);
  return path.string();
}

}  // namespace lull::testing
