// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The list of a backup as text, and the names of copies.
#include "db/backup/backup_list.h"

#include <cstdio>
#include <string>

#include "db/base/dbformat.h"
#include "gtest/gtest.h"
#include "util/crc32c.h"

namespace lull {
namespace {

constexpr char kPath[] = "/backups/backups/000007";

BackupList Example() {
  BackupList list;
  list.info.id = 7;
  list.info.unix_seconds = 1'700'000'000;
  list.info.files = 2;
  list.info.bytes = 300;
  list.info.new_files = 1;
  list.info.new_bytes = 200;
  list.edit.comparator = "some comparator";
  list.edit.log_number = 0;
  list.edit.prev_log_number = 0;
  list.edit.next_file_number = 9;
  list.edit.last_sequence = 50;
  list.edit.compact_pointers = {{1, MakeInternalKey("c", 3, ValueKind::kValue)}};
  const std::string first = MakeInternalKey(std::string("\0\n a", 4), 1, ValueKind::kValue);
  const std::string last = MakeInternalKey("z", 9, ValueKind::kDeletion);
  list.edit.new_tables = {{0, 7, 100, first, last}, {3, 5, 200, first, last}};
  list.tables = {{7, {{100, 0xdeadbeef}, 0}, FileStamp{UINT64_MAX, 12}},
                 {5, {{200, 0x00000001}, 2}, std::nullopt}};
  return list;
}

leveldb::Status Parse(const std::string& text, BackupList* list) {
  return list->FromText(kPath, text);
}

/// The text with another beginning, and the checksum that fits it.
std::string Resealed(const std::string& text, const std::string& from, const std::string& to) {
  std::string lines = text.substr(0, text.rfind("end "));
  const size_t at = lines.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  lines.replace(at, from.size(), to);
  char end[16];
  std::snprintf(end, sizeof(end), "end %08x\n",
                static_cast<unsigned>(crc32c::Value(lines.data(), lines.size())));
  return lines + end;
}

TEST(BackupListTest, ReadsWhatItWrites) {
  const BackupList written = Example();
  BackupList read;
  const leveldb::Status status = Parse(written.ToText(), &read);
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(read.ToText(), written.ToText());
  EXPECT_EQ(read.edit, written.edit);
  EXPECT_EQ(read.tables, written.tables);
  EXPECT_EQ(read.info.bytes, 300u);

  BackupList empty = Example();
  empty.edit.new_tables.clear();
  empty.tables.clear();
  EXPECT_TRUE(Parse(empty.ToText(), &read).ok());
  EXPECT_EQ(read.info.files, 0u);
}

TEST(BackupListTest, DamageOfAnyByteIsSeen) {
  const std::string text = Example().ToText();
  BackupList list;
  for (size_t at = 0; at < text.size(); ++at) {
    std::string damaged = text;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    const leveldb::Status status = Parse(damaged, &list);
    EXPECT_TRUE(status.IsCorruption()) << "byte " << at;
    EXPECT_NE(status.ToString().find(kPath), std::string::npos) << status.ToString();
    EXPECT_TRUE(Parse(text.substr(0, at), &list).IsCorruption()) << "cut to " << at;
  }
  EXPECT_TRUE(Parse(text + "\n", &list).IsCorruption());
}

TEST(BackupListTest, WhatNoBackupHasIsRefusedWithACorrectChecksum) {
  const std::string text = Example().ToText();
  BackupList list;
  ASSERT_TRUE(Parse(Resealed(text, "backup 7", "backup 8"), &list).ok()) << "the helper works";
  EXPECT_TRUE(Parse(Resealed(text, "lull-backup 1", "lull-backup 2"), &list).IsNotSupportedError());
  const std::string wrong[][2] = {
      {"lull-backup 1", "other-backup 1"},
      {"backup 7", "backup -7"},
      {"backup 7", "backup"},
      {"manifest ", "manifest 0"},
      {"manifest ", "manifest zz"},
      {"manifest ", "manifest ff"},
      {"table 7", "table 6"},
      {"table 7", "table  7"},
      {"deadbeef-100", "deadbeef-101"},
      {"deadbeef-100.ldb", "../../x"},
      {" 12\n", " \n"},
      {" 12\n", " 12 13\n"},
      {" 12\n", " 12\ntable 5 00000001-200-2.ldb\n"},
  };
  for (const auto& [from, to] : wrong) {
    EXPECT_TRUE(Parse(Resealed(text, from, to), &list).IsCorruption()) << from << " > " << to;
  }
  BackupList other = Example();
  other.edit.next_file_number = 8;  // the MANIFEST would have the number of a table
  EXPECT_TRUE(Parse(other.ToText(), &list).IsCorruption());
  other = Example();
  other.edit.comparator.reset();
  EXPECT_TRUE(Parse(other.ToText(), &list).IsCorruption());
}

TEST(BackupListTest, NamesOfCopies) {
  const DataName name{{123, 0x00ab00cd}, 0};
  EXPECT_EQ(name.ToText(), "00ab00cd-123.ldb");
  EXPECT_EQ(DataName::FromText(name.ToText()), name);
  const DataName twin{{UINT64_MAX, UINT32_MAX}, 12};
  EXPECT_EQ(DataName::FromText(twin.ToText()), twin);
  for (const char* other :
       {"", "new.tmp", "000005.ldb", "00AB00cd-123.ldb", "00ab00cd-0123.ldb", "00ab00cd-123-0.ldb",
        "00ab00cd-123-.ldb", "00ab00cd-.ldb", "00ab00cd-123", "00ab00cd-123.ldb.1",
        "00ab00cd-123.sst", "../0ab00cd-123.ldb", "0ab00cd-123.ldb", "00ab00cd--123.ldb",
        "00ab00cd-99999999999999999999.ldb"}) {
    EXPECT_EQ(DataName::FromText(other), std::nullopt) << other;
  }
}

}  // namespace
}  // namespace lull
