// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// db_guest: what a store costs a program that hardly uses it. Needs only LevelDB's API and Linux,
// so it is built for Lull and for stock LevelDB. Each benchmark runs in a process of its own and
// appends one JSON object to a file; benchmarks/guest runs them.
#include <gflags/gflags.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "leveldb/db.h"

DEFINE_string(db, "", "directory of the stores");
DEFINE_string(json, "", "file to which the result is appended");
DEFINE_string(benchmark, "", "stores, sessions, reopen or reopen_killed");
DEFINE_int32(stores, 40, "stores: how many are open");
DEFINE_int32(kilobytes, 0, "written to each store, in each session, or before the reopen");
DEFINE_int32(sessions, 300, "sessions: how many");
DEFINE_double(rest_seconds, 15, "stores: before memory and disk are measured");
DEFINE_double(watch_seconds, 10, "stores: how long wake-ups are counted");
DEFINE_int64(seed, 301, "of the values");

namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::json;
using Store = std::unique_ptr<leveldb::DB>;
namespace fs = std::filesystem;

constexpr int kValueBytes = 1000;
constexpr int kScanned = 100;

double MillisSince(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

void Check(const leveldb::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  std::exit(1);
}

Store OpenStore(const std::string& name) {
  leveldb::Options options;
  options.create_if_missing = true;
  leveldb::DB* db = nullptr;
  Check(leveldb::DB::Open(options, name, &db));
  return Store(db);
}

/// Writes entries with random keys and values that do not compress.
void Write(leveldb::DB* db, int kilobytes, std::mt19937_64* random) {
  std::string value(kValueBytes, '\0');
  for (int i = 0; i < kilobytes; ++i) {
    for (char& byte : value) byte = static_cast<char>((*random)());
    Check(db->Put(leveldb::WriteOptions(), std::to_string((*random)()), value));
  }
}

/// A number in a line "NAME: number" of a file in /proc.
long NumberIn(const fs::path& file, const std::string& name) {
  std::ifstream lines(file);
  std::string line;
  while (std::getline(lines, line))
    if (line.starts_with(name + ":")) return std::atol(line.c_str() + name.size() + 1);
  return 0;
}

/// How often threads of this process, except for this one, went to sleep so far.
long Sleeps() {
  long sleeps = 0;
  for (const auto& thread : fs::directory_iterator("/proc/self/task")) {
    if (thread.path().filename() == std::to_string(getpid())) continue;
    sleeps += NumberIn(thread.path() / "status", "voluntary_ctxt_switches");
  }
  return sleeps;
}

double DiskMegabytes(const std::string& directory) {
  std::FILE* const du = popen(("du -sk '" + directory + "'").c_str(), "r");
  long kilobytes = 0;
  if (du == nullptr || std::fscanf(du, "%ld", &kilobytes) != 1) std::exit(1);
  pclose(du);
  return static_cast<double>(kilobytes) / 1024;
}

void Rest(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

Json MeasureStores(std::mt19937_64* random) {
  std::vector<Store> stores;
  fs::create_directories(FLAGS_db);
  for (int i = 0; i < FLAGS_stores; ++i) {
    stores.push_back(OpenStore(FLAGS_db + "/" + std::to_string(i)));
    Write(stores.back().get(), FLAGS_kilobytes, random);
  }
  Rest(FLAGS_rest_seconds);
  Json result;
  result["memory_mb"] = static_cast<double>(NumberIn("/proc/self/status", "VmRSS")) / 1024;
  result["disk_mb"] = DiskMegabytes(FLAGS_db);
  const long before = Sleeps();
  Rest(FLAGS_watch_seconds);
  result["wakes_per_s"] = static_cast<double>(Sleeps() - before) / FLAGS_watch_seconds;
  return result;
}

Json MeasureSessions(std::mt19937_64* random) {
  std::vector<double> opens;
  std::vector<double> closes;
  for (int i = 0; i < FLAGS_sessions; ++i) {
    auto begin = Clock::now();
    Store db = OpenStore(FLAGS_db);
    opens.push_back(MillisSince(begin));
    Write(db.get(), FLAGS_kilobytes, random);
    begin = Clock::now();
    db.reset();
    closes.push_back(MillisSince(begin));
  }
  const Store db = OpenStore(FLAGS_db);
  std::string tables;
  if (!db->GetProperty("leveldb.num-files-at-level0", &tables)) std::exit(1);
  const auto begin = Clock::now();
  const std::unique_ptr<leveldb::Iterator> entries(db->NewIterator(leveldb::ReadOptions()));
  int left = kScanned;
  for (entries->SeekToFirst(); entries->Valid() && left > 0; entries->Next()) --left;
  Check(entries->status());
  return {{"scan_ms", MillisSince(begin)},
          {"l0_tables", std::atoi(tables.c_str())},
          {"open_ms", Median(opens)},
          {"close_ms", Median(closes)}};
}

/// Another process writes. It closes the store, or is killed.
Json MeasureReopen(std::mt19937_64* random, bool killed) {
  const pid_t writer = fork();
  if (writer == 0) {
    Store db = OpenStore(FLAGS_db);
    Write(db.get(), FLAGS_kilobytes, random);
    if (killed) raise(SIGKILL);
    db.reset();
    _exit(0);
  }
  int status = 0;
  const bool waited = writer > 0 && waitpid(writer, &status, 0) == writer;
  if (!waited || (killed ? !WIFSIGNALED(status) : status != 0)) {
    std::fprintf(stderr, "the writing process failed\n");
    std::exit(1);
  }
  const auto begin = Clock::now();
  const Store db = OpenStore(FLAGS_db);
  return {{"open_ms", MillisSince(begin)}};
}

}  // namespace

int main(int argc, char** argv) {
  gflags::ParseCommandLineFlags(&argc, &argv, true);
  std::mt19937_64 random(static_cast<uint64_t>(FLAGS_seed));
  Json result;
  if (FLAGS_benchmark == "stores") {
    result = MeasureStores(&random);
  } else if (FLAGS_benchmark == "sessions") {
    result = MeasureSessions(&random);
  } else if (FLAGS_benchmark == "reopen" || FLAGS_benchmark == "reopen_killed") {
    result = MeasureReopen(&random, FLAGS_benchmark == "reopen_killed");
  } else {
    std::fprintf(stderr, "--benchmark: there is no '%s'\n", FLAGS_benchmark.c_str());
    return 1;
  }
  std::ofstream(FLAGS_json, std::ios::app) << result << "\n";
  return 0;
}
