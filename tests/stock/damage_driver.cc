// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Makes, reads and repairs small stores for damage.py. Built twice: against Lull, and against stock
// LevelDB.
//
//   make DIR SEED FIRST_VERSION SHAPE...  writes; prints the history: "key version" or "key version
//                                         deleted" for each entry; "=" ends a batch
//   read DIR SHAPE...    prints "key version" for each entry; "key wrong" if its value was never
//                        written, or differs from what Get returns
//   repair DIR SHAPE...
//
// SHAPE: memtable=BYTES batches=N compress=0|1 filter=0|1 reverse=0|1 compact=0|1 abandon=0|1
// paranoid=0|1. Exit code: 0; 1 with a status on stderr; 2 bad usage.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <random>
#include <string>

#include "leveldb/db.h"
#include "leveldb/filter_policy.h"
#include "leveldb/iterator.h"
#include "leveldb/write_batch.h"
#include "tests/support/option_sets.h"

namespace {

using leveldb::Status;

constexpr unsigned kKeys = 100;

/// Each version of a key has its own value.
std::string ValueOf(const std::string& key, unsigned version) {
  std::string value = key + ":" + std::to_string(version) + ":";
  std::minstd_rand random(version + 1);
  const size_t bytes = value.size() + random() % (version % 7 == 0 ? 3000 : 120);
  while (value.size() < bytes) value += static_cast<char>('a' + random() % 26);
  return value;
}

struct Command {
  leveldb::Options options;
  std::string dir;
  std::map<std::string, unsigned> shape;
  std::unique_ptr<const leveldb::FilterPolicy> filter;

  bool Is(const std::string& name) const { return shape.at(name) != 0; }
};

int Fail(const Status& status) {
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return 1;
}

void AddBatch(std::mt19937* random, unsigned* version, leveldb::WriteBatch* batch) {
  for (unsigned left = 1 + (*random)() % 4; left > 0; --left) {
    const std::string key = "key " + std::to_string((*random)() % kKeys);
    const bool deletes = (*random)() % 8 == 0;
    std::printf("%s\t%u%s\n", key.c_str(), *version, deletes ? "\tdeleted" : "");
    deletes ? batch->Delete(key) : batch->Put(key, ValueOf(key, *version));
    ++*version;
  }
  std::printf("=\n");
}

int Make(const Command& command, unsigned seed, unsigned version) {
  leveldb::DB* raw = nullptr;
  const Status opened = leveldb::DB::Open(command.options, command.dir, &raw);
  if (!opened.ok()) return Fail(opened);
  std::unique_ptr<leveldb::DB> db(raw);
  std::mt19937 random(seed);
  for (unsigned i = 0; i < command.shape.at("batches"); ++i) {
    leveldb::WriteBatch batch;
    AddBatch(&random, &version, &batch);
    leveldb::WriteOptions write;
    write.sync = random() % 16 == 0;
    if (const Status status = db->Write(write, &batch); !status.ok()) return Fail(status);
  }
  if (command.Is("compact")) db->CompactRange(nullptr, nullptr);
  std::fflush(stdout);
  if (command.Is("abandon")) std::_Exit(0);
  return 0;
}

int Read(const Command& command) {
  leveldb::DB* raw = nullptr;
  const Status opened = leveldb::DB::Open(command.options, command.dir, &raw);
  if (!opened.ok()) return Fail(opened);
  const std::unique_ptr<leveldb::DB> db(raw);
  leveldb::ReadOptions read;
  read.verify_checksums = true;
  const std::unique_ptr<leveldb::Iterator> entry(db->NewIterator(read));
  for (entry->SeekToFirst(); entry->Valid(); entry->Next()) {
    const std::string key = entry->key().ToString();
    const std::string value = entry->value().ToString();
    unsigned version = 0;
    const size_t at = value.find(':');
    if (at != std::string::npos)
      version = static_cast<unsigned>(std::strtoul(value.c_str() + at + 1, nullptr, 10));
    std::string gotten;
    const Status status = db->Get(read, key, &gotten);
    const bool right = value == ValueOf(key, version) && (!status.ok() || gotten == value);
    std::printf("%s\t%s\n", key.c_str(), right ? std::to_string(version).c_str() : "wrong");
  }
  return entry->status().ok() ? 0 : Fail(entry->status());
}

bool ReadShape(int count, char** words, Command* command) {
  command->shape = {{"memtable", 65536}, {"batches", 100}, {"compress", 1}, {"filter", 0},
                    {"reverse", 0},      {"compact", 0},   {"abandon", 0},  {"paranoid", 0}};
  for (int i = 0; i < count; ++i) {
    const std::string word = words[i];
    const auto known = command->shape.find(word.substr(0, word.find('=')));
    if (known == command->shape.end() || word.find('=') == std::string::npos) return false;
    known->second = static_cast<unsigned>(std::stoul(word.substr(word.find('=') + 1)));
  }
  leveldb::Options& options = command->options;
  options.write_buffer_size = command->shape["memtable"];
  options.paranoid_checks = command->Is("paranoid");
  options.block_size = 1024;
  if (!command->Is("compress")) options.compression = leveldb::kNoCompression;
  if (command->Is("filter")) command->filter.reset(leveldb::NewBloomFilterPolicy(10));
  options.filter_policy = command->filter.get();
  if (command->Is("reverse")) options.comparator = lull::testing::ReverseComparator();
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string name = argc > 2 ? argv[1] : "";
  Command command;
  const int words = name == "make" ? 5 : 3;
  if (argc < words || !ReadShape(argc - words, argv + words, &command)) return 2;
  command.dir = argv[2];
  if (name == "make") {
    command.options.create_if_missing = true;
    return Make(command, static_cast<unsigned>(std::stoul(argv[3])),
                static_cast<unsigned>(std::stoul(argv[4])));
  }
  if (name == "read") return Read(command);
  if (name != "repair") return 2;
  const Status status = leveldb::RepairDB(command.dir, command.options);
  return status.ok() ? 0 : Fail(status);
}
