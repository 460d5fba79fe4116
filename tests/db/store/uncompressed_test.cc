// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// With kNoCompression, no writer compresses any block, so that a LevelDB without snappy can read
// the store. The same stores with snappy show that the test finds compressed blocks. In a store
// with blocks of zlib, each writer writes zlib.
#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "db/backup/backups.h"
#include "db/base/context.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "leveldb/db.h"
#include "leveldb/filter_policy.h"
#include "lull/lull.h"
#include "table/block.h"
#include "table/compression.h"
#include "table/format.h"
#include "tests/db/support/expect_ok.h"
#include "tests/db/support/small_store.h"
#include "tests/support/fresh_directory.h"
#include "tests/support/table_files.h"

namespace lull {
namespace {

using leveldb::Slice;
using testing::IsOk;

/// The codecs of all blocks of a table.
class BlockCodecs {
 public:
  static std::vector<Codec> Of(const std::string& bytes) {
    BlockCodecs codecs;
    codecs.bytes_ = bytes;
    Footer footer;
    EXPECT_EQ(footer.DecodeFrom(bytes.substr(bytes.size() - kFooterBytes)), nullptr);
    for (const BlockHandle& block : {footer.metaindex, footer.index}) {
      for (const BlockHandle& listed : codecs.Listed(block)) codecs.Take(listed);
    }
    EXPECT_EQ(codecs.seen_bytes_ + kFooterBytes, bytes.size()) << "not all blocks";
    return codecs.codecs_;
  }

 private:
  Codec Take(const BlockHandle& block) {
    const auto type = static_cast<unsigned char>(bytes_.at(block.offset + block.size));
    codecs_.push_back(FindCodec(type, Slice(bytes_.data() + block.offset, block.size)).value());
    seen_bytes_ += block.size + kBlockTrailerBytes;
    return codecs_.back();
  }

  /// The handles in the block.
  std::vector<BlockHandle> Listed(const BlockHandle& lists) {
    ByteBuffer buffer;
    Slice contents(bytes_.data() + lists.offset, lists.size);
    EXPECT_EQ(Decompress(Take(lists), contents, &buffer, &contents), nullptr);
    Block block;
    EXPECT_EQ(block.Parse(contents), nullptr);
    std::vector<BlockHandle> handles;
    BlockCursor entry;
    entry.Reset(block, KeyOrder(leveldb::BytewiseComparator(), KeyOrder::Keys::kUser));
    for (entry.SeekToFirst(); entry.Valid(); entry.Next()) {
      Slice value = entry.value();
      EXPECT_TRUE(handles.emplace_back().DecodeFrom(&value));
    }
    return handles;
  }

  std::string bytes_;
  uint64_t seen_bytes_ = 0;
  std::vector<Codec> codecs_;
};

/// A store whose entries and index can be compressed.
class Scene {
 public:
  explicit Scene(leveldb::CompressionType compression) {
    options_.create_if_missing = true;
    options_.write_buffer_size = 1 << 20;
    options_.compression = compression;
    options_.filter_policy = filter_.get();
    Reopen();
  }

  /// Writes a table with this codec. Codecs() then omits it.
  void WriteTableOf(Codec codec) {
    db_.reset();
    program_codec = codec;
    Reopen();
    WriteTable();
    db_.reset();
    program_codec.reset();
    Codecs();
    Reopen();
  }

