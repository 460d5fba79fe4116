// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "table/merging_iterator.h"

#include <algorithm>
#include <string>
#include <utility>

namespace lull {

using leveldb::Iterator;
using leveldb::Slice;
using leveldb::Status;

namespace {

/// One iterator of the merge. Caches its position, so that comparisons need no virtual call.
struct Child {
  std::unique_ptr<Iterator> iterator;
  bool valid = false;
  Slice key;

  /// Updates the cached position after a move. Returns false if an error stops the merge.
  bool Look(OnError on_error) {
    valid = iterator->Valid();
    if (valid) {
      key = iterator->key();
      return true;
    }
    return on_error == OnError::kSkip || iterator->status().ok();
  }
};

/// The children with a current entry form a binary heap; the top is the current one. Forward, the
/// order is by key, then by child index. Backward it is the exact reverse, so that a walk back
/// passes the same entries.
class MergingIterator final : public Iterator {
 public:
  MergingIterator(const KeyOrder& order, std::vector<std::unique_ptr<Iterator>> children,
                  OnError on_error)
      : order_(order), on_error_(on_error) {
    children_.resize(children.size());
    for (size_t i = 0; i < children.size(); ++i) children_[i].iterator = std::move(children[i]);
    heap_.reserve(children_.size());
  }

  bool Valid() const override { return current_ != nullptr; }
  Slice key() const override { return current_->key; }
  Slice value() const override { return current_->iterator->value(); }

  Status status() const override {
    for (const Child& child : children_) {
      Status status = child.iterator->status();
      if (!status.ok()) return status;
    }
    return Status::OK();
  }

  void SeekToFirst() override {
    Position(/*forward=*/true, [](Iterator* child) { child->SeekToFirst(); });
  }
  void SeekToLast() override {
    Position(/*forward=*/false, [](Iterator* child) { child->SeekToLast(); });
  }
  void Seek(const Slice& target) override {
    Position(/*forward=*/true, [&target](Iterator* child) { child->Seek(target); });
  }

  void Next() override {
    if (!forward_ && !TurnAround()) return;
    current_->iterator->Next();
    CurrentMoved<true>();
  }

  void Prev() override {
    if (forward_ && !TurnAround()) return;
    current_->iterator->Prev();
    CurrentMoved<false>();
  }

 private:
  template <typename Move>
  void Position(bool forward, Move&& move) {
    forward_ = forward;
    heap_.clear();
    for (Child& child : children_) {
      move(child.iterator.get());
      if (!child.Look(on_error_)) return Fail();
      if (child.valid) heap_.push_back(&child);
    }
    BuildHeap();
  }

  void Fail() {
    heap_.clear();
    current_ = nullptr;
  }

  /// Moves all other children to the other side of the current entry. If one fails, returns false
  /// and becomes not Valid.
  bool TurnAround() {
    Child* const current = current_;
    const std::string here = current->key.ToString();
    forward_ = !forward_;
    heap_.clear();
    for (Child& child : children_) {
      if (&child != current && !PlaceBeyond(&child, here, /*stands_before=*/&child < current)) {
        Fail();
        return false;
      }
      if (child.valid) heap_.push_back(&child);
    }
    BuildHeap();
    return true;
  }

  /// Moves a child to its first entry after the current one, whose key is `here`, in the current
  /// direction.
  bool PlaceBeyond(Child* child, const Slice& here, bool stands_before) {
    Iterator* iterator = child->iterator.get();
    iterator->Seek(here);
    if (!child->Look(on_error_)) return false;
    if (forward_) {
      if (!stands_before || !child->valid || order_.Compare(child->key, here) != 0) return true;
      iterator->Next();
      return child->Look(on_error_);
    }
    if (!child->valid) {
      iterator->SeekToLast();
      if (!child->Look(on_error_)) return false;
    }
    // One step back is enough, unless a block that the Seek skipped has become readable.
    const int last = stands_before ? 0 : -1;
    while (child->valid && order_.Compare(child->key, here) > last) {
      iterator->Prev();
      if (!child->Look(on_error_)) return false;
    }
    return true;
  }

  /// True if a comes before b in the current direction.
  template <bool kForward>
  bool Before(const Child* a, const Child* b) const {
    const int by_key = order_.Compare(a->key, b->key);
    if (by_key != 0) return (by_key < 0) == kForward;
    return (a < b) == kForward;
  }

  void BuildHeap() {
    for (size_t i = heap_.size() / 2; i > 0; --i) {
      forward_ ? SiftDown<true>(i - 1) : SiftDown<false>(i - 1);
    }
    runner_up_ = 0;
    current_ = heap_.empty() ? nullptr : heap_[0];
  }

  /// Usually the current child stays first. That costs one comparison, whatever the number of
  /// children.
  template <bool kForward>
  void CurrentMoved() {
    if (!current_->Look(on_error_)) return Fail();
    if (!current_->valid) {
      heap_[0] = heap_.back();
      heap_.pop_back();
      runner_up_ = 0;
      if (!heap_.empty()) SiftDown<kForward>(0);
      current_ = heap_.empty() ? nullptr : heap_[0];
      return;
    }
    const size_t count = heap_.size();
    if (count == 1) return;
    if (runner_up_ == 0) {
      runner_up_ = count > 2 && Before<kForward>(heap_[2], heap_[1]) ? 2 : 1;
    }
    if (!Before<kForward>(heap_[runner_up_], current_)) return;
    heap_[0] = heap_[runner_up_];
    heap_[runner_up_] = current_;
    if (count > 3) SiftDown<kForward>(runner_up_);
    // With two children, the other one is the runner-up; with more, it is unknown.
    if (count > 2) runner_up_ = 0;
    current_ = heap_[0];
  }

  template <bool kForward>
  void SiftDown(size_t place) {
    Child* const moving = heap_[place];
    const size_t count = heap_.size();
    for (;;) {
      size_t below = 2 * place + 1;
      if (below >= count) break;
      if (below + 1 < count && Before<kForward>(heap_[below + 1], heap_[below])) ++below;
      if (!Before<kForward>(heap_[below], moving)) break;
      heap_[place] = heap_[below];
      place = below;
    }
    heap_[place] = moving;
  }

  const KeyOrder order_;
  const OnError on_error_;
  /// Never reallocates: the heap points into it, and child order is by address.
  std::vector<Child> children_;
  std::vector<Child*> heap_;
  Child* current_ = nullptr;  ///< the heap's top
  size_t runner_up_ = 0;      ///< index 1 or 2, whichever comes first; 0: unknown
  bool forward_ = true;
};

}  // namespace

std::unique_ptr<Iterator> NewMergingIterator(const KeyOrder& order,
                                             std::vector<std::unique_ptr<Iterator>> children,
                                             OnError on_error) {
  if (children.empty()) return std::unique_ptr<Iterator>(leveldb::NewEmptyIterator());
  if (children.size() == 1) return std::move(children[0]);
  return std::make_unique<MergingIterator>(order, std::move(children), on_error);
}

}  // namespace lull
