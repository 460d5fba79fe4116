// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// usage: many_stores FOLDER
//
// Has 100 stores open at once, writes to all of them in turn, and closes them in another order.
#include <algorithm>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "leveldb/db.h"
#include "tests/clients/programs/process.h"

namespace {

constexpr size_t kStores = 100;
constexpr int kRounds = 40;
constexpr int kKeys = 20;
constexpr unsigned kSeed = 1;

std::string Value(size_t store, int round, int key) {
  return std::to_string(store) + ":" + std::to_string(round) + ":" + std::to_string(key) +
         std::string(500, 'v');
}

bool HasRound(leveldb::DB* db, size_t store, int round) {
  int count = 0;
  const std::unique_ptr<leveldb::Iterator> it(db->NewIterator(leveldb::ReadOptions()));
  for (it->SeekToFirst(); it->Valid(); it->Next()) ++count;
  if (!it->status().ok() || count != kKeys) return false;
  std::string value;
  for (int key = 0; key < kKeys; ++key) {
    const leveldb::Status got = db->Get(leveldb::ReadOptions(), std::to_string(key), &value);
    if (!got.ok() || value != Value(store, round, key)) return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string directory = argv[1];
  Open(directory, 64 << 10).reset();  // what the first store of a process leaves open
  const int descriptors = Descriptors();
  std::vector<std::unique_ptr<leveldb::DB>> stores;
  for (size_t i = 0; i < kStores; ++i)
    stores.push_back(Open(directory + "/" + std::to_string(i), 64 << 10));
  bool written = true;
  for (int round = 0; round < kRounds; ++round) {
    for (size_t i = 0; i < kStores; ++i) {
      for (int key = 0; key < kKeys; ++key) {
        const std::string value = Value(i, round, key);
        written &= stores[i]->Put(leveldb::WriteOptions(), std::to_string(key), value).ok();
      }
    }
  }
  Report("writes_to_many_stores", written);
  bool reads = true;
  for (size_t i = 0; i < kStores; ++i) reads &= HasRound(stores[i].get(), i, kRounds - 1);
  Report("reads_of_many_stores", reads);

  std::vector<size_t> order(kStores);
  std::iota(order.begin(), order.end(), size_t{0});
  std::shuffle(order.begin(), order.end(), std::mt19937(kSeed));
  bool others_stay = true;
  for (size_t closed = 0; closed < kStores; ++closed) {
    stores[order[closed]].reset();
    if (closed + 1 < kStores) {
      const size_t open = order[closed + 1];
      others_stay &= HasRound(stores[open].get(), open, kRounds - 1);
    }
  }
  Report("others_stay_open", others_stay);
  Report("descriptors_of_many_stores", Descriptors() == descriptors);
  bool again = true;
  for (size_t i = 0; i < kStores; ++i)
    again &= HasRound(Open(directory + "/" + std::to_string(i), 64 << 10).get(), i, kRounds - 1);
  Report("contents_of_many_stores", again);
  return failures();
}
