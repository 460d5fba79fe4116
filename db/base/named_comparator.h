// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// NamedComparator: stands for the comparator of a store whose program is not at hand. It has the
// right name, but another order. Tools that need no order use it to read such a store. The store
// must not be written, and code that checks the order of keys in files asks IsNamed first. Any
// thread.
#pragma once

#include <string>
#include <utility>

#include "leveldb/comparator.h"
#include "leveldb/slice.h"
#include "util/registry.h"

namespace lull {

class NamedComparator final : public leveldb::Comparator {
 public:
  explicit NamedComparator(std::string name) : name_(std::move(name)) {
    NamedComparators::Get().Add(this, this);
  }
  ~NamedComparator() override { NamedComparators::Get().Remove(this); }
  NamedComparator(const NamedComparator&) = delete;
  NamedComparator& operator=(const NamedComparator&) = delete;

  static bool IsNamed(const leveldb::Comparator* comparator) {
    return NamedComparators::Get().Find(comparator) != nullptr;
  }

  const char* Name() const override { return name_.c_str(); }
  int Compare(const leveldb::Slice& a, const leveldb::Slice& b) const override {
    return a.compare(b);
  }
  void FindShortestSeparator(std::string*, const leveldb::Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}

 private:
  using NamedComparators = Registry<leveldb::Comparator, NamedComparator>;

  const std::string name_;
};

}  // namespace lull
