// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// CommitLog: see model.h.
#include <algorithm>
#include <memory>
#include <utility>

#include "leveldb/iterator.h"
#include "tests/support/model.h"
#include "tests/support/open_store.h"

namespace lull::testing {

using leveldb::Status;

Status ContentsOf(leveldb::DB* db, Contents* contents) {
  leveldb::ReadOptions options;
  options.verify_checksums = true;
  std::unique_ptr<leveldb::Iterator> it(db->NewIterator(options));
  contents->clear();
  std::string value;
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    contents->emplace(it->key().ToString(), it->value().ToString());
    Status s = db->Get(options, it->key(), &value);
    if (s.IsNotFound()) return Status::Corruption(it->key(), "iterated, but Get finds nothing");
    if (!s.ok()) return s;
    if (it->value() != leveldb::Slice(value)) {
      return Status::Corruption(it->key(), "iterator and Get differ");
    }
  }
  if (!it->status().ok()) return it->status();
  size_t backward = 0;
  for (it->SeekToLast(); it->Valid(); it->Prev(), ++backward) {
    const auto same = contents->find(it->key().ToString());
    if (same == contents->end() || it->value() != leveldb::Slice(same->second)) {
      return Status::Corruption(it->key(), "forward and backward scans differ");
    }
  }
  if (!it->status().ok()) return it->status();
  if (backward != contents->size()) return Status::Corruption("the backward scan is shorter");
  return Status::OK();
}

// ---- Replay ----------------------------------------------------------------------------------

// The state after a growing prefix of the commits, and how many keys of `actual` contradict it.
class CommitLog::Replay {
 public:
  Replay(const CommitLog& log, const Contents& actual)
      : log_(log), actual_(actual), wrong_(actual.size()) {
    for (size_t i = 0; i < log.commits_.size(); ++i) {
      if (log.commits_[i].removal && log.commits_[i].removal->files_only) files_only_.push_back(i);
    }
  }

  bool Matches() const { return wrong_ == 0; }

  // A key that contradicts the commits applied so far.
  std::string Contradiction() const {
    for (const auto& [key, expected] : state_) {
      const std::string* const actual = ActualOf(key);
      if (Agrees(actual, expected)) continue;
      return key + " should be " + (expected.value ? Show(*expected.value) : "gone") + ", is " +
             (actual != nullptr ? Show(*actual) : "gone");
    }
    return "a key was never written";
  }

  void Apply(size_t index) {
    const Commit& commit = log_.commits_[index];
    for (const WriteOp& op : commit.ops) {
      Set(op.key, {op.value, MayGoAfter(index, op.key), MustGoAfter(index, op.key), false});
    }
    if (!commit.removal) return;
    const bool acked = commit.fate == Fate::kAcked || commit.fate == Fate::kAckedSynced;
    const Removal& removal = *commit.removal;
    for (auto& [key, expected] : state_) {
      if (!removal.span.Contains(key)) continue;
      Expected after = expected;
      if (!removal.files_only) {
        if (acked) after = Expected();
        after.in_doubt = !acked;
      } else if (removal.kept.count(key) > 0) {
        after.may_be_gone = MayGoAfter(index, key);
      }
      Replace(key, &expected, std::move(after));
    }
  }

 private:
  struct Expected {
    std::optional<std::string> value;
    bool may_be_gone = false;
    bool must_be_gone = false;
    bool in_doubt = false;  // a call to remove it failed, and can still take effect after a crash
  };

  // The removal of tables is durable when the call returns, but earlier writes that are only in
  // memory are not. So a crash can leave it together with a state from before it.
  bool MayGoAfter(size_t index, const std::string& key) const {
    return std::any_of(files_only_.begin(), files_only_.end(), [&](size_t removal) {
      return removal > index && log_.commits_[removal].removal->span.Contains(key);
    });
  }
  bool MustGoAfter(size_t index, const std::string& key) const {
    return std::any_of(files_only_.begin(), files_only_.end(), [&](size_t removal) {
      return removal > index && log_.commits_[removal].removal->gone.count(key) > 0;
    });
  }

  void Set(const std::string& key, Expected after) { Replace(key, &state_[key], std::move(after)); }
  void Replace(const std::string& key, Expected* expected, Expected after) {
    const std::string* const actual = ActualOf(key);
    if (!Agrees(actual, *expected)) --wrong_;
    *expected = std::move(after);
    if (!Agrees(actual, *expected)) ++wrong_;
  }
  const std::string* ActualOf(const std::string& key) const {
    const auto found = actual_.find(key);
    return found == actual_.end() ? nullptr : &found->second;
  }
  bool Agrees(const std::string* actual, const Expected& expected) const {
    if (!expected.value) return actual == nullptr;
    if (actual != nullptr) return !expected.must_be_gone && *actual == *expected.value;
    return expected.may_be_gone || expected.must_be_gone || expected.in_doubt ||
           (log_.expires_ && log_.expires_(*expected.value));
  }

  const CommitLog& log_;
  const Contents& actual_;
  std::vector<size_t> files_only_;  // commits
  std::map<std::string, Expected> state_;
  size_t wrong_;
};

