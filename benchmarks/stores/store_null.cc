// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "benchmarks/stores/store.h"
#include "leveldb/iterator.h"

namespace lull::bench {
namespace {

class NullStore final : public leveldb::DB {
 public:
  using Status = leveldb::Status;

  Status Put(const leveldb::WriteOptions&, const leveldb::Slice&, const leveldb::Slice&) override {
    return Status::OK();
  }
  Status Delete(const leveldb::WriteOptions&, const leveldb::Slice&) override {
    return Status::OK();
  }
  Status Write(const leveldb::WriteOptions&, leveldb::WriteBatch*) override { return Status::OK(); }
  Status Get(const leveldb::ReadOptions&, const leveldb::Slice&, std::string*) override {
    return Status::NotFound("the null store stores nothing");
  }
  leveldb::Iterator* NewIterator(const leveldb::ReadOptions&) override {
    return leveldb::NewEmptyIterator();
  }
  const leveldb::Snapshot* GetSnapshot() override { return nullptr; }
  void ReleaseSnapshot(const leveldb::Snapshot*) override {}
  bool GetProperty(const leveldb::Slice&, std::string*) override { return false; }
  void GetApproximateSizes(const leveldb::Range*, int count, uint64_t* sizes) override {
    for (int i = 0; i < count; ++i) sizes[i] = 0;
  }
  void CompactRange(const leveldb::Slice*, const leveldb::Slice*) override {}
};

}  // namespace

std::unique_ptr<leveldb::DB> NewNullStore() { return std::make_unique<NullStore>(); }

}  // namespace lull::bench
