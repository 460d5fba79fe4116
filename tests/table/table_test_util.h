// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Shared code of the table tests: files in memory, orders, sample entries. One thread.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "leveldb/comparator.h"
#include "leveldb/env.h"
#include "leveldb/iterator.h"
#include "table/compression.h"
#include "table/format.h"
#include "table/key_order.h"
#include "table/table_reader.h"
#include "table/table_writer.h"
#include "tests/db/support/memory_files.h"
#include "tests/table/key_orders.h"
#include "util/coding.h"
#include "util/crc32c.h"
#include "util/random.h"

namespace lull::testing {

using leveldb::Iterator;
using leveldb::Slice;
using leveldb::Status;

/// The behaviour of a MemoryFile, and the reads it received.
struct FileProbe {
  bool mapped = false;              ///< returns its own memory
  uint64_t bad_begin = UINT64_MAX;  ///< reads that touch [bad_begin, bad_end) fail
  uint64_t bad_end = UINT64_MAX;
  mutable std::vector<std::pair<uint64_t, size_t>> reads;
  mutable std::vector<const char*> buffers;  ///< what each read was given
};

class MemoryFile final : public leveldb::RandomAccessFile {
 public:
  explicit MemoryFile(std::string bytes, const FileProbe* probe = nullptr)
      : bytes_(std::move(bytes)), probe_(probe) {}

  Status Read(uint64_t offset, size_t n, Slice* result, char* scratch) const override {
    if (probe_ != nullptr) {
      probe_->reads.emplace_back(offset, n);
      probe_->buffers.push_back(scratch);
      if (offset < probe_->bad_end && offset + n > probe_->bad_begin)
        return Status::IOError("file", "bad sector");
    }
    if (offset > bytes_.size()) return Status::IOError("file", "read beyond its end");
    n = std::min(n, bytes_.size() - static_cast<size_t>(offset));
    if (probe_ != nullptr && probe_->mapped) {
      *result = Slice(bytes_.data() + offset, n);
    } else {
      std::memcpy(scratch, bytes_.data() + offset, n);
      *result = Slice(scratch, n);
    }
    return Status::OK();
  }

