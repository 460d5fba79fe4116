// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include "leveldb/status.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <utility>

namespace leveldb {
namespace {

TEST(Status, TextNamesTheKindAndTheMessage) {
  EXPECT_EQ(Status().ToString(), "OK");
  EXPECT_EQ(Status::OK().ToString(), "OK");
  EXPECT_EQ(Status::NotFound("a").ToString(), "NotFound: a");
  EXPECT_EQ(Status::Corruption("a", "b").ToString(), "Corruption: a: b");
  EXPECT_EQ(Status::NotSupported("a", "").ToString(), "Not implemented: a");
  EXPECT_EQ(Status::InvalidArgument("", "b").ToString(), "Invalid argument: : b");
  EXPECT_EQ(Status::IOError("file", "cause").ToString(), "IO error: file: cause");
}

TEST(Status, ExactlyOneKindAnswers) {
  const Status all[] = {Status::NotFound("x"),     Status::Corruption("x"),
                        Status::NotSupported("x"), Status::InvalidArgument("x"),
                        Status::IOError("x"),      Status::OK()};
  for (int i = 0; i < 6; i++) {
    EXPECT_EQ(all[i].IsNotFound(), i == 0);
    EXPECT_EQ(all[i].IsCorruption(), i == 1);
    EXPECT_EQ(all[i].IsNotSupportedError(), i == 2);
    EXPECT_EQ(all[i].IsInvalidArgument(), i == 3);
    EXPECT_EQ(all[i].IsIOError(), i == 4);
    EXPECT_EQ(all[i].ok(), i == 5);
  }
}

TEST(Status, CopiesAreIndependent) {
  Status original = Status::IOError("disk", "full");
  Status copy = original;
  original = Status::OK();
  EXPECT_EQ(copy.ToString(), "IO error: disk: full");
  Status moved = std::move(copy);
  EXPECT_EQ(moved.ToString(), "IO error: disk: full");
  Status assigned = Status::NotFound("gone");
  assigned = moved;
  EXPECT_EQ(assigned.ToString(), moved.ToString());
  const Status& alias = assigned;
  assigned = alias;
  EXPECT_EQ(assigned.ToString(), "IO error: disk: full");
}

TEST(Status, AnyBytesInTheMessage) {
  const std::string binary("\0\xff\n", 3);
  EXPECT_EQ(Status::Corruption(binary, binary).ToString(), "Corruption: " + binary + ": " + binary);
  const std::string large(100000, 'x');
  EXPECT_EQ(Status::Corruption(large).ToString().size(),
            large.size() + std::strlen("Corruption: "));
}

// Inline functions in programs compiled against LevelDB's headers read this form.
TEST(Status, StateIsLengthCodeMessage) {
  static_assert(sizeof(Status) == sizeof(char*));
  const Status s = Status::InvalidArgument("ab", "c");
  const char* state;
  std::memcpy(&state, &s, sizeof(state));
  constexpr uint32_t kLength = 5;  // in the machine's byte order
  std::string expected(reinterpret_cast<const char*>(&kLength), sizeof(kLength));
  expected +=
      "\x04"
      "ab: c";
  EXPECT_EQ(std::string(state, 10), expected);
}

}  // namespace
}  // namespace leveldb