  void Reopen() {
    db_.reset();
    EXPECT_TRUE(IsOk(testing::OpenAt(options_, store_, &db_)));
  }
  /// Fewer bytes than a memtable takes, and too many for a log to stay one when the store opens.
  void Write() {
    for (int i = 0; i < 5000; ++i) {
      EXPECT_TRUE(IsOk(db_->Put({}, "key" + std::to_string(10'000 + i), std::string(100, 'v'))));
    }
  }
  void WriteTable() {
    Write();
    EXPECT_TRUE(IsOk(Flush(db_.get())));
  }
  void Repair() {
    db_.reset();
    std::filesystem::remove(store_ + "/CURRENT");
    EXPECT_TRUE(IsOk(leveldb::RepairDB(store_, options_)));
  }

  leveldb::DB* db() const { return db_.get(); }
  const leveldb::Options& options() const { return options_; }
  const std::string& directory() const { return directory_; }
  const std::string& store() const { return store_; }
  void Close() { db_.reset(); }

  /// Of all tables that the scene has written since the last call, also those of backups.
  std::vector<Codec> Codecs() {
    db_.reset();
    std::vector<Codec> codecs;
    for (const auto& file : std::filesystem::recursive_directory_iterator(directory_)) {
      const std::string path = file.path().string();
      const bool is_backup = file.path().parent_path().filename() == "data";
      if (!is_backup && !path.ends_with(".ldb")) continue;
      std::string bytes;
      EXPECT_TRUE(IsOk(leveldb::ReadFileToString(leveldb::Env::Default(), path, &bytes)));
      if (!seen_.insert(bytes).second) continue;  // a backup copies tables
      SCOPED_TRACE(path);
      for (const Codec codec : BlockCodecs::Of(bytes)) codecs.push_back(codec);
    }
    return codecs;
  }

 private:
  const std::unique_ptr<const leveldb::FilterPolicy> filter_{leveldb::NewBloomFilterPolicy(10)};
  const std::string directory_ = testing::FreshDirectory("uncompressed");
  const std::string store_ = directory_ + "/store";
  leveldb::Options options_;
  std::set<std::string> seen_;  // tables
  std::unique_ptr<leveldb::DB> db_;
};

struct Writer {
  const char* name;
  std::function<void(Scene*)> write;
};

const Writer kWriters[] = {
    {"flush", [](Scene* scene) { scene->WriteTable(); }},
    {"compaction",
     [](Scene* scene) {
       for (int i = 0; i < 3; ++i) scene->WriteTable();
       scene->db()->CompactRange(nullptr, nullptr);
     }},
    {"recovery",
     [](Scene* scene) {
       scene->Write();
       scene->Reopen();
     }},
    {"repair of a log",
     [](Scene* scene) {
       scene->Write();
       scene->Repair();
     }},
    {"repair without a MANIFEST",
     [](Scene* scene) {
       for (int i = 0; i < 2; ++i) scene->WriteTable();
       for (const auto& file : std::filesystem::directory_iterator(scene->store())) {
         if (file.path().filename().string().starts_with("MANIFEST")) remove(file.path());
       }
       scene->Repair();
     }},
    {"backup of a log",
     [](Scene* scene) {
       scene->Write();
       scene->Close();
       BackupInfo info;
       EXPECT_TRUE(IsOk(BackUpFiles(scene->options(), scene->store(),
                                    scene->directory() + "/backups", nullptr, &info)));
       EXPECT_GE(info.files, 1u);
     }},
    {"TableBuilder",
     [](Scene* scene) {
       testing::TableEntries entries;
       for (int i = 0; i < 5000; ++i)
         entries.emplace_back("key" + std::to_string(10'000 + i), "a value");
       EXPECT_TRUE(
           IsOk(testing::BuildTable(scene->options(), scene->directory() + "/1.ldb", entries)));
     }},
};

TEST(UncompressedTest, NoWriterCompressesABlock) {
  for (const Writer& writer : kWriters) {
    SCOPED_TRACE(writer.name);
    Scene scene(leveldb::kNoCompression);
    writer.write(&scene);
    EXPECT_THAT(scene.Codecs(), ::testing::AllOf(::testing::Not(::testing::IsEmpty()),
                                                 ::testing::Each(Codec::kNone)));
  }
}

TEST(UncompressedTest, WithSnappyEachWriterDoes) {
  if (!CanDecompress(Codec::kSnappy)) GTEST_SKIP() << "a build without snappy";
  for (const Writer& writer : kWriters) {
    SCOPED_TRACE(writer.name);
    Scene scene(leveldb::kSnappyCompression);
    writer.write(&scene);
    EXPECT_THAT(scene.Codecs(), ::testing::Contains(Codec::kSnappy));
  }
}

TEST(UncompressedTest, InAStoreOfZlibEachWriterKeepsItsForm) {
  if (!CanDecompress(Codec::kZlib)) GTEST_SKIP() << "a build without zlib";
  for (const Writer& writer : kWriters) {
    if (std::string(writer.name) == "TableBuilder") continue;  // knows no store
    for (const Codec codec : {Codec::kZlib, Codec::kZlibRaw}) {
      SCOPED_TRACE(writer.name);
      for (const auto options : {leveldb::kSnappyCompression, leveldb::kZstdCompression}) {
        Scene scene(options);
        scene.WriteTableOf(codec);
        writer.write(&scene);
        EXPECT_THAT(scene.Codecs(),
                    ::testing::AllOf(::testing::Contains(codec),
                                     ::testing::Each(::testing::AnyOf(Codec::kNone, codec))));
      }
      Scene uncompressed(leveldb::kNoCompression);
      uncompressed.WriteTableOf(codec);
      writer.write(&uncompressed);
      EXPECT_THAT(uncompressed.Codecs(), ::testing::Each(Codec::kNone));
    }
  }
}

TEST(UncompressedTest, ACompactionOfZlibAndOtherBlocksWritesZlib) {
  if (!CanDecompress(Codec::kZlib) || !CanDecompress(Codec::kSnappy))
    GTEST_SKIP() << "a build without zlib or snappy";
  for (const Codec first : {Codec::kNone, Codec::kSnappy, Codec::kZlibRaw}) {
    Scene scene(leveldb::kSnappyCompression);
    for (const Codec codec : {first, Codec::kSnappy, Codec::kZlibRaw, Codec::kSnappy})
      scene.WriteTableOf(codec);
    scene.db()->CompactRange(nullptr, nullptr);
    EXPECT_THAT(scene.Codecs(),
                ::testing::AllOf(::testing::Contains(Codec::kZlibRaw),
                                 ::testing::Each(::testing::AnyOf(Codec::kNone, Codec::kZlibRaw))));
  }
}

}  // namespace
}  // namespace lull
