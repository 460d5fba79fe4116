// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The expected content of a store, in two forms. Neither is thread-safe.
//
// Model has every version of every key, and answers reads at any sequence. A sequence here counts
// commits (a batch is one), not entries. It is for clients whose commits all succeed. A value that
// a compaction filter dropped is *gone*, at every sequence and for every later reader.
//
// CommitLog keeps commits in order, each with the outcome that the caller got. It decides whether a
// read is right while calls can fail, and whether a recovered store equals the state after some
// prefix of the commits that includes all required ones. Calls of DeleteRange and
// DeleteFilesInRange are commits too.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "leveldb/comparator.h"
#include "leveldb/db.h"
#include "leveldb/iterator.h"
#include "leveldb/write_batch.h"

namespace lull::testing {

struct WriteOp {
  std::string key;
  std::optional<std::string> value;  // unset: a delete
};

// One batch, in order; a later op on a key overrides an earlier one.
using WriteOps = std::vector<WriteOp>;

void FillBatch(const WriteOps& ops, leveldb::WriteBatch* batch);

using Contents = std::map<std::string, std::string>;

// Printable form of a key or value, shortened.
std::string Show(const std::string& bytes);

class Model {
 public:
  explicit Model(const leveldb::Comparator* comparator) : keys_(Less{comparator}) {}
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  // Applies one batch atomically; returns its sequence.
  uint64_t Commit(const WriteOps& ops) {
    ++last_sequence_;
    for (const WriteOp& op : ops) {
      Versions& versions = keys_[op.key];
      if (versions.empty() || versions.back().sequence != last_sequence_) {
        versions.push_back({last_sequence_, std::nullopt});
      }
      versions.back().value = op.value;
    }
    return last_sequence_;
  }
  uint64_t last_sequence() const { return last_sequence_; }

  // How many values are gone.
  uint64_t gone_count() const { return gone_count_; }

  // The value of `key` at `sequence`, or nullptr. Valid until the next Commit. With `gone_before`,
  // shows values that went after so many others.
  const std::string* Find(const std::string& key, uint64_t sequence,
                          std::optional<uint64_t> gone_before = {}) const {
    const auto it = keys_.find(key);
    if (it == keys_.end()) return nullptr;
    const Version* const version =
        VisibleAt(it->second, sequence, gone_before.value_or(gone_count_));
    return version != nullptr ? &*version->value : nullptr;
  }
  // Whether exactly these entries are visible at `sequence`.
  bool Shows(const Contents& contents, uint64_t sequence) const;

  // The value that Find returns is gone.
  void MarkGone(const std::string& key, uint64_t sequence) {
    const Version* const version = VisibleAt(keys_.find(key)->second, sequence, gone_count_);
    const_cast<Version*>(version)->gone = ++gone_count_;
  }
  // The newest values of all keys from `begin` to `end` are gone, if `expires` says so. Null: no
  // bound.
  void MarkGone(const std::string* begin, const std::string* end,
                bool (*expires)(std::string_view value)) {
    auto it = begin != nullptr ? keys_.lower_bound(*begin) : keys_.begin();
    const auto after = end != nullptr ? keys_.upper_bound(*end) : keys_.end();
    for (; it != after; ++it) {
      Version& newest = it->second.back();
      if (newest.IsVisible(gone_count_) && expires(*newest.value)) newest.gone = ++gone_count_;
    }
  }

  // The smallest and the largest key ever written; "" without one.
  std::string smallest() const { return keys_.empty() ? "" : keys_.begin()->first; }
  std::string largest() const { return keys_.empty() ? "" : keys_.rbegin()->first; }

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

  static const Version* VisibleAt(const Versions& versions, uint64_t sequence,
                                  uint64_t gone_before) {
    const auto after =
        std::upper_bound(versions.begin(), versions.end(), sequence,
                         [](uint64_t at, const Version& version) { return at < version.sequence; });
    if (after == versions.begin() || !std::prev(after)->IsVisible(gone_before)) return nullptr;
    return &*std::prev(after);
  }

  Keys keys_;
  uint64_t last_sequence_ = 0;
  uint64_t gone_count_ = 0;
};

// Iterates over the model at one sequence. Same moves and same semantics as a leveldb::Iterator.
// Shows values that went after it was made, or with `gone_before` after so many others.
class Model::Cursor {
 public:
  Cursor(const Model& model, uint64_t sequence, std::optional<uint64_t> gone_before = {})
      : keys_(model.keys_),
        sequence_(sequence),
        gone_before_(gone_before.value_or(model.gone_count_)),
        at_(keys_.end()) {}

  bool Valid() const { return at_ != keys_.end(); }
  void SeekToFirst() { SkipForward(keys_.begin()); }
  void SeekToLast() { StepBack(keys_.end()); }
  void Seek(const std::string& target) { SkipForward(keys_.lower_bound(target)); }
  void Next() { SkipForward(std::next(at_)); }
  void Prev() { StepBack(at_); }
  const std::string& key() const { return at_->first; }
  const std::string& value() const { return *Visible(at_)->value; }

 private:
  const Version* Visible(Keys::const_iterator at) const {
    return VisibleAt(at->second, sequence_, gone_before_);
  }
  void SkipForward(Keys::const_iterator from) {
    at_ = from;
    while (Valid() && Visible(at_) == nullptr) ++at_;
  }
  void StepBack(Keys::const_iterator from) {
    at_ = keys_.end();
    while (from != keys_.begin()) {
      if (Visible(--from) == nullptr) continue;
      at_ = from;
      return;
    }
  }

