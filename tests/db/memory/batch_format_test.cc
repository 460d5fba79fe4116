// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/memory/batch_format.h"

#include <gtest/gtest.h>

#include <string>

#include "db/memory/memtable.h"
#include "leveldb/comparator.h"
#include "leveldb/write_batch.h"

namespace lull {
namespace {

const std::string kHeader("\x64\0\0\0\0\0\0\0\x02\0\0\0", 12);  // sequence 100, two entries
const std::string kTwoEntries = kHeader + std::string("\x01\x01k\x02vv\0\x03key", 11);

TEST(BatchFormatTest, HeaderInPlace) {
  std::string record = "............rest";
  batch::EncodeHeader(record.data(), 100, 2);
  EXPECT_EQ(record, kHeader + "rest");
  EXPECT_EQ(batch::SequenceOf(record), 100u);
  EXPECT_EQ(batch::CountOf(record), 2u);
}

TEST(BatchFormatTest, SetsHeaderFields) {
  leveldb::WriteBatch batch;
  batch.Put("k", "vv");
  batch.Delete("key");
  EXPECT_EQ(batch::Count(batch), 2u);
  batch::SetSequence(&batch, 100);
  EXPECT_EQ(batch::Contents(batch).ToString(), kTwoEntries);
  batch::SetCount(&batch, 77);
  EXPECT_EQ(batch::Count(batch), 77u);
  EXPECT_EQ(batch::SequenceOf(batch::Contents(batch)), 100u);
}

TEST(BatchFormatTest, EveryTruncationIsCorrupt) {
  for (size_t size = 0; size < kTwoEntries.size(); ++size) {
    const std::string cut = kTwoEntries.substr(0, size);
    EXPECT_TRUE(batch::Validate(cut).IsCorruption()) << size;
    MemTable memtable(KeyOrder(leveldb::BytewiseComparator(), KeyOrder::Keys::kInternal));
    EXPECT_TRUE(batch::InsertInto(cut, &memtable).IsCorruption()) << size;
  }
}

TEST(BatchFormatTest, WrongContentsAreCorrupt) {
  EXPECT_TRUE(batch::Validate(kTwoEntries + kTwoEntries.substr(12)).IsCorruption()) << "count";
  std::string unknown_kind = kTwoEntries;
  unknown_kind[12] = 2;
  EXPECT_TRUE(batch::Validate(unknown_kind).IsCorruption());
  std::string long_length = kTwoEntries;
  long_length[13] = '\x7f';
  EXPECT_TRUE(batch::Validate(long_length).IsCorruption());
  EXPECT_TRUE(
      batch::Validate(kHeader + std::string("\x01\xff\xff\xff\xff\xff\x01", 7)).IsCorruption());
}

TEST(BatchFormatTest, VisitsNothingBehindTheFault) {
  std::string record = kTwoEntries;
  record[18] = 9;  // the kind of the second entry
  int visited = 0;
  EXPECT_TRUE(batch::ForEach(record, [&](ValueKind, const leveldb::Slice&, const leveldb::Slice&) {
                ++visited;
              }).IsCorruption());
  EXPECT_EQ(visited, 1);
}

// The slices claim more bytes than exist: nobody may read them.
TEST(BatchFormatTest, OversizeEntriesAreRefusedBeforeTheyAreLogged) {
  constexpr uint64_t kHuge = uint64_t{1} << 32;
  if (kHuge > SIZE_MAX) GTEST_SKIP() << "no entry can be so large";
  const leveldb::Slice huge("x", static_cast<size_t>(kHuge));
  const leveldb::Slice huge_key("x", static_cast<size_t>(kHuge - 8));
  leveldb::WriteBatch key, value, deletion, both, together;
  // Too large for a block of a table.
  together.Put(leveldb::Slice("x", uint64_t{1} << 31),
               leveldb::Slice("x", (uint64_t{1} << 31) - 64));
  key.Put(huge_key, "v");
  value.Put("k", huge);
  deletion.Delete(huge_key);
  both.Put("a", "b");
  both.Append(value);
  both.Put("c", "d");
  for (const leveldb::WriteBatch* batch : {&key, &value, &deletion, &both, &together}) {
    const leveldb::Status status = batch::Validate(batch::Contents(*batch));
    EXPECT_TRUE(status.IsInvalidArgument()) << status.ToString();
    EXPECT_NE(status.ToString().find("key or value of 4 GiB or more"), std::string::npos);
    EXPECT_LT(batch->ApproximateSize(), 100u);
  }
  EXPECT_EQ(batch::Count(both), 3u);
  both.Clear();
  both.Put("a", "b");
  EXPECT_TRUE(batch::Validate(batch::Contents(both)).ok());
}

// ---- the public class

class TextHandler final : public leveldb::WriteBatch::Handler {
 public:
  void Put(const leveldb::Slice& key, const leveldb::Slice& value) override {
    text += "Put(" + key.ToString() + "," + value.ToString() + ")";
  }
  void Delete(const leveldb::Slice& key) override { text += "Delete(" + key.ToString() + ")"; }
  std::string text;
};

std::string Text(const leveldb::WriteBatch& batch) {
  TextHandler handler;
  EXPECT_TRUE(batch.Iterate(&handler).ok());
  return handler.text;
}

TEST(WriteBatchTest, IteratesInOrder) {
  leveldb::WriteBatch batch;
  EXPECT_EQ(Text(batch), "");
  batch.Put("a", "1");
  batch.Delete("a");
  batch.Put("", "");
  batch.Put("a", std::string(300, 'x'));
  EXPECT_EQ(Text(batch), "Put(a,1)Delete(a)Put(,)Put(a," + std::string(300, 'x') + ")");
}

TEST(WriteBatchTest, SizeIsThatOfTheRecord) {
  leveldb::WriteBatch batch;
  EXPECT_EQ(batch.ApproximateSize(), 12u);
  batch.Put("k", "vv");
  EXPECT_EQ(batch.ApproximateSize(), 12u + 1 + 2 + 3);
  batch.Delete("key");
  EXPECT_EQ(batch.ApproximateSize(), 18u + 1 + 4);
  batch.Clear();
  EXPECT_EQ(batch.ApproximateSize(), 12u);
  EXPECT_EQ(Text(batch), "");
}

TEST(WriteBatchTest, AppendCopiesTheEntries) {
  leveldb::WriteBatch first, second;
  batch::SetSequence(&first, 200);
  batch::SetSequence(&second, 300);
  first.Append(second);
  EXPECT_EQ(Text(first), "");
  second.Put("a", "va");
  first.Append(second);
  second.Clear();
  second.Put("b", "vb");
  first.Append(second);
  EXPECT_EQ(Text(first), "Put(a,va)Put(b,vb)");
  EXPECT_EQ(batch::SequenceOf(batch::Contents(first)), 200u);
  first.Append(first);
  EXPECT_EQ(Text(first), "Put(a,va)Put(b,vb)Put(a,va)Put(b,vb)");
  EXPECT_EQ(batch::Count(first), 4u);
}

TEST(WriteBatchTest, DeliversWhatStandsBeforeAFault) {
  leveldb::WriteBatch batch;
  batch.Put("a", "1");
  batch::SetCount(&batch, 2);
  TextHandler handler;
  EXPECT_TRUE(batch.Iterate(&handler).IsCorruption());
  EXPECT_EQ(handler.text, "Put(a,1)");
}

}  // namespace
}  // namespace lull
