// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/base/named_comparator.h"

#include <utility>

#include "util/registry.h"

namespace lull {
namespace {

using NamedComparators = Registry<leveldb::Comparator, NamedComparator>;

}  // namespace

NamedComparator::NamedComparator(std::string name) : name_(std::move(name)) {
  NamedComparators::Get().Add(this, this);
}

NamedComparator::~NamedComparator() { NamedComparators::Get().Remove(this); }

bool NamedComparator::IsNamed(const leveldb::Comparator* comparator) {
  return NamedComparators::Get().Find(comparator) != nullptr;
}

}  // namespace lull