  const Keys& keys_;
  const uint64_t sequence_;
  const uint64_t gone_before_;
  Keys::const_iterator at_;
};

inline bool Model::Shows(const Contents& contents, uint64_t sequence) const {
  Cursor cursor(*this, sequence);
  cursor.SeekToFirst();
  for (const auto& [key, value] : contents) {
    if (!cursor.Valid() || cursor.key() != key || cursor.value() != value) return false;
    cursor.Next();
  }
  return !cursor.Valid();
}

using ValueRule = std::function<bool(std::string_view value)>;

// Adds the entries that an iterator shows in one direction.
leveldb::Status ScanOf(leveldb::Iterator* it, bool forward, Contents* shown);

// Reads the whole store forward, backward, and key by key. Not OK if the three disagree, or if keys
// are not in `order`. A value that `expires` can go while this reads.
leveldb::Status ContentsOf(leveldb::DB* db, Contents* contents,
                           const leveldb::Comparator* order = leveldb::BytewiseComparator(),
                           const ValueRule& expires = {});

// The keys from `begin` to just before `end`. An empty one means no bound.
struct KeySpan {
  std::string begin;
  std::string end;

  bool Contains(const std::string& key,
                const leveldb::Comparator& order = *leveldb::BytewiseComparator()) const {
    return (begin.empty() || order.Compare(begin, key) <= 0) &&
           (end.empty() || order.Compare(key, end) < 0);
  }
};

class CommitLog {
 public:
  // kNone: no commit, in memory that holds the fates of some.
  enum class Fate : uint8_t { kNone, kUnknown, kAcked, kAckedSynced, kFailed };

  struct Verdict {
    bool ok = false;
    size_t prefix = 0;  // how many commits the store contains
    std::string detail;
  };

  // What a crash can lose: after a power loss only unsynced commits; after the death of the process
  // no acked commit.
  enum class Demand { kSyncedSurvives, kAckedSurvives };

  explicit CommitLog(const leveldb::Comparator* order = leveldb::BytewiseComparator())
      : order_(order) {}

  // Records a commit that is about to be written; returns its number.
  size_t Begin(WriteOps ops, Fate fate = Fate::kUnknown);
  // The same for the removal of the keys in `span`; with `only`, of those with such values.
  size_t BeginRemoval(KeySpan span, Fate fate = Fate::kUnknown, ValueRule only = nullptr);
  void SetFate(size_t commit, Fate fate) { commits_[commit].fate = fate; }
  // Convenience: writes `ops` to `db` and records the status.
  leveldb::Status Write(leveldb::DB* db, WriteOps ops, bool sync);

  // Calls lull::DeleteRange, or with `files_only` DeleteFilesInRange, and records the result. What
  // the latter removed is seen by reading the store before and after it: no other thread may write
  // to the range meanwhile.
  leveldb::Status Remove(leveldb::DB* db, const KeySpan& span, bool files_only);

  // A value for which `expires` is true can be missing from the store, but an older one of its key
  // must not appear in its place.
  void LetExpire(ValueRule expires) { expires_ = std::move(expires); }

  size_t size() const { return commits_.size(); }
  // Every key that a commit wrote or deleted.
  std::set<std::string> Keys() const;

  // Whether a client that made all these calls can read this value of `key` (null: none): the last
  // acked one, or one of those that failed since.
  bool MayRead(const std::string& key, const std::string* value) const;

  // Whether `db` equals the state after the first n commits, for an n that covers every commit that
  // had to survive. Each commit that failed or has no known fate can be present or not (if there
  // are more than six of these: none of them, one, or those whose values are there).
  Verdict MatchesPrefix(leveldb::DB* db, Demand demand = Demand::kSyncedSurvives) const;
  // The same for the contents of a store, or for a part of them that the log is about.
  Verdict MatchesPrefix(const Contents& contents, Demand demand) const;

 private:
  class Replay;

  struct Removal {
    KeySpan span;
    ValueRule only;
    bool files_only = false;
    // Of an acked call with `files_only`: keys of the range that had a value before it.
    std::set<std::string> gone;
    std::set<std::string> kept;
  };
  struct Commit {
    WriteOps ops;
    Fate fate = Fate::kUnknown;
    std::optional<Removal> removal;

    bool IsAcked() const { return fate == Fate::kAcked || fate == Fate::kAckedSynced; }
  };

  // What the commit left under `key`, or nullptr if it did not touch it.
  const std::optional<std::string>* WrittenBy(const Commit& commit, const std::string& key) const;
  // The number after the last commit that must be in the state.
  size_t RequiredPrefix(Demand demand) const;
  // Whether a state shows that it contains the commit.
  static bool Shows(const Contents& contents, const Commit& commit);
  // The sets of commits that can be missing in a state although later ones are present.
  std::vector<std::set<size_t>> PossiblyMissing(const Contents& contents) const;
  // The largest n for which the first n commits minus `missing` give `wanted`.
  std::optional<size_t> FindPrefix(const Contents& wanted, const std::set<size_t>& missing) const;

  const leveldb::Comparator* order_;
  std::vector<Commit> commits_;
  ValueRule expires_;
};

}  // namespace lull::testing
