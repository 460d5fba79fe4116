// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "leveldb/db.h"
#include "leveldb/filter_policy.h"
#include "leveldb/iterator.h"
#include "leveldb/table.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/crash_env.h"
#include "tests/support/fresh_directory.h"
#include "tests/support/rng.h"
#include "tests/support/weaknesses.h"
#include "util/coding.h"
#include "util/crc32c.h"

namespace lull::testing {

using leveldb::Status;

namespace {

std::string NumberedKey(int number) { return "key" + std::to_string(10000 + number); }

// Every byte depends on the number, so that no damaged value equals the right one.
std::string ValueOf(int number, size_t bytes) {
  Rng rng(static_cast<uint64_t>(number));
  std::string value(bytes, '\0');
  for (char& c : value) c = static_cast<char>('a' + rng.Below(26));
  return value;
}

void PutNumbers(leveldb::DB* db, int count, size_t value_bytes) {
  for (int i = 0; i < count; ++i) {
    db->Put({}, NumberedKey(i), ValueOf(i, value_bytes));
  }
}

std::vector<std::string> TablesOf(leveldb::Env* env, const std::string& directory) {
  return FilesEndingIn(env, directory, ".ldb");
}

// A correct record of a log or MANIFEST. REQUIRES: it fits the 32 KiB block in which it starts.
std::string LogRecord(const std::string& payload) {
  constexpr char kWholeRecord = 1;
  std::string record(6, '\0');
  record += kWholeRecord + payload;
  const uint32_t crc = lull::crc32c::Value(record.data() + 6, record.size() - 6);
  lull::EncodeFixed32(record.data(), lull::crc32c::Mask(crc));
  lull::EncodeFixed16(record.data() + 4, static_cast<uint16_t>(payload.size()));
  return record;
}

WeaknessVerdict W12SplitUserKey() {
  CrashEnv env;
  leveldb::Options options = UncompressedStore(&env);
  options.write_buffer_size = 8 << 20;
  options.max_file_size = 1 << 20;
  Status s;
  std::unique_ptr<leveldb::DB> db = OpenOrNull(options, kStoreName, &s);
  const leveldb::WriteOptions write;
  // Data at the deepest level that a flush can reach, so that the real data must be merged with it.
  db->Put(write, "a0000", "old");
  db->Put(write, "z", "old");
  db->CompactRange(nullptr, nullptr);
  // The tombstone of `split` fills the first table of the merge. Its older value, kept for a
  // snapshot, starts the second table.
  const std::string split = "m" + std::string(60'000, 's');
  db->Put(write, split, "deleted below");
  const leveldb::Snapshot* snapshot = db->GetSnapshot();
  db->Delete(write, split);
  for (int i = 0; i < 250; ++i) {
    db->Put(write, "a" + std::to_string(1000 + i), ValueOf(i, 4096));
  }
  for (int i = 0; i < 20; ++i) db->Put(write, "n" + std::to_string(i), ValueOf(i, 4096));
  db->Put(write, "a0000", "new");
  db->Put(write, "z", "new");
  db->CompactRange(nullptr, nullptr);
  db->ReleaseSnapshot(snapshot);
  // Now a compaction takes only the first table, and drops the tombstone.
  db->Put(write, "a1000", "newer");
  db->Put(write, "a1200", "newer");
  const leveldb::Slice begin("a1000"), end("a1200");
  db->CompactRange(&begin, &end);
  std::string value;
  s = db->Get({}, split, &value);
  return {!s.IsNotFound(),
          "Get of the deleted key: " + (s.ok() ? "\"" + value + "\"" : s.ToString())};
}

// Whether another process can lock the file.
bool IsLockFree(const std::string& path) {
  const pid_t child = fork();
  if (child == 0) {
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    const int fd = open(path.c_str(), O_RDWR);
    const bool held = fd >= 0 && fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
    _exit(held ? 0 : 1);
  }
  int status = 0;
  return waitpid(child, &status, 0) != child || status != 0;
}

WeaknessVerdict W13LostLock() {
  const std::string directory = FreshDirectory("W13");
  leveldb::Options options;
  options.create_if_missing = true;
  Status first, second;
  std::unique_ptr<leveldb::DB> db = OpenOrNull(options, directory, &first);
  std::unique_ptr<leveldb::DB> again = OpenOrNull(options, directory, &second);
  const bool free = IsLockFree(directory + "/LOCK");
  return {free || again != nullptr, "second open in the process: " + second.ToString() +
                                        "; another process " +
                                        (free ? "can open the store too" : "is refused")};
}

// What is wrong with a read of what PutNumbers wrote; empty if each answer is correct or an error.
std::string WrongAnswer(leveldb::DB* db, int count, size_t value_bytes) {
  leveldb::ReadOptions read;
  read.verify_checksums = true;
  for (int i = 0; db != nullptr && i < count; ++i) {
    std::string value;
    const Status s = db->Get(read, NumberedKey(i), &value);
    if (s.IsNotFound()) return "Get(" + NumberedKey(i) + ") gives NotFound";
    if (s.ok() && value != ValueOf(i, value_bytes))
      return "Get(" + NumberedKey(i) + ") gives a wrong value";
  }
  return "";
}

WeaknessVerdict W15CorruptionRewritten() {
  CrashEnv env;
  leveldb::Options options = UncompressedStore(&env);
  Status s;
  std::unique_ptr<leveldb::DB> db = OpenOrNull(options, kStoreName, &s);
  PutNumbers(db.get(), 200, 500);
  db->CompactRange(nullptr, nullptr);
  db.reset();
  for (const std::string& table : TablesOf(&env, kStoreName)) env.Corrupt(table, 5'100, "#");
  db = OpenOrNull(options, kStoreName, &s);
  if (db == nullptr) return {false, "open refuses: " + s.ToString()};
  // Overlaps the damaged table on both sides, so that a compaction must merge with it.
  db->Put({}, NumberedKey(0), ValueOf(0, 500));
  db->Put({}, NumberedKey(199), ValueOf(199, 500));
  db->CompactRange(nullptr, nullptr);
  const std::string wrong = WrongAnswer(db.get(), 200, 500);
  return {!wrong.empty(), wrong.empty() ? "no read gave wrong data" : wrong};
}

WeaknessVerdict W15DamagedFilter() {
  std::unique_ptr<const leveldb::FilterPolicy> filter(leveldb::NewBloomFilterPolicy(10));
  CrashEnv healthy;
  leveldb::Options options = UncompressedStore(&healthy);
  options.filter_policy = filter.get();
  std::unique_ptr<leveldb::DB> db = OpenOrNull(options, kStoreName);
  PutNumbers(db.get(), 40, 20);
  db->CompactRange(nullptr, nullptr);
  db.reset();
  uint64_t tried = 0;
  for (const std::string& table : TablesOf(&healthy, kStoreName)) {
    uint64_t size = 0;
    healthy.GetFileSize(table, &size);
    // The filter is fifty bytes long, so every third byte hits it.
    for (uint64_t at = 0; at < size; at += 3, ++tried) {
      const std::unique_ptr<CrashEnv> env = healthy.Crash(1, CrashOptions::KeepAll());
      env->Corrupt(table, at, std::string(1, '\0'));
      options.env = env.get();
      db = OpenOrNull(options, kStoreName);
      const std::string wrong = WrongAnswer(db.get(), 40, 20);
      db.reset();
      if (wrong.empty()) continue;
      return {true, "byte " + std::to_string(at) + " of " + std::to_string(size) +
                        " of a table zeroed: with verify_checksums " + wrong};
    }
  }
  return {tried == 0, "no byte of " + std::to_string(tried) + " made a read give wrong data"};
}

// What a child says last is in the report of its end.
void Say(const std::string& what) {
  std::puts(what.c_str());
  std::fflush(stdout);
}

// Opens and scans a forged table. Any Status is right; the process must survive.
void WalkTable(const std::string& bytes) {
  fuzz::RandomAccessBytes file(bytes);
  leveldb::Table* raw = nullptr;
  const Status s = leveldb::Table::Open(leveldb::Options(), &file, bytes.size(), &raw);
  const std::unique_ptr<leveldb::Table> table(raw);
  if (!s.ok()) return;
  const std::unique_ptr<leveldb::Iterator> it(table->NewIterator({}));
  uint64_t seen = 0;
  for (it->SeekToFirst(); it->Valid() && seen < 100'000; it->Next()) seen += 1 + it->value().size();
  it->Seek("key10100");
}

// The table with a footer whose index handle is (offset, size).
std::string WithIndexHandle(std::string table, uint64_t offset, uint64_t size) {
  constexpr size_t kFooterBytes = 48;
  constexpr size_t kMagicBytes = 8;
  std::string footer;
  lull::PutVarint64(&footer, 0);
  lull::PutVarint64(&footer, 8);
  lull::PutVarint64(&footer, offset);
  lull::PutVarint64(&footer, size);
  footer.resize(kFooterBytes - kMagicBytes, '\0');
  footer += table.substr(table.size() - kMagicBytes);
  table.resize(table.size() - kFooterBytes);
  return table + footer;
}

WeaknessVerdict W16TableSizes() {
  CrashEnv env;
  std::unique_ptr<leveldb::DB> db = OpenOrNull(UncompressedStore(&env), kStoreName);
  PutNumbers(db.get(), 300, 40);
  db->CompactRange(nullptr, nullptr);
  db.reset();
  std::string table;
  for (const std::string& name : TablesOf(&env, kStoreName)) ReadFileToString(&env, name, &table);
  for (const uint64_t size : {~uint64_t{0} - 5, ~uint64_t{0} - 4, ~uint64_t{0}, uint64_t{1} << 63,
                              (uint64_t{1} << 62) - 1, uint64_t{1} << 46}) {
    for (const uint64_t offset : {uint64_t{0}, ~uint64_t{0} - 100, uint64_t{table.size() - 1}}) {
      Say("index block of " + std::to_string(size) + " bytes at " + std::to_string(offset));
      WalkTable(WithIndexHandle(table, offset, size));
    }
  }
  Rng rng(16);
  for (int round = 0; round < 20'000; ++round) {
    std::string forged = table;
    for (uint64_t edits = 1 + rng.Below(4); edits > 0; --edits) {
      // Half of the damage hits the index and the footer, near the end.
      const uint64_t reach = rng.OneIn(2) ? std::min<uint64_t>(400, forged.size()) : forged.size();
      forged[forged.size() - 1 - rng.Below(reach)] = static_cast<char>(rng.Next());
    }
    if (round % 1000 == 0) Say("random damage, round " + std::to_string(round));
    WalkTable(forged);
  }
  return {false, "every forged table was refused or read"};
}

// An edit that adds two tables to level 1 with bounds `bounds`, used as internal keys.
std::string ForgedManifest(const std::vector<std::string>& bounds) {
  std::string edit;
  const auto add = [&edit](std::initializer_list<uint64_t> numbers) {
    for (const uint64_t number : numbers) lull::PutVarint64(&edit, number);
  };
  add({1});
  lull::PutLengthPrefixed(&edit, "leveldb.BytewiseComparator");
  add({2, 4, 3, 20, 4, 100});  // log 4, next file 20, last sequence 100
  for (size_t i = 0; i + 1 < bounds.size(); i += 2) {
    add({7, /*level=*/1, /*file=*/10 + i, /*bytes=*/1000});
    lull::PutLengthPrefixed(&edit, bounds[i]);
    lull::PutLengthPrefixed(&edit, bounds[i + 1]);
  }
  return LogRecord(edit);
}

WeaknessVerdict W17ManifestKeys() {
  std::string accepted;
  for (const size_t key_bytes : {1, 3, 7}) {
    CrashEnv env;
    env.CreateDir(kStoreName);
    const std::string low(key_bytes, 'b'), high(key_bytes, 'x');
    Say("bounds of " + std::to_string(key_bytes) + " bytes");
    WriteStringToFile(&env, ForgedManifest({low, high, low, high}),
                      std::string(kStoreName) + "/MANIFEST-000005");
    WriteStringToFile(&env, "MANIFEST-000005\n", std::string(kStoreName) + "/CURRENT");
    for (const char* table : {"/000010.ldb", "/000012.ldb"}) {
      WriteStringToFile(&env, std::string(1000, 't'), kStoreName + std::string(table));
    }
    const std::unique_ptr<leveldb::DB> db = OpenOrNull(UncompressedStore(&env), kStoreName);
    if (db == nullptr) continue;
    accepted = "keys of " + std::to_string(key_bytes) + " bytes were accepted";
    std::string value;
    db->Get({}, "c", &value);
    db->GetProperty("leveldb.sstables", &value);
    db->CompactRange(nullptr, nullptr);
  }
  return {!accepted.empty(), accepted.empty() ? "open refuses" : accepted};
}

WeaknessVerdict W19TruncatedTable() {
  const std::string directory = FreshDirectory("W19");
  leveldb::Options options = UncompressedStore(leveldb::Env::Default());
  Status s;
  std::unique_ptr<leveldb::DB> db = OpenOrNull(options, directory, &s);
  PutNumbers(db.get(), 1000, 1000);
  db->CompactRange(nullptr, nullptr);
  std::string value;
  db->Get({}, NumberedKey(0), &value);  // opens the table
  for (const std::string& table : TablesOf(leveldb::Env::Default(), directory)) {
    std::error_code gone;  // the store may just have removed an obsolete table
    std::filesystem::resize_file(table, 8192, gone);
  }
  int wrong = 0, errors = 0;
  for (int i = 0; i < 1000; ++i) {
    s = db->Get({}, NumberedKey(i), &value);
    if (s.IsNotFound() || (s.ok() && value != ValueOf(i, 1000))) ++wrong;
    if (!s.ok() && !s.IsNotFound()) ++errors;
  }
  return {wrong > 0 || errors == 0, std::to_string(errors) + " reads gave an error, " +
                                        std::to_string(wrong) + " wrong data, of 1000"};
}

}  // namespace

std::vector<Weakness> DataWeaknesses() {
  return {
      {"W12", "deleted key returns when its versions span two tables", W12SplitUserKey},
      {"W13", "a failed second open releases the first one's lock", W13LostLock},
      {"W15", "a compaction copies corrupt blocks as if they were valid", W15CorruptionRewritten},
      {"W15b", "a damaged filter hides keys", W15DamagedFilter},
      {"W16", "sizes in a table are trusted", W16TableSizes},
      {"W17", "keys in the MANIFEST are trusted", W17ManifestKeys},
      {"W19", "a table that shrinks kills the process", W19TruncatedTable},
  };
}

}  // namespace lull::testing
