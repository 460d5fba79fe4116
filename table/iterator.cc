// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Shared parts of all leveldb::Iterators: the cleanup functions, and the two iterators without
// entries.
#include "leveldb/iterator.h"

#include <cassert>
#include <utility>

namespace leveldb {

Iterator::Iterator() : cleanup_head_{nullptr, nullptr, nullptr, nullptr} {}

Iterator::~Iterator() {
  if (!cleanup_head_.IsEmpty()) cleanup_head_.Run();
  while (CleanupNode* node = cleanup_head_.next) {
    node->Run();
    cleanup_head_.next = node->next;
    delete node;
  }
}

void Iterator::RegisterCleanup(CleanupFunction function, void* arg1, void* arg2) {
  if (cleanup_head_.IsEmpty()) {
    cleanup_head_ = {function, arg1, arg2, nullptr};
  } else {
    cleanup_head_.next = new CleanupNode{function, arg1, arg2, cleanup_head_.next};
  }
}

namespace {

class NothingIterator final : public Iterator {
 public:
  explicit NothingIterator(Status why) : why_(std::move(why)) {}

  void SeekToFirst() override {}
  void SeekToLast() override {}
  void Seek(const Slice&) override {}
  void Next() override { assert(false); }
  void Prev() override { assert(false); }
  bool Valid() const override { return false; }
  Slice key() const override { return Nothing(); }
  Slice value() const override { return Nothing(); }
  Status status() const override { return why_; }

 private:
  static Slice Nothing() {
    assert(false);
    return Slice();
  }

  const Status why_;
};

}  // namespace

Iterator* NewEmptyIterator() { return new NothingIterator(Status::OK()); }

Iterator* NewErrorIterator(const Status& status) { return new NothingIterator(status); }

}  // namespace leveldb
