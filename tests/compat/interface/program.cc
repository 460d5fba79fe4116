// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A program that uses the whole of lull/*.h. Compiled with the headers of the baseline, it must run
// with later libraries. Argument: a folder that does not exist. Exit code: which step failed.
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

#include "lull/c.h"
#include "lull/listener.h"
#include "lull/lull.h"

namespace {

struct Listener : lull::EventListener {
  void OnJobEnd(const lull::JobInfo& job) override {
    if (job.outcome == lull::JobOutcome::kDone && job.output_bytes > 0) ++jobs;
  }
  void OnOptionsChange(const lull::OptionsInfo& info) override { options = info.options; }
  int jobs = 0;
  std::string options;
};

lull::SchedulingOptions EveryFirstClassOption() {
  return lull::SchedulingOptions()
      .SetPolicy("silk")
      .SetLayout("vsst")
      .SetCompactionThreads(2)
      .SetMemoryBudgetBytes(32u << 20)
      .SetBackgroundBytesPerSec(200u << 20)
      .SetMemtableBytes(256u << 10)
      .SetL0Trigger(4)
      .SetL0Slowdown(40)
      .SetL0Stop(50)
      .SetDebtBytesMax(1u << 30)
      .SetOwnCoordinator(true)
      .SetLatencyHistograms(true)
      .Set("silk_tick_us", "20000");
}

int UseCpp(const std::string& name) {
  leveldb::Options options;
  options.create_if_missing = true;
  leveldb::DB* raw = nullptr;
  if (!lull::CheckOptions(EveryFirstClassOption()).ok()) return 10;
  if (!lull::CheckOptions("no_such_option=1").IsInvalidArgument()) return 11;
  if (!lull::Open(options, EveryFirstClassOption(), name, &raw).ok()) return 12;
  const std::unique_ptr<leveldb::DB> db(raw);
  const auto listener = std::make_shared<Listener>();
  if (!lull::AddListener(raw, listener).ok()) return 13;
  if (!db->Put(leveldb::WriteOptions(), "key", "value").ok()) return 14;
  if (!lull::Flush(raw).ok() || !lull::WaitForIdle(raw).ok()) return 15;
  if (!lull::SetOptions(raw, lull::SchedulingOptions().SetL0Stop(60)).ok()) return 16;
  if (!lull::CreateCheckpoint(raw, name + "-copy").ok()) return 17;
  std::string text;
  if (!db->GetProperty("lull.options", &text)) return 18;
  if (text.find("l0_stop=60") == text.npos) return 19;
  if (text.find("silk_tick_us=20000") == text.npos) return 20;
  leveldb::DB* copy = nullptr;
  if (!lull::OpenReadOnly(options, name + "-copy", &copy).ok()) return 21;
  const leveldb::Status got = copy->Get(leveldb::ReadOptions(), "key", &text);
  delete copy;
  if (!got.ok() || text != "value") return 22;
  if (std::strlen(lull::VersionString()) < 5) return 23;
  return lull::RemoveListener(raw, listener).ok() ? 0 : 24;
}

int UseC(const std::string& name) {
  char* error = nullptr;
  leveldb_options_t* options = leveldb_options_create();
  leveldb_options_set_create_if_missing(options, 1);
  lull_check_options("policy=adoc", &error);
  if (error != nullptr) return 30;
  leveldb_t* db = lull_open(options, "policy=adoc", name.c_str(), &error);
  if (db == nullptr) return 31;
  lull_callbacks_t callbacks = {};
  callbacks.struct_size = sizeof(callbacks);
  lull_listener_t* listener = lull_listener_create(&callbacks, nullptr, nullptr);
  if (listener == nullptr) return 32;
  lull_add_listener(db, listener, &error);
  lull_set_options(db, "policy=lull", &error);
  lull_flush(db, &error);
  lull_wait_for_idle(db, &error);
  lull_create_checkpoint(db, (name + "-copy").c_str(), &error);
  lull_remove_listener(db, listener, &error);
  lull_listener_destroy(listener);
  if (error != nullptr) return 33;
  leveldb_t* copy = lull_open_read_only(options, (name + "-copy").c_str(), &error);
  if (copy == nullptr || std::strcmp(lull_version_string(), lull::VersionString()) != 0) return 34;
  leveldb_close(copy);
  leveldb_close(db);
  leveldb_options_destroy(options);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string name = argv[1];
  leveldb::Options options;
  options.create_if_missing = true;
  leveldb::DB* db = nullptr;
  // What LULL_OPTIONS says is for the library: the program does not know those names.
  const leveldb::Status status = leveldb::DB::Open(options, name + "-plain", &db);
  delete db;
  if (!status.ok()) {
    std::printf("%s\n", status.ToString().c_str());
    return 3;
  }
  if (const int failed = UseCpp(name + "-cpp")) return failed;
  if (const int failed = UseC(name + "-c")) return failed;
  std::puts("it works");
  return 0;
}
