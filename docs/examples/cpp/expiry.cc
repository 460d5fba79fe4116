// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Entries that expire: each value begins with a deadline, and a compaction filter drops entries
// whose deadline has passed. Readers check the deadline too, since a compaction can come late.
//
// usage: expiry STORE NOW                       prints the entries before and after a compaction
//        expiry STORE NOW KEY LIFETIME VALUE    adds an entry first
//
// NOW is the time in seconds since 1970, for example $(date +%s); LIFETIME is in seconds.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "leveldb/db.h"
#include "lull/compaction_filter.h"

namespace {

// A value is its deadline in decimal, a blank, and the text.
uint64_t DeadlineOf(const leveldb::Slice& value) {
  uint64_t deadline = 0;
  for (size_t i = 0; i < value.size() && value[i] != ' '; ++i)
    deadline = 10 * deadline + static_cast<uint64_t>(value[i] - '0');
  return deadline;
}

class Expiry final : public lull::CompactionFilter {
 public:
  explicit Expiry(uint64_t now) : now_(now) {}
  const char* Name() const override { return "example.expiry"; }
  // A program that runs longer reads the clock here.
  lull::FilterDecision Filter(const lull::FilterContext& context, const leveldb::Slice&,
                              const leveldb::Slice& value) const override {
    // Keep what a snapshot may see. A later compaction asks again.
    if (context.snapshot_may_see || DeadlineOf(value) > now_) return lull::FilterDecision::kKeep;
    return lull::FilterDecision::kDrop;
  }

 private:
  const uint64_t now_;
};

leveldb::Status Print(leveldb::DB* db, uint64_t now) {
  const std::unique_ptr<leveldb::Iterator> it(db->NewIterator(leveldb::ReadOptions()));
  int expired = 0;
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    if (DeadlineOf(it->value()) > now) {
      std::printf("%s: until %s\n", it->key().ToString().c_str(), it->value().ToString().c_str());
    } else {
      ++expired;
    }
  }
  std::printf("%d expired entries are still in the store\n", expired);
  return it->status();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 && argc != 6) {
    std::fprintf(stderr, "usage: expiry STORE NOW [KEY LIFETIME VALUE]\n");
    return 2;
  }
  const uint64_t now = std::strtoull(argv[2], nullptr, 10);
  leveldb::Options options;
  options.create_if_missing = true;
  leveldb::DB* opened = nullptr;
  leveldb::Status status = leveldb::DB::Open(options, argv[1], &opened);
  const std::unique_ptr<leveldb::DB> db(opened);

  // From now on, all compactions use the filter.
  if (status.ok()) status = lull::SetCompactionFilter(db.get(), std::make_shared<Expiry>(now));
  if (status.ok() && argc == 6) {
    const uint64_t deadline = now + std::strtoull(argv[4], nullptr, 10);
    const std::string value = std::to_string(deadline) + " " + argv[5];
    status = db->Put(leveldb::WriteOptions(), argv[3], value);
  }
  if (status.ok()) status = Print(db.get(), now);
  // Applies the filter to the whole store. A long-running program can leave this to the background.
  if (status.ok()) {
    db->CompactRange(nullptr, nullptr);
    status = Print(db.get(), now);
  }
  if (!status.ok()) {
    std::fprintf(stderr, "expiry: %s\n", status.ToString().c_str());
    return 1;
  }
  return 0;
}
