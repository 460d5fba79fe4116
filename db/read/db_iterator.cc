// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include "db/read/db_iterator.h"

#include <algorithm>
#include <cassert>
#include <optional>
#include <string>
#include <utility>

#include "leveldb/status.h"
#include "util/logging.h"

namespace lull {

using leveldb::Slice;
using leveldb::Status;

namespace {

// The position of the inner iterator depends on the direction.
//
// Forward: at the current entry, so keys and values are not copied. `skipped_` is scratch space.
//
// Backward: entries of one key come oldest first, so the visible one is known only after the last
// of them. The inner iterator is therefore before all entries of the current key, or invalid. The
// current entry is a copy in `skipped_` and `value_`.
//
// The inner iterator skips what it cannot read, and this one skips malformed keys. The current
// entry can then be an old version of its key, but status() is not OK from then on: both keep the
// first error.
class DbIterator final : public leveldb::Iterator {
 public:
  DbIterator(const KeyOrder& order, std::unique_ptr<leveldb::Iterator> inner,
             SequenceNumber sequence, std::unique_ptr<IteratorReads> reads,
             EmptyRanges* empty_ranges, const KeyBounds& bounds)
      : order_(order),
        sequence_(sequence),
        bounds_(bounds),
        reads_(std::move(reads)),
        inner_(std::move(inner)),
        empty_ranges_(empty_ranges),
        known_(empty_ranges == nullptr ? nullptr : empty_ranges->Known(sequence)) {}
  ~DbIterator() override {
    reads_->Report(work_, /*closed=*/true);
    if (known_ != nullptr) known_->Unref();
  }

  bool Valid() const override { return valid_; }

  Slice key() const override {
    assert(valid_);
    return backward_ ? Slice(skipped_) : at_.user_key;
  }

  Slice value() const override {
    assert(valid_);
    const Slice value = backward_ ? Slice(value_) : inner_->value();
    work_.bytes_returned += value.size();
    return value;
  }

  Status status() const override { return status_.ok() ? inner_->status() : status_; }

  void SeekToFirst() override {
    if (bounds_.begin) return Seek(*bounds_.begin);
    ++work_.seeks;
    inner_->SeekToFirst();
    ShowNext(/*skipping=*/false);
  }

  void Seek(const Slice& target) override {
    ++work_.seeks;
    valid_ = false;
    if (IsAtEnd(target)) return;
    const Slice from = IsBeforeBegin(target) ? Slice(*bounds_.begin) : target;
    inner_->Seek(LookupKey(from, sequence_).internal_key());
    ShowNext(/*skipping=*/false);
  }

  void SeekToLast() override {
    ++work_.seeks;
    if (bounds_.end) inner_->Seek(LookupKey(*bounds_.end, kMaxSequence).internal_key());
    if (bounds_.end && inner_->Valid()) {
      inner_->Prev();
    } else {
      inner_->SeekToLast();
    }
    ShowPrevious();
  }

  void Next() override;
  void Prev() override;

 private:
  static constexpr size_t kValueCapacityKeptMax = 1 << 20;
  static constexpr uint64_t kReportEveryBytes = 64 << 10;
  // After so many deletions in a row, a jump is faster. So many are worth a report.
  static constexpr uint64_t kDeletionsBeforeJump = 16;
  static constexpr uint64_t kDeletionsReported = 256;

  // Parses the inner iterator's key into at_. Returns false, with an error status, if it is
  // malformed. REQUIRES: inner_->Valid().
  bool Load() {
    const Slice key = inner_->key();
    if (ParseInternalKey(key, &at_)) [[likely]] {
      return true;
    }
    NoteMalformedKey(key);
    return false;
  }
  void NoteMalformedKey(const Slice& key);
  // Moves the inner iterator back to the nearest well-formed key, starting at its position, and
  // loads it. Returns false if no such key exists.
  bool LoadBackward() {
    for (; inner_->Valid(); inner_->Prev()) {
      if (Load()) [[likely]] {
        return true;
      }
    }
    return false;
  }
  bool IsAtEnd(const Slice& user_key) const {
    return bounds_.end && order_.CompareUser(user_key, *bounds_.end) >= 0;
  }
  bool IsBeforeBegin(const Slice& user_key) const {
    return bounds_.begin && order_.CompareUser(user_key, *bounds_.begin) < 0;
  }
  bool AtSkippedKey() const { return order_.CompareUser(at_.user_key, skipped_) == 0; }
  /// For each entry. Keys often have one length, and assign() is a call.
  void Skip(const Slice& user_key) {
    if (skipped_.size() != user_key.size()) skipped_.resize(user_key.size());
    std::copy_n(user_key.data(), user_key.size(), skipped_.data());
  }

