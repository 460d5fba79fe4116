// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <ostream>

#include "leveldb/env.h"
#include "tests/support/fresh_directory.h"
#include "tests/support/weaknesses.h"

namespace lull::testing {

namespace {

constexpr unsigned kSecondsMax = 120;
constexpr char kIdVariable[] = "LULL_TEST_WEAKNESS";
constexpr char kShown[] = "VERDICT shown: ";
constexpr char kAbsent[] = "VERDICT absent: ";

std::string HowItEnded(int wait_status) {
  if (WIFEXITED(wait_status)) return "exit code " + std::to_string(WEXITSTATUS(wait_status));
  const int signal = WTERMSIG(wait_status);
  if (signal == SIGALRM) return "hung";
  return std::string("killed by signal ") + std::to_string(signal) + " (" + strsignal(signal) + ")";
}

[[noreturn]] void BecomeChild(const std::string& id, const std::string& output) {
  setenv(kIdVariable, id.c_str(), 1);
  unsetenv("GTEST_OUTPUT");
  unsetenv("GTEST_TOTAL_SHARDS");
  unsetenv("GTEST_SHARD_INDEX");
  if (std::freopen(output.c_str(), "w", stdout) == nullptr) _exit(126);
  dup2(fileno(stdout), fileno(stderr));
  alarm(kSecondsMax);  // survives exec, and ends a child that hangs
  execl("/proc/self/exe", "child", "--gtest_also_run_disabled_tests",
        "--gtest_filter=WeaknessChild.DISABLED_Run", static_cast<char*>(nullptr));
  _exit(127);
}

// The rest of the line that begins with `start`, if there is one.
bool FindLine(const std::string& text, const std::string& start, std::string* rest) {
  const size_t at = text.find(start);
  if (at == std::string::npos) return false;
  *rest = text.substr(at + start.size(), text.find('\n', at) - at - start.size());
  return true;
}

}  // namespace

void PrintTo(const Weakness& weakness, std::ostream* out) { *out << weakness.title; }

const std::vector<Weakness>& AllWeaknesses() {
  static const auto* const kAll = [] {
    auto* all = new std::vector<Weakness>(LogWeaknesses());
    for (const Weakness& weakness : DataWeaknesses()) all->push_back(weakness);
    return all;
  }();
  return *kAll;
}

WeaknessVerdict RunWeaknessIsolated(const std::string& id) {
  const std::string output = FreshDirectory(id + "-output") + "/output";
  std::fflush(nullptr);
  const pid_t pid = fork();
  if (pid == 0) BecomeChild(id, output);
  int status = 0;
  if (pid < 0 || waitpid(pid, &status, 0) != pid) return {true, "could not start a child"};
  std::ifstream file(output, std::ios::binary);
  const std::string said(std::istreambuf_iterator<char>(file), {});
  WeaknessVerdict verdict;
  verdict.weakness_shown = FindLine(said, kShown, &verdict.detail);
  if (verdict.weakness_shown || (status == 0 && FindLine(said, kAbsent, &verdict.detail))) {
    return verdict;
  }
  return {true, "the process did not survive: " + HowItEnded(status) + "; " +
                    said.substr(said.size() - std::min<size_t>(said.size(), 600))};
}

bool RunWeaknessChild() {
  const char* id = std::getenv(kIdVariable);
  for (const Weakness& weakness : AllWeaknesses()) {
    if (id == nullptr || std::strcmp(weakness.id, id) != 0) continue;
    const WeaknessVerdict verdict = weakness.run();
    std::printf("%s%s\n", verdict.weakness_shown ? kShown : kAbsent, verdict.detail.c_str());
    std::fflush(stdout);
    return true;
  }
  return false;
}

leveldb::Options UncompressedStore(leveldb::Env* env) {
  leveldb::Options options;
  options.env = env;
  options.create_if_missing = true;
  options.compression = leveldb::kNoCompression;
  return options;
}

std::unique_ptr<leveldb::DB> OpenOrNull(const leveldb::Options& options, const std::string& name,
                                        leveldb::Status* status) {
  leveldb::DB* db = nullptr;
  const leveldb::Status opened = leveldb::DB::Open(options, name, &db);
  if (status != nullptr) *status = opened;
  return std::unique_ptr<leveldb::DB>(opened.ok() ? db : nullptr);
}

std::vector<std::string> FilesEndingIn(leveldb::Env* env, const std::string& directory,
                                       const std::string& suffix) {
  std::vector<std::string> names, found;
  env->GetChildren(directory, &names);
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    if (name.ends_with(suffix)) found.push_back(directory + "/" + name);
  }
  return found;
}

}  // namespace lull::testing
