// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <ostream>

#include "tests/support/fresh_directory.h"
#include "tests/support/weakness_scenarios.h"
#include "tests/support/weaknesses.h"

namespace lull::testing {

namespace {

constexpr char kIdVariable[] = "LULL_TEST_WEAKNESS";
constexpr char kExtraVariable[] = "LULL_TEST_WEAKNESS_EXTRA";
constexpr char kShown[] = "VERDICT shown: ";
constexpr char kAbsent[] = "VERDICT absent: ";

std::string HowItEnded(int wait_status) {
  if (WIFEXITED(wait_status)) return "exit code " + std::to_string(WEXITSTATUS(wait_status));
  const int signal = WTERMSIG(wait_status);
  if (signal == SIGALRM) return "hung";
  return std::string("killed by signal ") + std::to_string(signal) + " (" + strsignal(signal) + ")";
}

[[noreturn]] void BecomeChild(const std::string& id, const std::string& extra,
                              const std::string& output, int seconds_max) {
  setenv(kIdVariable, id.c_str(), 1);
  setenv(kExtraVariable, extra.c_str(), 1);
  unsetenv("GTEST_OUTPUT");
  if (std::freopen(output.c_str(), "w", stdout) == nullptr) _exit(126);
  dup2(fileno(stdout), fileno(stderr));
  alarm(static_cast<unsigned>(seconds_max));  // survives exec, and ends a child that hangs
  execl("/proc/self/exe", "child", "--gtest_also_run_disabled_tests",
        "--gtest_filter=WeaknessChild.DISABLED_Run", static_cast<char*>(nullptr));
  _exit(127);
}

std::string LastLines(const std::string& text) {
  return text.size() <= 600 ? text : text.substr(text.size() - 600);
}

std::string Rest(const std::string& text, size_t from) {
  return text.substr(from, text.find('\n', from) - from);
}

}  // namespace

void PrintTo(const Weakness& weakness, std::ostream* out) { *out << weakness.title; }

const std::vector<Weakness>& AllWeaknesses() {
  static const auto* const kAll = new std::vector<Weakness>{
      {"W1", "unlink of the old MANIFEST outruns the rename of CURRENT", W1RenameAfterUnlink},
      {"W2", "acked synced write in a WAL whose name is not durable", W2UnsyncedLogName},
      {"W3", "synced write outlives an older unsynced one in the previous WAL", W3HoleBetweenLogs},
      {"W4", "writes acked after a failed append vanish", W4WriteAfterFailedAppend},
      {"W5", "a read error of the WAL at open deletes data", W5ReadErrorAtOpen},
      {"W6", "a bad record in mid-log leaves a hole", W6HoleAfterBadRecord},
      {"W7", "reuse_logs appends after a torn record", W7ReuseTornLog},
      {"W10", "a missing CURRENT deletes every table", W10MissingCurrent},
      {"W11", "a rename that worked but reported failure loses the MANIFEST", W11LyingRename},
      {"W12", "deleted key returns when its versions span two tables", W12SplitUserKey},
      {"W13", "a failed second open releases the first one's lock", W13LostLock},
      {"W15", "a compaction copies corrupt blocks as if they were valid", W15CorruptionRewritten},
      {"W15b", "a damaged filter hides keys", W15DamagedFilter},
      {"W16", "sizes in a table are trusted", W16TableSizes},
      {"W17", "keys in the MANIFEST are trusted", W17ManifestKeys},
      {"W19", "a table that shrinks kills the process", W19TruncatedTable},
  };
  return *kAll;
}

ChildResult RunChild(const std::string& id, const std::string& extra, int seconds_max) {
  const std::string directory = FreshDirectory(id + "-output");
  const std::string output = directory + "/output";
  ChildResult result;
  std::fflush(nullptr);
  const pid_t pid = fork();
  if (pid == 0) BecomeChild(id, extra, output, seconds_max);
  int status = 0;
  if (pid < 0 || waitpid(pid, &status, 0) != pid) {
    result.how = "could not start a child";
    return result;
  }
  std::ifstream file(output, std::ios::binary);
  result.output.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  result.finished = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  result.how = HowItEnded(status);
  return result;
}

std::string WeaknessExtra() {
  const char* extra = std::getenv(kExtraVariable);
  return extra != nullptr ? extra : "";
}

WeaknessVerdict RunWeaknessIsolated(const std::string& id, int seconds_max) {
  const ChildResult child = RunChild(id, "", seconds_max);
  const size_t shown = child.output.find(kShown);
  if (shown != std::string::npos) return {true, Rest(child.output, shown + std::strlen(kShown))};
  const size_t absent = child.output.find(kAbsent);
  if (child.finished && absent != std::string::npos) {
    return {false, Rest(child.output, absent + std::strlen(kAbsent))};
  }
  return {true, "the process did not survive: " + child.how + "; " + LastLines(child.output)};
}

bool RunWeaknessChild() {
  const char* id = std::getenv(kIdVariable);
  if (id == nullptr) return false;
  if (std::strcmp(id, kLockProbe) == 0) {
    ProbeLock(WeaknessExtra());
    return true;
  }
  for (const Weakness& weakness : AllWeaknesses()) {
    if (std::strcmp(weakness.id, id) != 0) continue;
    const WeaknessVerdict verdict = weakness.run();
    std::printf("%s%s\n", verdict.weakness_shown ? kShown : kAbsent, verdict.detail.c_str());
    std::fflush(stdout);
    return true;
  }
  return false;
}

}  // namespace lull::testing