  // Moves forward to a visible entry, starting at the inner iterator's entry. With `skipping`,
  // hides keys up to and including skipped_. (Smaller keys can appear if data that was unreadable
  // on the way back is readable now.)
  void ShowNext(bool skipping);
  // Moves back to a visible key. The inner iterator is at the oldest entry of its key.
  void ShowPrevious();
  void KeepValue();
  // Moves the inner iterator to the end of the known empty range, if the current key is in it.
  // Returns whether it moved.
  bool JumpOver();
  // Counts a new current entry. Its value counts only when the client reads it.
  void NoteShown(const Slice& user_key) {
    valid_ = true;
    work_.bytes_returned += user_key.size();
    if (work_.bytes_returned >= kReportEveryBytes)
      reads_->Report(std::exchange(work_, {}), /*closed=*/false);
  }

  const KeyOrder order_;
  const SequenceNumber sequence_;
  const KeyBounds bounds_;
  const std::unique_ptr<IteratorReads> reads_;  // inner_ uses its options
  const std::unique_ptr<leveldb::Iterator> inner_;
  EmptyRanges* const empty_ranges_;
  const EmptyRange* const known_;
  mutable IteratorWork work_;  // since the last report
  ParsedInternalKey at_;       // points into the inner iterator
  std::string skipped_;
  std::string value_;
  std::string deletions_begin_;  // scratch space of ShowNext
  Status status_;
  bool valid_ = false;
  bool backward_ = false;
};

void DbIterator::NoteMalformedKey(const Slice& key) {
  if (!status_.ok()) return;
  status_ = Status::Corruption("iterator met a malformed internal key", EscapeBytes(key));
}

bool DbIterator::JumpOver() {
  if (known_ == nullptr || !known_->span.Includes(order_, at_.user_key)) return false;
  if (known_->span.end) {
    inner_->Seek(LookupKey(*known_->span.end, sequence_).internal_key());
  } else {
    inner_->SeekToLast();
    if (inner_->Valid()) inner_->Next();
  }
  return true;
}

void DbIterator::ShowNext(bool skipping) {
  backward_ = false;
  valid_ = false;
  uint64_t deletions = 0;  // in a row, without those that are jumped over
  while (inner_->Valid()) {
    const bool loaded = Load();
    if (loaded && IsAtEnd(at_.user_key)) break;
    if (loaded && at_.sequence <= sequence_ &&
        !(skipping && order_.CompareUser(at_.user_key, skipped_) <= 0)) {
      if (at_.kind == ValueKind::kValue) {
        NoteShown(at_.user_key);
        break;
      }
      Skip(at_.user_key);
      skipping = true;
      if (++deletions == kDeletionsBeforeJump) {
        deletions_begin_ = skipped_;
        if (JumpOver()) continue;
      }
    }
    ++work_.entries_skipped;
    inner_->Next();
  }
  if (deletions < kDeletionsReported || empty_ranges_ == nullptr || !status().ok()) return;
  std::optional<Slice> end;
  if (valid_) {
    end = at_.user_key;
  } else if (bounds_.end) {
    end = *bounds_.end;
  }
  empty_ranges_->Report(deletions_begin_, end, sequence_);
}

void DbIterator::Next() {
  assert(valid_);
  ++work_.steps;
  if (!backward_) {
    Skip(at_.user_key);
    inner_->Next();
  } else if (inner_->Valid()) {
    inner_->Next();
  } else {
    inner_->SeekToFirst();
  }
  ShowNext(/*skipping=*/true);
}

void DbIterator::KeepValue() {
  const Slice value = inner_->value();
  // Do not keep the memory of one huge value for the rest of the iteration.
  if (value_.capacity() > value.size() + kValueCapacityKeptMax) std::string().swap(value_);
  value_.assign(value.data(), value.size());
}

void DbIterator::ShowPrevious() {
  backward_ = true;
  valid_ = false;
  bool loaded = LoadBackward();
  while (loaded && !IsBeforeBegin(at_.user_key)) {
    Skip(at_.user_key);
    bool live = false;
    uint64_t entries = 0;
    do {  // oldest to newest: the last visible one decides
      if (at_.sequence <= sequence_) {
        live = at_.kind == ValueKind::kValue;
        if (live) KeepValue();
      }
      inner_->Prev();
      loaded = LoadBackward();
      ++entries;
    } while (loaded && AtSkippedKey());
    work_.entries_skipped += entries - (live ? 1 : 0);
    if (live) return NoteShown(skipped_);
  }
}

void DbIterator::Prev() {
  assert(valid_);
  ++work_.steps;
  if (!backward_) {
    Skip(at_.user_key);
    do {
      inner_->Prev();
    } while (LoadBackward() && AtSkippedKey());
  }
  ShowPrevious();
}

}  // namespace

std::unique_ptr<leveldb::Iterator> NewDbIterator(
    const KeyOrder& order, std::unique_ptr<leveldb::Iterator> internal, SequenceNumber sequence,
    std::unique_ptr<IteratorReads> reads, EmptyRanges* empty_ranges, const KeyBounds& bounds) {
  return std::make_unique<DbIterator>(order, std::move(internal), sequence, std::move(reads),
                                      empty_ranges, bounds);
}

}  // namespace lull
