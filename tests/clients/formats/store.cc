// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Writes and reads a store through the libleveldb found at run time: the reference for the
// independent implementations of LevelDB's files in this directory. All of these programs take
// these arguments:
//
//   PROGRAM apply STORE none|snappy close|die < OPERATIONS
//   PROGRAM dump STORE none|snappy            > ENTRIES
//   PROGRAM levels STORE none|snappy          number of tables in each level (store.cc only)
//
// Operations, one on each line: "put KEY VALUE", "delete KEY", "commit" (a batch), "sync" (a
// durable batch) and "compact". Entries: "KEY VALUE". Keys and values are hexadecimal, so an empty
// value ends the line. `die` exits without closing the store. A dump reads everything forward,
// backward and by key, and fails if these differ.

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "leveldb/db.h"
#include "leveldb/filter_policy.h"
#include "leveldb/write_batch.h"

namespace {

using Entry = std::pair<std::string, std::string>;

[[noreturn]] void Fail(const std::string& what) {
  std::cerr << "store: " << what << "\n";
  std::exit(1);
}

void Check(const leveldb::Status& status) {
  if (!status.ok()) Fail(status.ToString());
}

std::string ToHex(const leveldb::Slice& bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (size_t i = 0; i < bytes.size(); ++i) {
    const auto byte = static_cast<uint8_t>(bytes[i]);
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

std::string FromHex(const std::string& text) {
  std::string bytes;
  bytes.reserve(text.size() / 2);
  for (size_t i = 0; i + 1 < text.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(text.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

void Apply(leveldb::DB* db, std::istream& operations) {
  leveldb::WriteBatch batch;
  std::string line;
  while (std::getline(operations, line)) {
    std::istringstream words(line);
    std::string what, key, value;
    words >> what >> key >> value;
    if (what == "put") {
      batch.Put(FromHex(key), FromHex(value));
    } else if (what == "delete") {
      batch.Delete(FromHex(key));
    } else if (what == "commit" || what == "sync") {
      leveldb::WriteOptions options;
      options.sync = what == "sync";
      Check(db->Write(options, &batch));
      batch.Clear();
    } else if (what == "compact") {
      db->CompactRange(nullptr, nullptr);
    } else {
      Fail("unknown operation: " + line);
    }
  }
}

void Dump(leveldb::DB* db) {
  leveldb::ReadOptions options;
  options.verify_checksums = true;
  std::vector<Entry> entries;
  std::unique_ptr<leveldb::Iterator> at(db->NewIterator(options));
  for (at->SeekToFirst(); at->Valid(); at->Next()) {
    entries.emplace_back(at->key().ToString(), at->value().ToString());
  }
  Check(at->status());
  auto expected = entries.rbegin();
  for (at->SeekToLast(); at->Valid(); at->Prev(), ++expected) {
    if (expected == entries.rend() || at->key() != expected->first ||
        at->value() != expected->second) {
      Fail("backwards there is another entry: " + ToHex(at->key()));
    }
  }
  Check(at->status());
  if (expected != entries.rend()) Fail("backwards there are fewer entries");
  for (const Entry& entry : entries) {
    std::string value;
    Check(db->Get(options, entry.first, &value));
    if (value != entry.second) Fail("by its key there is another value: " + ToHex(entry.first));
    std::cout << ToHex(entry.first) << " " << ToHex(value) << "\n";
  }
}

void PrintLevels(leveldb::DB* db) {
  for (int level = 0; level < 7; ++level) {
    std::string count;
    if (!db->GetProperty("leveldb.num-files-at-level" + std::to_string(level), &count)) {
      Fail("no property tells how many tables there are");
    }
    std::cout << count << (level < 6 ? " " : "\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) Fail("see the comment that begins the source");
  const std::string what = argv[1];
  const std::unique_ptr<const leveldb::FilterPolicy> filter(leveldb::NewBloomFilterPolicy(10));
  leveldb::Options options;
  options.create_if_missing = what == "apply";
  options.paranoid_checks = true;
  options.write_buffer_size = 256 << 10;
  options.filter_policy = filter.get();
  options.compression =
      argv[3] == std::string("snappy") ? leveldb::kSnappyCompression : leveldb::kNoCompression;
  leveldb::DB* opened = nullptr;
  Check(leveldb::DB::Open(options, argv[2], &opened));
  const std::unique_ptr<leveldb::DB> db(opened);
  if (what == "apply") {
    Apply(db.get(), std::cin);
    if (argc > 4 && argv[4] == std::string("die")) std::_Exit(0);
  } else if (what == "dump") {
    Dump(db.get());
  } else if (what == "levels") {
    PrintLevels(db.get());
  } else {
    Fail("unknown command: " + what);
  }
  std::cout.flush();
  return std::cout ? 0 : 1;
}