 private:
  const std::string bytes_;
  const FileProbe* const probe_;
};

inline bool LacksALibrary() {
  return !CanDecompress(Codec::kSnappy) || !CanDecompress(Codec::kZstd) ||
         !CanDecompress(Codec::kZlib);
}

/// The status of a block with these stored bytes and type byte, and a valid checksum.
inline Status DecodeBlock(std::string stored, int type, std::string* result = nullptr) {
  stored.push_back(static_cast<char>(type));
  PutFixed32(&stored, crc32c::Mask(crc32c::Value(stored.data(), stored.size())));
  ByteBuffer buffer;
  Slice contents;
  const Status status = DecodeStored({nullptr, 0, "file"}, {}, stored, true, &buffer, &contents);
  if (status.ok() && result != nullptr) *result = contents.ToString();
  // A cache charges a block for its contents.
  EXPECT_TRUE(!status.ok() || contents.data() != buffer.data() ||
              buffer.capacity() == contents.size());
  return status;
}

inline std::string InternalKey(const std::string& user_key, uint64_t sequence) {
  std::string key = user_key;
  PutFixed64(&key, sequence << 8 | 1);
  return key;
}

struct LessByOrder {
  KeyOrder order = UserOrder();
  bool operator()(const std::string& a, const std::string& b) const {
    return order.Compare(a, b) < 0;
  }
};
using Entries = std::map<std::string, std::string, LessByOrder>;

/// A key that often shares a prefix with others.
inline std::string RandomKey(Random* random, const KeyOrder& order) {
  std::string key;
  if (random->OneIn(3)) key = "common/prefix/";
  for (uint64_t n = random->Uniform(12); n > 0; --n) key.push_back("\0ab\xff"[random->Uniform(4)]);
  return order.internal() ? InternalKey(key, random->Uniform(5)) : key;
}

inline std::string RandomValue(Random* random, size_t bytes_max) {
  std::string value(random->Uniform(bytes_max + 1), random->OneIn(2) ? 'v' : '\0');
  if (random->OneIn(2)) {
    for (char& c : value) c = static_cast<char>(random->Next());
  }
  return value;
}

inline Entries RandomEntries(Random* random, const KeyOrder& order, size_t count,
                             size_t value_bytes_max) {
  Entries entries(LessByOrder{order});
  for (size_t i = 0; i < count; ++i)
    entries[RandomKey(random, order)] = RandomValue(random, value_bytes_max);
  return entries;
}

inline std::string BuildTable(const TableWriteOptions& options, const Entries& entries) {
  WrittenFile written;
  MemoryWritable file(&written);
  TableWriter writer(options, &file);
  for (const auto& [key, value] : entries) writer.Add(key, value);
  const Status status = writer.Finish();
  EXPECT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(written.bytes.size(), writer.FileBytes());
  EXPECT_EQ(entries.size(), writer.EntryCount());
  return std::move(written.bytes);
}

inline Status OpenTableBytes(TableReadOptions options, const std::string& bytes,
                             std::unique_ptr<TableReader>* reader,
                             const FileProbe* probe = nullptr) {
  if (options.file_name.empty()) options.file_name = "the_table";
  return TableReader::Open(options, std::make_unique<MemoryFile>(bytes, probe), bytes.size(),
                           reader);
}

inline std::unique_ptr<TableReader> OpenedTable(const TableReadOptions& options,
                                                const std::string& bytes,
                                                const FileProbe* probe = nullptr) {
  std::unique_ptr<TableReader> reader;
  const Status status = OpenTableBytes(options, bytes, &reader, probe);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return reader;
}

struct Found {
  bool called = false;
  std::string key;
  std::string value;
  bool operator==(const Found&) const = default;
};

inline Status GetInto(const TableReader& reader, const BlockReadOptions& options,
                      const Slice& target, Found* found) {
  return reader.Get(options, target, found, [](void* arg, const Slice& key, const Slice& value) {
    auto* out = static_cast<Found*>(arg);
    EXPECT_FALSE(out->called);
    *out = {true, key.ToString(), value.ToString()};
  });
}

/// What a table has for `target`; the search must not fail.
inline Found GetFrom(const TableReader& reader, const Slice& target,
                     const BlockReadOptions& options = {}) {
  Found found;
  const Status status = GetInto(reader, options, target, &found);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return found;
}

/// Expects an iterator to return exactly `entries`, in both directions.
inline void ExpectEntries(Iterator* iterator, const Entries& entries) {
  auto expected = entries.begin();
  for (iterator->SeekToFirst(); iterator->Valid(); iterator->Next(), ++expected) {
    ASSERT_NE(expected, entries.end());
    ASSERT_EQ(expected->first, iterator->key().ToString());
    ASSERT_EQ(expected->second, iterator->value().ToString());
  }
  ASSERT_EQ(expected, entries.end());
  auto backward = entries.rbegin();
  for (iterator->SeekToLast(); iterator->Valid(); iterator->Prev(), ++backward) {
    ASSERT_NE(backward, entries.rend());
    ASSERT_EQ(backward->first, iterator->key().ToString());
    ASSERT_EQ(backward->second, iterator->value().ToString());
  }
  ASSERT_EQ(backward, entries.rend());
}

/// The same without an error.
inline void ExpectHolds(Iterator* iterator, const Entries& entries) {
  ASSERT_NO_FATAL_FAILURE(ExpectEntries(iterator, entries));
  ASSERT_TRUE(iterator->status().ok()) << iterator->status().ToString();
}

/// Moves at random, and compares with a map at every step.
inline void WalkAtRandom(Iterator* iterator, const Entries& entries, Random* random, int steps) {
  auto at = entries.end();
  for (int i = 0; i < steps; ++i) {
    const uint64_t action = random->Uniform(12);
    if (action == 0) {
      iterator->SeekToFirst();
      at = entries.begin();
    } else if (action == 1) {
      iterator->SeekToLast();
      at = entries.empty() ? entries.end() : std::prev(entries.end());
    } else if (action < 5 || at == entries.end()) {
      const std::string target = RandomKey(random, entries.key_comp().order);
      iterator->Seek(target);
      at = entries.lower_bound(target);
    } else if (action < 9) {
      iterator->Next();
      ++at;
    } else {
      iterator->Prev();
      at = at == entries.begin() ? entries.end() : std::prev(at);
    }
    ASSERT_EQ(at != entries.end(), iterator->Valid())
        << "step " << i << ": " << iterator->status().ToString();
    if (at == entries.end()) continue;
    ASSERT_EQ(at->first, iterator->key().ToString()) << "step " << i;
    ASSERT_EQ(at->second, iterator->value().ToString()) << "step " << i;
  }
}

}  // namespace lull::testing
