// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// CallProfile: where the calls of one thread spend their time. It answers why a certain call was
// slow; the properties lull.stats and lull.metrics answer how the store does as a whole.
//
//   lull::CallProfile profile;
//   const auto begin = std::chrono::steady_clock::now();
//   db->Get(options, key, &value);
//   if (std::chrono::steady_clock::now() - begin > 5ms) Log(profile.ToString());
//   // "table_open 1 x 412.7 us, block_read 2 x 5103.2 us"
//   profile.Clear();
//
// It measures the calls that the creating thread makes while the object exists, on any store of
// this library, iterators included. Work that other threads do for a call appears as waiting. A
// thread without a profile reads no clock: each part costs it a load and a comparison or two.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "leveldb/export.h"

namespace lull {

class CallParts;

/// A part of a call. Parts do not overlap. Later versions can add parts at the end.
enum class CallPart : uint8_t {
  kDelay,         ///< a write was delayed because the policy slows writes
  kQueue,         ///< a write waited for writes of other threads, one of which can have written it
  kRoom,          ///< a write waited at a hard limit: memory, l0_stop, or disk space
  kNewLog,        ///< a write began a new memtable and its log
  kLogAppend,     ///< a write was appended to the log
  kLogSync,       ///< the log was synced
  kMemTableAdd,   ///< a write was added to the memtable
  kMemTableFind,  ///< a get searched the memtables
  kTableOpen,     ///< a table was opened: its file, index and filter
  kBlockRead,     ///< a block was read from its file
  kBlockDecode,   ///< a block was checked and decompressed
};

/// Measures the thread that creates it. Can be destroyed on any thread, while others exist, and
/// after that thread. Each profile of a thread measures all of its calls. Not thread-safe, except
/// that the measured thread can make calls meanwhile.
class LEVELDB_EXPORT CallProfile {
 public:
  CallProfile();
  ~CallProfile();
  CallProfile(const CallProfile&) = delete;
  CallProfile& operator=(const CallProfile&) = delete;

  /// How often the calls came to this part, and how long they spent there.
  uint64_t Count(CallPart part) const;
  uint64_t Nanos(CallPart part) const;
  /// Sets everything to 0.
  void Clear();
  /// The parts that occurred, for people. The wording can change.
  std::string ToString() const;

 private:
  struct Part {
    uint64_t count = 0;
    uint64_t nanos = 0;
  };
  const std::shared_ptr<CallParts> parts_;  // of the measured thread, since its first profile
  std::array<Part, 32> begin_;              // theirs at Clear, with room for later versions
};

}  // namespace lull
