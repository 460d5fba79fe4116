// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// FragmentEnds: the offsets at which a log's fragments end. A log that overwrites its file uses
// them to place its own ends elsewhere; see log_writer.h. Two bytes per fragment. One thread at a
// time.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lull::log {

class FragmentEnds {
 public:
  /// REQUIRES: `end` is after all others, and at most one fragment after the last one.
  void Add(uint64_t end) {
    assert(end - last_ <= UINT16_MAX);
    gaps_.push_back(static_cast<uint16_t>(end - last_));
    last_ = end;
  }

  /// Adds the ends of `older` past this log's last end. This log overwrote that part of the older
  /// log's file, and records of `older` can still be whole after it. It ended with a header of
  /// zeros, and an all-zero checksum never belongs to a valid record.
  void AddRest(const FragmentEnds& older) {
    Cursor rest(older);
    for (uint64_t end = rest.SkipTo(last_ + kChecksumBytes); end != Cursor::kNone;
         end = rest.SkipTo(end + 1)) {
      Add(end);
    }
  }

  /// Reserves memory for as many ends as `other` has.
  void Reserve(const FragmentEnds& other) { gaps_.reserve(other.gaps_.size()); }

  /// Iterates over the ends, in ascending order. The ends outlive it.
  class Cursor {
   public:
    static constexpr uint64_t kNone = UINT64_MAX;
    explicit Cursor(const FragmentEnds& ends) : ends_(ends) {}

    /// Returns the first end at or after `offset`, or kNone. Never moves backward: for a smaller
    /// `offset` than before, it returns the same end again.
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
  static constexpr uint64_t kChecksumBytes = 4;  // the first 4 bytes of a header

  std::vector<uint16_t> gaps_;  // from each end to the next
  uint64_t last_ = 0;
};

}  // namespace lull::log
