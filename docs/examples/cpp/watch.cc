// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Shows what Lull adds to LevelDB's API: scheduling options, a listener for background jobs and
// stalls, options changed on an open store, and statistics.
//
// usage: watch STORE [PROPERTY]
//
// Writes a burst of 32 MB into the store, waits for the background work, and prints a property:
// lull.metrics (default), lull.stats, lull.space, lull.options or lull.layout.

#include <cstdio>
#include <memory>
#include <string>

#include "leveldb/db.h"
#include "lull/listener.h"
#include "lull/lull.h"

namespace {

// Prints what the store reports. One thread, not one of yours, calls these functions.
class Reporter final : public lull::EventListener {
 public:
  void OnJobEnd(const lull::JobInfo& job) override {
    std::fprintf(stderr, "L%d -> L%d: %llu bytes in %llu us, paused for %llu us of them\n",
                 job.input_level, job.output_level, Number(job.input_bytes), Number(job.elapsed_us),
                 Number(job.paused_us));
  }
  void OnStallEnd(const lull::StallInfo& stall) override {
    std::fprintf(stderr, "%llu writes waited, during %llu us\n", Number(stall.held_writes),
                 Number(stall.held_us));
  }
  void OnWritesRefused(const lull::WritesRefusedInfo& refused) override {
    std::fprintf(stderr, "%s failed: %s. %s\n", refused.what.c_str(),
                 refused.status.ToString().c_str(),
                 refused.what == "the MANIFEST" ? "Close the store and open it again."
                                                : "Writes resume after the memtables are flushed.");
  }

 private:
  static unsigned long long Number(uint64_t value) { return value; }
};

leveldb::Status WriteBurst(leveldb::DB* db) {
  const std::string value(1000, 'v');
  leveldb::Status status;
  for (int i = 0; status.ok() && i < 32 * 1000; ++i) {
    const std::string key = std::to_string(i * 7919 % 100003);
    status = db->Put(leveldb::WriteOptions(), key, value);
  }
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::fprintf(stderr, "usage: watch STORE [PROPERTY]\n");
    return 2;
  }
  leveldb::Options options;
  options.create_if_missing = true;
  options.compression = leveldb::kNoCompression;
  const auto scheduling =
      lull::SchedulingOptions().SetCompactionThreads(1).SetLatencyHistograms(true);
  leveldb::DB* opened = nullptr;
  leveldb::Status status = lull::Open(options, scheduling, argv[1], &opened);
  const std::unique_ptr<leveldb::DB> db(opened);

  if (status.ok()) status = lull::AddListener(db.get(), std::make_shared<Reporter>());
  if (status.ok()) status = lull::SetOptions(db.get(), "l0_slowdown=8;l0_stop=16");
  if (status.ok()) status = WriteBurst(db.get());
  if (status.ok()) status = lull::Flush(db.get());        // durable in tables
  if (status.ok()) status = lull::WaitForIdle(db.get());  // nothing left to compact
  if (!status.ok()) {
    std::fprintf(stderr, "watch: %s\n", status.ToString().c_str());
    return 1;
  }
  std::string text;
  if (!db->GetProperty(argc == 3 ? argv[2] : "lull.metrics", &text)) {
    std::fprintf(stderr, "watch: no such property\n");
    return 1;
  }
  std::printf("%s\n", text.c_str());
  return 0;
}
