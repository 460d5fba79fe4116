// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/version/version_edit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "db/base/filename.h"
#include "db/version/table_contents.h"
#include "util/coding.h"

namespace lull {
namespace {

using ::testing::HasSubstr;

std::string FromHex(const std::string& hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

std::string Encoded(const VersionEdit& edit) {
  std::string bytes;
  edit.EncodeTo(&bytes);
  return bytes;
}

std::string Numbered(char tag, uint64_t number) {
  std::string bytes(1, tag);
  PutVarint64(&bytes, number);
  return bytes;
}

VersionEdit Everything() {
  VersionEdit edit;
  edit.comparator = "some.Comparator";
  edit.log_number = uint64_t{1} << 50;
  edit.prev_log_number = 0;
  edit.next_file_number = 77;
  edit.last_sequence = kMaxSequence / 2;
  edit.compact_pointers = {{0, MakeInternalKey("x", 9, ValueKind::kValue)},
                           {6, MakeInternalKey("", 0, ValueKind::kDeletion)}};
  edit.deleted_tables = {{3, 300}, {0, uint64_t{1} << 40}};
  for (int level = 0; level < kLevels; ++level) {
    edit.new_tables.push_back(TableMeta{level, 500u + level, uint64_t{1} << (level * 8),
                                        MakeInternalKey("aa", 5, ValueKind::kValue),
                                        MakeInternalKey("zz", 6, ValueKind::kDeletion)});
  }
  return edit;
}

// Records of MANIFESTs that LevelDB 1.23 wrote.
TEST(VersionEditTest, SameBytesAsLevelDB) {
  for (const char* hex :
       {"011a6c6576656c64622e4279746577697365436f6d70617261746f72", "0203090003040400",
        "02040900030604c30d070205d562116b65793030303030300002000000000000116b6579303032393935018202"
        "0"
        "000000000",
        "020a0900030d04e9180500116b657930303239393801ef0a000000000006000906000b06010707010ceff501"
        "116b657930303030303101f3060000000000116b65793030323939390178050000000000",
        "020a0900030e04e9180501116b6579303032393939017805000000000006010c06020507020dacc302"
        "116b657930303030303101f3060000000000116b65793030323939390178050000000000"}) {
    VersionEdit edit;
    ASSERT_EQ(edit.DecodeFrom(FromHex(hex)).ToString(), "OK");
    EXPECT_EQ(Encoded(edit), FromHex(hex));
  }
}

TEST(VersionEditTest, ReadsTheFieldsOfLevelDBsRecord) {
  VersionEdit edit;
  ASSERT_TRUE(edit.DecodeFrom(FromHex("02040900030604c30d070205d562"
                                      "116b65793030303030300002000000000000"
                                      "116b65793030323939350182020000000000"))
                  .ok());
  VersionEdit expected;
  expected.log_number = 4;
  expected.prev_log_number = 0;
  expected.next_file_number = 6;
  expected.last_sequence = 1731;
  expected.new_tables = {TableMeta{2, 5, 12'629,
                                   MakeInternalKey("key000000", 2, ValueKind::kDeletion),
                                   MakeInternalKey("key002995", 642, ValueKind::kValue)}};
  EXPECT_EQ(edit, expected);
  EXPECT_EQ(edit.DebugString(),
            "VersionEdit {\n  LogNumber: 4\n  PrevLogNumber: 0\n  NextFile: 6\n  LastSeq: 1731\n"
            "  AddFile: 2 5 12629 'key000000' @ 2 : 0 .. 'key002995' @ 642 : 1\n}");
}

TEST(VersionEditTest, DecodeIsTheInverse) {
  for (const VersionEdit& edit : {VersionEdit(), Everything()}) {
    VersionEdit decoded;
    decoded.log_number = 12345;  // DecodeFrom replaces previous fields
    ASSERT_TRUE(decoded.DecodeFrom(Encoded(edit)).ok());
    EXPECT_EQ(decoded, edit);
  }
}

TEST(VersionEditTest, TruncationsFailOrDropWholeFields) {
  const std::string bytes = Encoded(Everything());
  int accepted = 0;
  for (size_t size = 0; size < bytes.size(); ++size) {
    VersionEdit edit;
    const leveldb::Status status = edit.DecodeFrom(bytes.substr(0, size));
    EXPECT_TRUE(status.ok() || status.IsCorruption());
    if (status.ok()) {
      ++accepted;
      EXPECT_EQ(Encoded(edit), bytes.substr(0, size));
    }
  }
  EXPECT_EQ(accepted, 5 + 2 + 2 + kLevels);
}

TEST(VersionEditTest, ATagOfAnotherDatabaseIsNoDamage) {
  for (const std::string& tag : {std::string(1, '\0'), std::string("\x08"), std::string("\x67")}) {
    VersionEdit edit;
    const leveldb::Status status = edit.DecodeFrom(tag);
    EXPECT_TRUE(status.IsNotSupportedError()) << status.ToString();
    EXPECT_THAT(status.ToString(), HasSubstr("unknown tag " + std::to_string(tag[0])));
  }
}

TEST(VersionEditTest, RefusesBadFields) {
  const std::string key = "\x09k" + std::string("\x01\0\0\0\0\0\0\0", 8);
  const std::string bad_kind = "\x09k" + std::string("\x07\0\0\0\0\0\0\0", 8);
  const std::string short_key(
      "\x03"
      "abc",
      4);
  const std::pair<std::string, const char*> cases[] = {
      {"\xff\xff\xff\xff\xff\x01", "invalid tag"},
      {"\x01\x05"
       "abc",
       "comparator name"},
      {"\x02", "log number"},
      {"\x02\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "log number"},
      {"\x09", "previous log number"},
      {"\x03", "next file number"},
      {"\x04", "last sequence number"},
      {"\x04\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "last sequence number"},
      {"\x05\x07" + key, "compaction pointer"},
      {"\x05\x01" + short_key, "compaction pointer"},
      {"\x05\x01" + bad_kind, "compaction pointer"},
      {"\x06\x07\x01", "deleted file"},
      {"\x06\x01", "deleted file"},
      {"\x07\x07\x01\x01" + key + key, "level"},
      {"\x07\xff\xff\xff\xff\x0f\x01\x01" + key + key, "level"},
      {"\x07\x01\x01\x01" + short_key + key, "smallest key"},
      {"\x07\x01\x01\x01" + bad_kind + key, "smallest key"},
      {"\x07\x01\x01\x01" + key + short_key, "largest key"},
      {"\x07\x01\x01\x01" + key, "largest key"},
      // After these no new file, or no new write, could get a number.
      {Numbered('\x02', kFileNumberMax + 1), "log number"},
      {Numbered('\x03', kFileNumberMax + 1), "next file number"},
      {Numbered('\x03', UINT64_MAX), "next file number"},
      {Numbered('\x04', kMaxSequence), "last sequence number"},
      {Numbered('\x09', kFileNumberMax + 1), "previous log number"},
  };
  for (const auto& [bytes, cause] : cases) {
    VersionEdit edit;
    const leveldb::Status status = edit.DecodeFrom(bytes);
    EXPECT_TRUE(status.IsCorruption()) << cause;
    EXPECT_THAT(status.ToString(), HasSubstr(cause));
  }
}

// ---- what a table says of its contents

constexpr TableContents kContents = {9, 5, 77, 1'700'000'000};

TEST(TableContents, ABlockHasThemAll) {
  EXPECT_EQ(TableContents::FromBlock(kContents.ToBlock()), kContents);
  EXPECT_EQ(TableContents::FromBlock(kContents.ToBlock() + "of a later version"), kContents);
}

TEST(TableContents, ABlockThatCannotBeTrueIsRefused) {
  std::string block = kContents.ToBlock();
  block.pop_back();
  EXPECT_EQ(TableContents::FromBlock(block), std::nullopt);
  EXPECT_EQ(TableContents::FromBlock(TableContents{9, 10, 77, 0}.ToBlock()), std::nullopt);
  EXPECT_EQ(TableContents::FromBlock(TableContents{}.ToBlock()), std::nullopt)
      << "no table is empty";
  EXPECT_EQ(TableContents::FromBlock(TableContents{9, 5, kMaxSequence + 1, 0}.ToBlock()),
            std::nullopt);
}

}  // namespace
}  // namespace lull
