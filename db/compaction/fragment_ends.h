// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Where the fragments of a log end, so that a log which overwrites its file can end its own
// elsewhere (see log_writer.h). Two bytes a fragment. One thread at a time.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>


namespace lull::log {

class FragmentEnds {
 public:
  /// REQUIRES: `end` is behind all others, by no more than a fragment with what precedes it.
  void Add(uint64_t end) {
    assert(end - last_ <= UINT16_MAX);
    gaps_.push_back(static_cast<uint16_t>(end - last_));
    last_ = end;
  }

  /// Adds those of `older`, whose file this log overwrote up to its last end, behind which a record
  /// of `older` may still be whole. Where this log ended it left a header of zeros, and a checksum
  /// that is zeros in all of its bytes is no record's.
  void AddRest(const FragmentEnds& older) {
    Cursor rest(older);
    for (uint64_t end = rest.SkipTo(last_ + kChecksumBytes); end != Cursor::kNone;
         end = rest.SkipTo(end + 1)) {
      Add(end);
    }
  }

  /// As many more as `other` has can be added without an allocation.
  void Reserve(const FragmentEnds& other) { gaps_.reserve(other.gaps_.size()); }

  /// Walks over the ends, from the front on. Does not outlive them.
  class Cursor {
   public:
    static constexpr uint64_t kNone = UINT64_MAX;
    explicit Cursor(const FragmentEnds& ends) : ends_(ends) {}

    /// The first end at or behind `offset`, or kNone. Never goes back: an offset in front of what
    /// the call before returned gets the same again.
    uint64_t SkipTo(uint64_t offset) {
      while (at_ < offset && next_ < ends_.gaps_.size()) at_ += ends_.gaps_[next_++];
      return at_ < offset ? kNone : at_;
    }

   private:
    const FragmentEnds& ends_;
    size_t next_ = 0;
    uint64_t at_ = 0;
  };

 private:
  static constexpr uint64_t kChecksumBytes = 4;  // the first of a header

  std::vector<uint16_t> gaps_;  // from each end to the next
  uint64_t last_ = 0;
};

}  // namespace lull::log
