// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "leveldb/write_batch.h"

#include <gtest/gtest.h>

#include <string>

#include "db/memory/batch_format.h"

namespace lull {
namespace {

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
