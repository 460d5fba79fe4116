// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// usage: whole_life DIRECTORY
//
// Uses the library at all times of a process: before main, and while it destroys what threads, exit
// handlers and static objects own. The other programs of this directory are linked in, so each time
// makes all calls that they make. The exit code counts the failures.
#include <sys/wait.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>

#include "leveldb/db.h"
#include "leveldb/env.h"
#include "lull/backup.h"
#include "lull/call_profile.h"
#include "lull/lull.h"

extern "C" int CApiMain(int argc, char** argv);
int InterfaceMain(int argc, char** argv);
int NoRttiMain(int argc, char** argv);

namespace {

constexpr int kKeys = 2000;
constexpr unsigned kHangSeconds = 60;

int failures = 0;
leveldb::DB* opened_in_main = nullptr;

void Check(bool holds, const std::string& when, const char* what) {
  if (holds) return;
  std::printf("FAILED %s: %s\n", when.c_str(), what);
  ++failures;
}

std::string Key(int i) { return "key" + std::to_string(100'000 + i); }
std::string Value(int i) { return Key(i * 7) + std::string(200, 'v') + Key(i * 11); }

leveldb::DB* Open(const std::string& name) {
  leveldb::Options options;
  options.create_if_missing = true;
  options.compression = leveldb::kZstdCompression;
  leveldb::DB* db = nullptr;
  const leveldb::Status status = leveldb::DB::Open(options, name, &db);
  if (!status.ok()) std::printf("%s\n", status.ToString().c_str());
  return db;
}

void Fill(leveldb::DB* db) {
  for (int i = 0; i < kKeys; ++i) db->Put(leveldb::WriteOptions(), Key(i), Value(i));
  db->CompactRange(nullptr, nullptr);
}

bool HasAll(leveldb::DB* db) {
  std::string value;
  for (int i = 0; i < kKeys; ++i) {
    if (!db->Get(leveldb::ReadOptions(), Key(i), &value).ok() || value != Value(i)) return false;
  }
  return true;
}

void UseLull(const std::string& when, const std::string& name) {
  const std::unique_ptr<leveldb::DB> db(Open(name));
  if (db == nullptr) return Check(false, when, "open");
  const lull::CallProfile profile;  // can count nothing while a thread ends
  Fill(db.get());
  Check(HasAll(db.get()), when, "own store");
  Check(profile.ToString().size() < 1000, when, "profile");
  const std::string directory = name + "-backups";
  Check(lull::CreateBackup(db.get(), directory).ok(), when, "backup");
  Check(lull::VerifyBackup(leveldb::Env::Default(), directory, 1).ok(), when, "verify");
  Check(lull::RestoreBackup(leveldb::Env::Default(), directory, 1, name + "-restored").ok(), when,
        "restore");
  Check(lull::DeleteRange(db.get(), nullptr, nullptr).ok(), when, "delete range");
  lull::DeletedFiles deleted;
  Check(lull::DeleteFilesInRange(db.get(), nullptr, nullptr, &deleted).ok(), when, "delete files");
}

void UseEverything(const std::string& when) {
  const std::string root = std::getenv("WHOLE_LIFE_DIRECTORY");
  leveldb::Env::Default()->CreateDir(root);
  if (opened_in_main != nullptr) Check(HasAll(opened_in_main), when, "open store");
  UseLull(when, root + "/lull-" + when);
  const auto run = [&](int (*program)(int, char**), const std::string& name) {
    std::string path = root + "/" + name + "-" + when;
    char* argv[] = {path.data(), path.data(), nullptr};
    Check(program(2, argv) == 0, when, name.c_str());
  };
  run(&CApiMain, "c_api");
  run(&NoRttiMain, "no_rtti");
  run(&InterfaceMain, "interface");
}

/// Before the static objects of a library that is linked statically, and after them at the end.
struct FirstAndLast {
  FirstAndLast() {
    if (std::getenv("WHOLE_LIFE_DIRECTORY") == nullptr) return;
    UseEverything("constructor");
    ForkWithAStore();
  }
  ~FirstAndLast() {
    if (opened_in_main == nullptr) return;
    UseEverything("destructor");
    delete opened_in_main;
    std::printf("%d failures\n", failures);
    std::fflush(stdout);
    _exit(failures == 0 ? 0 : 1);
  }

 private:
  static void ForkWithAStore() {
    leveldb::DB* const db = Open(std::string(std::getenv("WHOLE_LIFE_DIRECTORY")) + "/fork");
    Check(db != nullptr, "constructor", "open");
    const pid_t child = fork();
    if (child == 0) {
      alarm(kHangSeconds);
      const bool refused = db->Put(leveldb::WriteOptions(), "key", "child").IsNotSupportedError();
      delete db;
      _exit(refused ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    Check(status == 0, "constructor", "the child notices the fork");
    delete db;
  }
};

__attribute__((init_priority(102))) FirstAndLast first_and_last;

std::mutex mutex;
std::condition_variable changed;
bool thread_has_ended = false;

struct OfThread {
  ~OfThread() {
    UseEverything("thread");
    const std::lock_guard<std::mutex> lock(mutex);
    thread_has_ended = true;
    changed.notify_all();
  }
};

void RunThread(void*) {
  static thread_local OfThread object;
  (void)&object;
  std::string value;
  opened_in_main->Get(leveldb::ReadOptions(), Key(0), &value);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  if (std::getenv("WHOLE_LIFE_DIRECTORY") == nullptr) {  // known before main from now on
    setenv("WHOLE_LIFE_DIRECTORY", argv[1], 1);
    execv(argv[0], argv);
    return 2;
  }
  const std::string name = std::string(argv[1]) + "/open";
  opened_in_main = Open(name);
  if (opened_in_main == nullptr) return 2;
  Fill(opened_in_main);
  std::atexit([] { UseEverything("exit"); });
  leveldb::Env::Default()->StartThread(&RunThread, nullptr);
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait(lock, [] { return thread_has_ended; });
  return 0;
}