// ---- CommitLog -------------------------------------------------------------------------------

size_t CommitLog::Begin(WriteOps ops) {
  commits_.push_back({std::move(ops), Fate::kUnknown, std::nullopt});
  return commits_.size() - 1;
}

void CommitLog::SetFate(size_t commit, Fate fate) { commits_[commit].fate = fate; }

Status CommitLog::Write(leveldb::DB* db, WriteOps ops, bool sync) {
  leveldb::WriteBatch batch;
  FillBatch(ops, &batch);
  const size_t commit = Begin(std::move(ops));
  leveldb::WriteOptions options;
  options.sync = sync;
  Status s = db->Write(options, &batch);
  SetFate(commit, !s.ok() ? Fate::kFailed : sync ? Fate::kAckedSynced : Fate::kAcked);
  return s;
}

Status CommitLog::Remove(leveldb::DB* db, const KeySpan& span, bool files_only,
                         std::set<std::string>* gone) {
  const size_t commit = Begin({});
  commits_[commit].removal = {span, files_only, {}, {}};
  Contents before, after;
  const bool read_before = files_only && ContentsOf(db, &before).ok();
  const Status s = RemoveRange(db, span, files_only);
  if (!s.ok()) {
    SetFate(commit, Fate::kFailed);
    return s;
  }
  SetFate(commit, files_only ? Fate::kAcked : Fate::kAckedSynced);
  if (!read_before || !ContentsOf(db, &after).ok()) return s;
  Removal& removal = *commits_[commit].removal;
  for (const auto& [key, value] : before) {
    if (span.Contains(key)) (after.count(key) == 0 ? removal.gone : removal.kept).insert(key);
  }
  *gone = removal.gone;
  return s;
}

size_t CommitLog::RequiredPrefix(Demand demand) const {
  for (size_t i = commits_.size(); i > 0; --i) {
    const Fate fate = commits_[i - 1].fate;
    if (fate == Fate::kAckedSynced) return i;
    if (fate == Fate::kAcked && demand == Demand::kAckedSurvives) return i;
  }
  return 0;
}

std::vector<std::set<size_t>> CommitLog::PossiblyMissing() const {
  std::vector<size_t> in_doubt;
  for (size_t i = 0; i < commits_.size(); ++i) {
    const Fate fate = commits_[i].fate;
    // Of a removal in doubt any part can be missing; Replay allows for that.
    if (commits_[i].removal) continue;
    if (fate == Fate::kFailed || fate == Fate::kUnknown) in_doubt.push_back(i);
  }
  const std::set<size_t> all(in_doubt.begin(), in_doubt.end());
  std::vector<std::set<size_t>> choices;
  if (in_doubt.size() > 6) {
    choices.push_back(all);
    for (size_t present : in_doubt) {
      choices.push_back(all);
      choices.back().erase(present);
    }
    return choices;
  }
  for (size_t mask = 0; mask < (size_t{1} << in_doubt.size()); ++mask) {
    choices.emplace_back();
    for (size_t i = 0; i < in_doubt.size(); ++i) {
      if ((mask >> i & 1) != 0) choices.back().insert(in_doubt[i]);
    }
  }
  return choices;
}

std::optional<size_t> CommitLog::FindPrefix(const Contents& wanted,
                                            const std::set<size_t>& missing) const {
  Replay replay(*this, wanted);
  std::optional<size_t> found;
  if (replay.Matches()) found = 0;
  for (size_t i = 0; i < commits_.size(); ++i) {
    if (missing.count(i) == 0) replay.Apply(i);
    if (replay.Matches()) found = i + 1;
  }
  return found;
}

CommitLog::Verdict CommitLog::MatchesPrefix(leveldb::DB* db, Demand demand) const {
  Contents actual;
  const Status s = ContentsOf(db, &actual);
  if (s.ok()) return MatchesPrefix(actual, demand);
  Verdict verdict;
  verdict.detail = "the recovered store cannot be read: " + s.ToString();
  return verdict;
}

CommitLog::Verdict CommitLog::MatchesPrefix(const Contents& contents, Demand demand) const {
  Verdict verdict;
  const size_t required = RequiredPrefix(demand);
  std::optional<size_t> best;
  for (const std::set<size_t>& missing : PossiblyMissing()) {
    best = std::max(best, FindPrefix(contents, missing));
    if (best.has_value() && *best >= required) break;
  }
  verdict.detail = std::to_string(contents.size()) + " entries; of " +
                   std::to_string(commits_.size()) + " commits the first " +
                   std::to_string(required) + " must be there; ";
  verdict.prefix = best.value_or(0);
  verdict.ok = best.has_value() && *best >= required;
  verdict.detail += !best.has_value() ? "no prefix of the commits gives this state"
                                      : "found the first " + std::to_string(*best);
  if (verdict.ok) return verdict;
  Replay replay(*this, contents);
  for (size_t i = 0; i < required; ++i) replay.Apply(i);
  verdict.detail += "; " + replay.Contradiction();
  return verdict;
}

}  // namespace lull::testing
