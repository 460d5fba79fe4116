// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The expected content of a store, in two forms. Neither is thread-safe.
//
// Model keeps every version of every key that a pinned sequence can still see; it answers reads at
// any pinned sequence. A sequence here counts commits (a batch is one), not entries. A value that a
// compaction filter dropped is *gone*, at every sequence and for every later reader.
//
// CommitLog keeps commits in order, each with the status that the caller got. It decides whether a
// recovered store equals the state after some prefix of them that includes all required commits.
// Calls of DeleteRange and DeleteFilesInRange are commits too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "leveldb/comparator.h"
#include "leveldb/db.h"
#include "leveldb/write_batch.h"

namespace lull::testing {

struct WriteOp {
  std::string key;
  std::optional<std::string> value;  // unset: a delete
};

// One batch, in order; a later op on a key overrides an earlier one.
using WriteOps = std::vector<WriteOp>;

void FillBatch(const WriteOps& ops, leveldb::WriteBatch* batch);

class Model {
 public:
  explicit Model(const leveldb::Comparator* comparator);
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  // Applies one batch atomically; returns its sequence.
  uint64_t Commit(const WriteOps& ops);
  uint64_t last_sequence() const { return last_sequence_; }

  // Keeps everything visible at `sequence` until a matching Unpin.
  void Pin(uint64_t sequence);
  void Unpin(uint64_t sequence);

  // The value of `key` at `sequence`, or nullptr. Valid until the next Commit. REQUIRES: `sequence`
  // is pinned, or the last one.
  const std::string* Find(const std::string& key, uint64_t sequence) const;

  // The value that Find returns is gone.
  void MarkGone(const std::string& key, uint64_t sequence);
  // The newest values of all keys from `begin` to `end` are gone, if `expires` says so. Null: no
  // bound.
  void MarkGone(const std::string* begin, const std::string* end,
                bool (*expires)(std::string_view value));

  // The keys that have a value at `sequence`.
  size_t CountAt(uint64_t sequence) const;
  // Every key ever written, including deleted ones.
  size_t keys_ever() const { return keys_.size(); }
  // The smallest and the largest key ever written. REQUIRES: keys_ever() > 0.
  const std::string& smallest() const { return keys_.begin()->first; }
  const std::string& largest() const { return keys_.rbegin()->first; }

  class Cursor;

 private:
  struct Version {
    uint64_t sequence;
    std::optional<std::string> value;
    uint64_t gone = 0;  // 0: not gone; otherwise which one of all that are

    bool IsVisible(uint64_t gone_before) const {
      return value.has_value() && (gone == 0 || gone > gone_before);
    }
  };
  using Versions = std::vector<Version>;  // oldest first
  struct Less {
    const leveldb::Comparator* comparator;
    bool operator()(const std::string& a, const std::string& b) const {
      return comparator->Compare(a, b) < 0;
    }
  };
  using Keys = std::map<std::string, Versions, Less>;

  static Version* VisibleAt(Versions* versions, uint64_t sequence);
  static const Version* VisibleAt(const Versions& versions, uint64_t sequence);
  void DropInvisible(Versions* versions) const;

  Keys keys_;
  std::multiset<uint64_t> pins_;
  uint64_t last_sequence_ = 0;
  uint64_t gone_count_ = 0;
};

// Iterates over the model at one sequence, which it pins during its lifetime. Same moves and same
// semantics as a leveldb::Iterator. Shows values that went after it was made.
class Model::Cursor {
 public:
  Cursor(Model* model, uint64_t sequence);
  ~Cursor();
  Cursor(const Cursor&) = delete;
  Cursor& operator=(const Cursor&) = delete;

  bool Valid() const { return at_ != model_->keys_.end(); }
  void SeekToFirst();
  void SeekToLast();
  void Seek(const std::string& target);
  void Next();
  void Prev();
  const std::string& key() const { return at_->first; }
  const std::string& value() const;

 private:
  bool IsVisible(Keys::iterator at) const;
  void SkipForward();
  void StepBack(Keys::iterator from);

  Model* const model_;
  const uint64_t sequence_;
  const uint64_t gone_before_;
  Keys::iterator at_;
};

// An order-independent hash of a whole key-value state, updated entry by entry.
struct Fingerprint {
  uint64_t sum = 0;
  uint64_t mix = 0;
  uint64_t entries = 0;

  void Add(std::string_view key, std::string_view value);
  void Remove(std::string_view key, std::string_view value);
  bool operator==(const Fingerprint& other) const = default;
};

using Contents = std::map<std::string, std::string>;

// Reads the whole store forward, backward, and key by key. Not OK if the three disagree.
leveldb::Status ContentsOf(leveldb::DB* db, Contents* contents);

// The keys from `begin` to just before `end`, in bytewise order. An empty `end` means no bound.
struct KeySpan {
  std::string begin;
  std::string end;

  bool Contains(const std::string& key) const { return key >= begin && (end.empty() || key < end); }
};

class CommitLog {
 public:
  enum class Fate { kUnknown, kAcked, kAckedSynced, kFailed };

  struct Verdict {
    bool ok = false;
    size_t prefix = 0;  // how many commits the store contains
    std::string detail;
  };

  // What a crash can lose: after a power loss only unsynced commits; after the death of the process
  // no acked commit.
  enum class Demand { kSyncedSurvives, kAckedSurvives };

  // Records a commit that is about to be written; returns its number. Its fate is kUnknown.
  size_t Begin(WriteOps ops);
  void SetFate(size_t commit, Fate fate);
  // Convenience: writes `ops` to `db` and records the status.
  leveldb::Status Write(leveldb::DB* db, WriteOps ops, bool sync);

  // Calls lull::DeleteRange, or with `files_only` DeleteFilesInRange, and records the result. What
  // the latter removed is seen by reading the store before and after it: no other thread may write
  // to the range meanwhile. `gone`: keys that had a value before the call and have none after it.
  leveldb::Status Remove(leveldb::DB* db, const KeySpan& span, bool files_only,
                         std::set<std::string>* gone);

  // A value for which `expires` is true can be missing from the store, but an older one of its key
  // must not appear in its place.
  void LetExpire(std::function<bool(std::string_view value)> expires) {
    expires_ = std::move(expires);
  }

  size_t size() const { return commits_.size(); }

  // Whether `db` equals the state after the first n commits, for an n that covers every commit that
  // had to survive. Each commit that failed or has no known fate can be present or not (if there
  // are more than six of these: none of them, or one).
  Verdict MatchesPrefix(leveldb::DB* db, Demand demand = Demand::kSyncedSurvives) const;
  // The same for the contents of a store, or for a part of them that the log is about.
  Verdict MatchesPrefix(const Contents& contents, Demand demand) const;

 private:
  class Replay;

  struct Removal {
    KeySpan span;
    bool files_only = false;
    // Of an acked call with `files_only`: keys of the range that had a value before it.
    std::set<std::string> gone;
    std::set<std::string> kept;
  };
  struct Commit {
    WriteOps ops;
    Fate fate = Fate::kUnknown;
    std::optional<Removal> removal;
  };

  // The number after the last commit that must be in the state.
  size_t RequiredPrefix(Demand demand) const;
  // The sets of commits that can be missing although later ones are present.
  std::vector<std::set<size_t>> PossiblyMissing() const;
  // The largest n for which the first n commits minus `missing` give `wanted`.
  std::optional<size_t> FindPrefix(const Contents& wanted, const std::set<size_t>& missing) const;

  std::vector<Commit> commits_;
  std::function<bool(std::string_view value)> expires_;
};

}  // namespace lull::testing
