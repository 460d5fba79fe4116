// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include "leveldb/status.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <utility>

namespace leveldb {
namespace {

TEST(Status, ExactlyOneKindAnswersAndTheTextNamesIt) {
  const struct {
    Status status;
    const char* text;
  } all[] = {{Status::NotFound("a"), "NotFound: a"},
             {Status::Corruption("a", "b"), "Corruption: a: b"},
             {Status::NotSupported("a", ""), "Not implemented: a"},
             {Status::InvalidArgument("", "b"), "Invalid argument: : b"},
             {Status::IOError("file", "cause"), "IO error: file: cause"},
             {Status::OK(), "OK"}};
  for (int i = 0; i < 6; i++) {
    const Status& status = all[i].status;
    EXPECT_EQ(status.ToString(), all[i].text);
    EXPECT_EQ(status.IsNotFound(), i == 0);
    EXPECT_EQ(status.IsCorruption(), i == 1);
    EXPECT_EQ(status.IsNotSupportedError(), i == 2);
    EXPECT_EQ(status.IsInvalidArgument(), i == 3);
    EXPECT_EQ(status.IsIOError(), i == 4);
    EXPECT_EQ(status.ok(), i == 5);
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
  std::string expected = "Corruption: ";
  expected.append(binary).append(": ").append(binary);
  EXPECT_EQ(Status::Corruption(binary, binary).ToString(), expected);
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
