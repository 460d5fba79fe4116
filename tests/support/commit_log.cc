// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// CommitLog: see model.h.
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <memory>
#include <utility>

#include "leveldb/iterator.h"
#include "tests/support/model.h"
#include "tests/support/open_store.h"

namespace lull::testing {

using leveldb::Status;

std::string Show(const std::string& bytes) {
  std::string text = "\"";
  for (size_t i = 0; i < bytes.size() && i < 48; ++i) {
    const auto c = static_cast<unsigned char>(bytes[i]);
    char hex[8];
    std::snprintf(hex, sizeof(hex), "\\x%02x", c);
    text += std::isprint(c) != 0 ? std::string(1, bytes[i]) : hex;
  }
  text += "\"";
  if (bytes.size() > 48) text += "+" + std::to_string(bytes.size() - 48);
  return text;
}

void FillBatch(const WriteOps& ops, leveldb::WriteBatch* batch) {
  for (const WriteOp& op : ops) {
    if (op.value.has_value()) {
      batch->Put(op.key, *op.value);
    } else {
      batch->Delete(op.key);
    }
  }
}

Status ScanOf(leveldb::Iterator* it, bool forward, Contents* shown) {
  for (forward ? it->SeekToFirst() : it->SeekToLast(); it->Valid();
       forward ? it->Next() : it->Prev()) {
    shown->emplace(it->key().ToString(), it->value().ToString());
  }
  return it->status();
}

Status ContentsOf(leveldb::DB* db, Contents* contents, const leveldb::Comparator* order,
                  const ValueRule& expires) {
  leveldb::ReadOptions options;
  options.verify_checksums = true;
  std::unique_ptr<leveldb::Iterator> it(db->NewIterator(options));
  contents->clear();
  std::string value, last;
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    if (!contents->empty() && order->Compare(last, it->key()) >= 0) {
      return Status::Corruption(it->key(), "iterated out of order");
    }
    last = it->key().ToString();
    contents->emplace(last, it->value().ToString());
    Status s = db->Get(options, it->key(), &value);
    if (s.IsNotFound() && expires && expires(contents->at(last))) continue;
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
      return key + " should be " + (expected.value != nullptr ? Show(*expected.value) : "gone") +
             ", is " + (actual != nullptr ? Show(*actual) : "gone");
    }
    return "a key was never written";
  }

  void Apply(size_t index) {
    const Commit& commit = log_.commits_[index];
    for (const WriteOp& op : commit.ops) {
      Replace(op.key, &state_[op.key],
              {op.value ? &*op.value : nullptr, MayGoAfter(index, op.key),
               MustGoAfter(index, op.key), false});
    }
    if (!commit.removal) return;
    const Removal& removal = *commit.removal;
    for (auto& [key, expected] : state_) {
      if (expected.value == nullptr || !removal.span.Contains(key, *log_.order_)) continue;
      if (removal.only && !removal.only(*expected.value)) continue;
      Expected after = expected;
      if (!removal.files_only) {
        if (commit.IsAcked()) after = Expected();
        after.in_doubt = !commit.IsAcked();
      } else if (removal.kept.count(key) > 0) {
        after.may_be_gone = MayGoAfter(index, key);
      }
      Replace(key, &expected, after);
    }
  }

 private:
  struct Expected {
    const std::string* value = nullptr;
    bool may_be_gone = false;
    bool must_be_gone = false;
    bool in_doubt = false;  // a call to remove it failed, and can still take effect after a crash
  };

  // The removal of tables is durable when the call returns, but earlier writes that are only in
  // memory are not. So a crash can leave it together with a state from before it.
  bool MayGoAfter(size_t index, const std::string& key) const {
    return std::any_of(files_only_.begin(), files_only_.end(), [&](size_t removal) {
      return removal > index && log_.commits_[removal].removal->span.Contains(key, *log_.order_);
    });
  }
  bool MustGoAfter(size_t index, const std::string& key) const {
    return std::any_of(files_only_.begin(), files_only_.end(), [&](size_t removal) {
      return removal > index && log_.commits_[removal].removal->gone.count(key) > 0;
    });
  }

  void Replace(const std::string& key, Expected* expected, const Expected& after) {
    const std::string* const actual = ActualOf(key);
    if (!Agrees(actual, *expected)) --wrong_;
    *expected = after;
    if (!Agrees(actual, *expected)) ++wrong_;
  }
  const std::string* ActualOf(const std::string& key) const {
    const auto found = actual_.find(key);
    return found == actual_.end() ? nullptr : &found->second;
  }
  bool Agrees(const std::string* actual, const Expected& expected) const {
    if (expected.value == nullptr) return actual == nullptr;
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

size_t CommitLog::Begin(WriteOps ops, Fate fate) {
  commits_.push_back({std::move(ops), fate, std::nullopt});
  return commits_.size() - 1;
}

size_t CommitLog::BeginRemoval(KeySpan span, Fate fate, ValueRule only) {
  commits_.push_back({{}, fate, Removal{std::move(span), std::move(only), false, {}, {}}});
  return commits_.size() - 1;
}

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

Status CommitLog::Remove(leveldb::DB* db, const KeySpan& span, bool files_only) {
  const size_t commit = BeginRemoval(span);
  Removal& removal = *commits_[commit].removal;
  removal.files_only = files_only;
  Contents before, after;
  const bool read_before = files_only && ContentsOf(db, &before, order_, expires_).ok();
  const Status s = RemoveRange(db, span, files_only);
  if (!s.ok()) {
    SetFate(commit, Fate::kFailed);
    return s;
  }
  SetFate(commit, files_only ? Fate::kAcked : Fate::kAckedSynced);
  if (!read_before || !ContentsOf(db, &after, order_, expires_).ok()) return s;
  for (const auto& [key, value] : before) {
    if (!span.Contains(key, *order_)) continue;
    (after.contains(key) ? removal.kept : removal.gone).insert(key);
  }
  return s;
}

std::set<std::string> CommitLog::Keys() const {
  std::set<std::string> keys;
  for (const Commit& commit : commits_) {
    for (const WriteOp& op : commit.ops) keys.insert(op.key);
  }
  return keys;
}

const std::optional<std::string>* CommitLog::WrittenBy(const Commit& commit,
                                                       const std::string& key) const {
  static const std::optional<std::string> kNothing;
  if (commit.removal) {
    const Removal& removal = *commit.removal;
    const bool spares = removal.files_only && commit.IsAcked() && !removal.gone.contains(key);
    return removal.span.Contains(key, *order_) && !spares ? &kNothing : nullptr;
  }
  const auto op = std::find_if(commit.ops.rbegin(), commit.ops.rend(),
                               [&](const WriteOp& one) { return one.key == key; });
  return op != commit.ops.rend() ? &op->value : nullptr;
}

bool CommitLog::MayRead(const std::string& key, const std::string* value) const {
  for (auto commit = commits_.rbegin(); commit != commits_.rend(); ++commit) {
    const std::optional<std::string>* const written = WrittenBy(*commit, key);
    if (written == nullptr) continue;
    const bool same = value != nullptr ? *written == *value : !written->has_value();
    const bool expired = value == nullptr && *written && expires_ && expires_(**written);
    if (same || expired) return true;
    if (commit->IsAcked()) return false;
  }
  return value == nullptr;
}

size_t CommitLog::RequiredPrefix(Demand demand) const {
  for (size_t i = commits_.size(); i > 0; --i) {
    const Fate fate = commits_[i - 1].fate;
    if (fate == Fate::kAckedSynced) return i;
    if (fate == Fate::kAcked && demand == Demand::kAckedSurvives) return i;
  }
  return 0;
}

bool CommitLog::Shows(const Contents& contents, const Commit& commit) {
  const auto agrees = [&](const WriteOp& op) {
    const auto found = contents.find(op.key);
    return op.value ? found != contents.end() && found->second == *op.value
                    : found == contents.end();
  };
  const auto is_put = [](const WriteOp& op) { return op.value.has_value(); };
  if (std::ranges::none_of(commit.ops, is_put)) return std::ranges::all_of(commit.ops, agrees);
  return std::ranges::any_of(commit.ops,
                             [&](const WriteOp& op) { return is_put(op) && agrees(op); });
}

std::vector<std::set<size_t>> CommitLog::PossiblyMissing(const Contents& contents) const {
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
    std::set<size_t>& unseen = choices.emplace_back(all);
    std::erase_if(unseen, [&](size_t commit) { return Shows(contents, commits_[commit]); });
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
  const Status s = ContentsOf(db, &actual, order_, expires_);
  if (s.ok()) return MatchesPrefix(actual, demand);
  Verdict verdict;
  verdict.detail = "the recovered store cannot be read: " + s.ToString();
  return verdict;
}

CommitLog::Verdict CommitLog::MatchesPrefix(const Contents& contents, Demand demand) const {
  Verdict verdict;
  const size_t required = RequiredPrefix(demand);
  std::optional<size_t> best;
  for (const std::set<size_t>& missing : PossiblyMissing(contents)) {
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
