// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Writes the seeds of the fuzz targets, with the store's own writers: FOLDER/TARGET/NAME.
//
// usage: make_seeds FOLDER
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "db/backup/backup_list.h"
#include "db/memory/batch_format.h"
#include "db/version/version_edit.h"
#include "db/wal/log_writer.h"
#include "db/wal/wal_reader.h"
#include "leveldb/filter_policy.h"
#include "lull/lull.h"
#include "table/block_builder.h"
#include "table/filter_block.h"
#include "table/format.h"
#include "table/table_writer.h"
#include "tests/db/support/memory_files.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/store.h"

namespace lull::fuzz {
namespace {

std::filesystem::path root;
const leveldb::FilterPolicy* const kBloom = leveldb::NewBloomFilterPolicy(10);

void Save(const std::string& target, const std::string& name, const std::string& bytes) {
  std::filesystem::create_directories(root / target);
  std::ofstream(root / target / name, std::ios::binary) << bytes;
}

std::string Byte(int value) { return std::string(1, static_cast<char>(value)); }
std::string Short(size_t value) {
  return Byte(static_cast<int>(value & 0xff)) + Byte(static_cast<int>(value >> 8));
}
std::string Prefixed(const std::string& text) { return Byte(static_cast<int>(text.size())) + text; }

std::string Batch(SequenceNumber sequence, const std::vector<std::string>& keys) {
  leveldb::WriteBatch batch;
  for (const std::string& key : keys) {
    key.size() % 3 == 2 ? batch.Delete(key) : batch.Put(key, key + " has a value");
  }
  batch::SetSequence(&batch, sequence);
  return batch::Contents(batch).ToString();
}

std::string Log(const std::vector<std::string>& records) {
  testing::WrittenFile file;
  log::Writer writer(std::make_unique<testing::MemoryWritable>(&file));
  for (const std::string& record : records) RequireOk(writer.AddRecord(record), "a log is written");
  return file.bytes;
}

void MakeLogs() {
  const std::string wal = Log({WalPreamble(7), Batch(7, {"a", "bb", "ccc"}), Batch(10, {"a"})});
  const std::string plain = Log({"one", std::string(300, '2'), "", "four"});
  for (const int flags : {0, 1, 2, 3}) {
    const std::string prefix = Byte(flags) + Byte(3);
    Save("log", "wal" + std::to_string(flags), prefix + wal);
    Save("log", "plain" + std::to_string(flags), prefix + plain);
    Save("log", "zeros" + std::to_string(flags), prefix + wal + std::string(40, '\0') + plain);
  }
  Save("log", "recycled", Byte(0) + Byte(0) + wal + Log({WalPreamble(2), Batch(2, {"older"})}));
  Save("log", "long", Byte(1) + Byte(9) + Log({std::string(1000, 'x'), Batch(1, {"k"})}));
}

VersionEdit Edit(uint64_t number, int level, const std::string& from, const std::string& to) {
  VersionEdit edit;
  edit.new_tables.push_back({level, number, 1000 * number,
                             MakeInternalKey(from, number, ValueKind::kValue),
                             MakeInternalKey(to, number, ValueKind::kDeletion)});
  return edit;
}

void MakeEdits() {
  VersionEdit first = Edit(5, 0, "a", "m");
  first.comparator = "leveldb.BytewiseComparator";
  first.log_number = 4;
  first.prev_log_number = 0;
  first.next_file_number = 9;
  first.last_sequence = 100;
  VersionEdit moved = Edit(5, 1, "a", "m");
  moved.deleted_tables.emplace_back(0, 5);
  moved.compact_pointers.emplace_back(1, MakeInternalKey("k", 3, ValueKind::kValue));
  VersionEdit gone;
  gone.deleted_tables.emplace_back(1, 5);
  const auto encode = [](const std::vector<VersionEdit>& edits) {
    std::string bytes;
    for (const VersionEdit& edit : edits) {
      std::string record;
      edit.EncodeTo(&record);
      bytes += Short(record.size()) + record;
    }
    return bytes;
  };
  Save("version_edit", "first", encode({first}));
  Save("version_edit", "levels",
       encode({first, Edit(6, 0, "b", "c"), Edit(7, 2, "a", "f"), Edit(8, 2, "g", "z")}));
  Save("version_edit", "moved", encode({first, moved, gone}));
}

void MakeBackupLists() {
  BackupList list;
  list.info.id = 3;
  list.info.unix_seconds = 1'700'000'000;
  list.edit.comparator = "leveldb.BytewiseComparator";
  list.edit.log_number = 0;
  list.edit.last_sequence = 100;
  list.edit.next_file_number = 9;
  const auto save = [&list](const std::string& name) {
    const std::string text = list.ToText();
    Save("backup_list", name, Byte(0) + text);
    Save("backup_list", name + "-open", Byte(1) + text.substr(0, text.rfind("end ")));
  };
  save("empty");
  for (const uint64_t number : {5, 7}) {
    const VersionEdit edit = Edit(number, 2, "a" + std::to_string(number), "b");
    list.edit.new_tables.push_back(edit.new_tables[0]);
    BackedUpTable table{number, {{edit.new_tables[0].file_bytes, 0x1234abcd}, number - 5}, {}};
    if (number == 5) table.stamp = {77, 1'700'000'000'000'000'001};
    list.tables.push_back(table);
  }
  save("tables");
  Save("backup_list", "name", Byte(0) + list.tables[0].data.ToText());
  Save("backup_list", "twin", Byte(0) + list.tables[1].data.ToText());
}

void MakeNames() {
  const std::vector<std::string> names = {
      "CURRENT",    "LOCK",        "LOG",          "LOG.old",           "000007.log",
      "000008.ldb", "000009.sst",  "000010.dbtmp", "1234567.ldb",       "MANIFEST-000011",
      "7.log",      "0000007.log", "MANIFEST-7",   "MANIFEST-000011\n", "MANIFEST-1234567\n"};
  for (size_t i = 0; i < names.size(); ++i) Save("filename", std::to_string(i), names[i]);
}

std::string Key(bool internal, int i) {
  const std::string user_key = "key" + std::to_string(100 + i);
  return internal ? MakeInternalKey(user_key, 9, ValueKind::kValue) : user_key;
}

void MakeBlocks() {
  for (const bool internal : {false, true}) {
    const int flags = internal ? 2 : 0;
    const std::string target = Prefixed("key110") + (internal ? Byte(1) : "");
    for (const int interval : {1, 4, 16}) {
      BlockBuilder builder(interval);
      for (int i = 0; i < 20; ++i) builder.Add(Key(internal, i), "value" + std::to_string(i));
      Save("block", "contents" + std::to_string(flags) + "-" + std::to_string(interval),
           Byte(flags) + target + builder.Finish().ToString());
    }
  }
}

void MakeTables() {
  for (const bool internal : {false, true}) {
    for (const Codec codec : {Codec::kNone, Codec::kSnappy, Codec::kZstd}) {
      TableWriteOptions options;
      if (internal) options.order = {leveldb::BytewiseComparator(), KeyOrder::Keys::kInternal};
      options.filter_policy = internal ? kBloom : nullptr;
      options.compression = codec;
      options.block_bytes = 128;
      testing::WrittenFile written;
      testing::MemoryWritable file(&written);
      TableWriter writer(options, &file);
      const std::string value(40, 'v');
      for (int i = 0; i < 30; ++i) writer.Add(Key(internal, i), value + std::to_string(i));
      RequireOk(writer.Finish(), "a table is written");
      for (const int flags : {0x10, 0x01, 0x2d, 0xc5}) {
        const int all = flags | (internal ? 2 : 0);
        Save("table", std::to_string(static_cast<int>(codec)) + "-" + std::to_string(all),
             Byte(all) + Prefixed("key115") + written.bytes);
      }
    }
  }
}

void MakeFilters() {
  FilterBlockBuilder builder(kBloom);
  for (int i = 0; i < 20; ++i) {
    builder.StartBlock(static_cast<uint64_t>(i) * 700);
    builder.AddKey("key" + std::to_string(i));
  }
  const std::string block = builder.Finish().ToString();
  for (const int offset : {0, 4, 40}) {
    Save("filter", "block" + std::to_string(offset),
         Byte(0) + Byte(offset) + std::string(6, '\0') + Prefixed("key7") + block);
  }
}

void MakeBatches() {
  Save("write_batch", "empty", Batch(1, {}));
  Save("write_batch", "one", Batch(77, {"k"}));
  Save("write_batch", "many", Batch(1000, {"a", "bb", "ccc", "dddd", "a", "", "zzzzz"}));
  Save("write_batch", "long", Batch(5, {std::string(200, 'k'), std::string(130, 'l')}));
}

void MakeCompressed() {
  std::string text;
  for (int i = 0; i < 30; ++i) text += "key" + std::to_string(i % 7) + " and its value;";
  for (const Codec codec : kCodecs) {
    for (const auto& [name, value] : {std::pair{"text", text}, {"zeros", std::string(600, '\0')}}) {
      TableWriteOptions options;
      options.compression = codec;
      testing::WrittenFile written;
      testing::MemoryWritable file(&written);
      TableWriter writer(options, &file);
      writer.Add("k", value);
      writer.FlushBlock();
      written.bytes.resize(written.bytes.size() - kBlockTrailerBytes);
      Save("compression", name + std::to_string(static_cast<int>(codec)),
           Byte(TypeByte(codec)) + written.bytes);
    }
  }
}

/// A directory as a store leaves it after some work.
Directory StoreDirectory(int tables, int logs_kept, bool compacted) {
  StoreUnderTest store;
  store.options.create_if_missing = true;
  store.options.compression = leveldb::kNoCompression;
  RequireOk(store.Open(), "a store is made");
  for (int round = 0; round < tables; ++round) {
    for (int i = 0; i < 6; ++i) {
      const std::string key = "key" + std::to_string(i + 3 * round);
      RequireOk(store.db()->Put({}, key, "value" + std::to_string(round)), "a store is written");
    }
    RequireOk(store.db()->Delete({}, "key" + std::to_string(round)), "a store is written");
    RequireOk(lull::Flush(store.db()), "a store is flushed");
  }
  if (compacted) store.db()->CompactRange(nullptr, nullptr);
  for (int i = 0; i < logs_kept; ++i) {
    RequireOk(store.db()->Put({}, "late" + std::to_string(i), "x"), "a store is written");
  }
  Directory directory = ReadDirectory(store.env(), kStore);  // as a crash leaves it
  directory.erase("LOG");
  directory.erase("LOCK");
  return directory;
}

Directory Renamed(const Directory& directory, const std::string& from, const std::string& to) {
  Directory renamed;
  for (const auto& [name, bytes] : directory) {
    const size_t at = name.rfind(from);
    renamed[at == std::string::npos ? name : name.substr(0, at) + to] = bytes;
  }
  return renamed;
}

void MakeDirectories() {
  std::vector<std::pair<std::string, Directory>> directories = {
      {"empty", {}},
      {"new", StoreDirectory(0, 0, false)},
      {"log", StoreDirectory(0, 4, false)},
      {"tables", StoreDirectory(3, 0, false)},
      {"both", StoreDirectory(2, 3, false)},
      {"compacted", StoreDirectory(3, 2, true)},
      {"both-ways", StoreDirectory(5, 2, true)},
  };
  const Directory both = directories[4].second;
  directories.emplace_back("old-names", Renamed(both, ".ldb", ".sst"));
  Directory changed = both;
  changed.erase("CURRENT");
  directories.emplace_back("no-current", changed);
  changed = both;
  changed["000099.ldb"] = "no table";
  changed["000098.dbtmp"] = "MANIFEST-";
  changed["notes1.txt"] = "somebody's";
  changed["lost/000003.log"] = "from another time";
  directories.emplace_back("extras", changed);
  changed = both;
  for (auto& [name, bytes] : changed) {
    if (name.ends_with(".log") && bytes.size() > 60) bytes[50] ^= 1;
  }
  directories.emplace_back("damaged-log", changed);
  for (const auto& [name, directory] : directories) {
    for (const int flags : {0, 3, 6, 13}) {
      Save("directory", name + "-" + std::to_string(flags),
           Byte(flags) + EncodeDirectory(directory));
    }
    Save("repair", name, Byte(0) + EncodeDirectory(directory));
  }
}

}  // namespace
}  // namespace lull::fuzz

int main(int argc, char** argv) {
  using namespace lull::fuzz;
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  root = argv[1];
  MakeLogs();
  MakeEdits();
  MakeBackupLists();
  MakeNames();
  MakeBlocks();
  MakeTables();
  MakeFilters();
  MakeBatches();
  MakeCompressed();
  MakeDirectories();
  return 0;
}
