// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "tests/schedule/history.h"

#include <algorithm>
#include <map>

#include "db/read/snapshots.h"

namespace lull::testing {

namespace {

constexpr char kMarkerPrefix = '~';  // after all other keys

std::string MarkerOf(size_t commit) { return kMarkerPrefix + std::to_string(100'000 + commit); }

}  // namespace

size_t History::Begin(WriteOps* ops, uint64_t now) {
  ops->insert(ops->begin(), {MarkerOf(commits_.size()), ""});
  Commit& commit = commits_.emplace_back();
  commit.ops = *ops;
  commit.began = now;
  return commits_.size() - 1;
}

void History::Acked(size_t commit, bool synced, uint64_t now) {
  commits_[commit].acked = now;
  commits_[commit].synced = synced;
}

std::string History::Check(leveldb::DB* db) {
  std::string wrong = LearnOrder(db);
  if (!wrong.empty()) return wrong;
  for (const Commit& commit : commits_) {
    model_.Commit(commit.ops);
    log_.Begin(commit.ops);
  }
  std::map<size_t, size_t> seen;  // by client: the prefix that it saw last
  for (const Look& look : looks_) {
    wrong = CheckLook(look, &seen[look.client]);
    if (!wrong.empty()) return wrong;
  }
  return "";
}

std::string History::LearnOrder(leveldb::DB* db) {
  const leveldb::Snapshot* const last = db->GetSnapshot();
  const SequenceNumber newest = static_cast<const StoreSnapshot*>(last)->sequence();
  db->ReleaseSnapshot(last);
  std::string value;
  for (Commit& commit : commits_) {
    const auto visible_at = [&](SequenceNumber sequence) {
      const StoreSnapshot snapshot(sequence);
      leveldb::ReadOptions options;
      options.snapshot = &snapshot;
      return db->Get(options, commit.ops.front().key, &value).ok();
    };
    if (!visible_at(newest)) return "a commit is lost: " + commit.ops.front().key;
    SequenceNumber below = 0;
    commit.sequence = newest;
    while (below + 1 < commit.sequence) {
      const SequenceNumber middle = below + (commit.sequence - below) / 2;
      (visible_at(middle) ? commit.sequence : below) = middle;
    }
  }
  std::ranges::sort(commits_, {}, &Commit::sequence);
  uint64_t last_began = 0;
  for (const Commit& commit : commits_) {
    last_began = std::max(last_began, commit.began);
    if (commit.acked < last_began)
      return "a commit is ordered after one that began after its end: " + commit.ops.front().key;
  }
  return "";
}

// A look shows the state after some prefix of the commits: one that includes all commits acked
// before it, none begun after it, and at least as many as the same client has seen already.
std::string History::CheckLook(const Look& look, size_t* seen) const {
  size_t low = 0;
  size_t high = 0;
  for (size_t i = 0; i < commits_.size(); ++i) {
    if (commits_[i].acked < look.began) low = i + 1;
    if (high == i && commits_[i].began < look.ended) high = i + 1;
  }
  if (look.snapshot) {
    const size_t prefix = std::ranges::count_if(
        commits_, [&](const Commit& commit) { return commit.sequence <= *look.snapshot; });
    if (prefix < low || prefix > high)
      return "a snapshot shows a different time than when it was taken";
    low = high = prefix;
  } else {
    low = std::max(low, *seen);
  }
  const auto shows = [&](size_t prefix) {
    if (!look.key) return model_.Shows(look.state, prefix);
    const std::string* const value = model_.Find(*look.key, prefix);
    return value != nullptr ? look.value == *value : !look.value;
  };
  for (size_t prefix = low; prefix <= high; ++prefix) {
    if (!shows(prefix)) continue;
    if (!look.snapshot) *seen = prefix;
    return "";
  }
  const std::string what = !look.key
                               ? "a scan of " + std::to_string(look.state.size()) + " entries"
                               : *look.key + " = " + (look.value ? Show(*look.value) : "(none)");
  return "client " + std::to_string(look.client) + " saw " + what + " between steps " +
         std::to_string(look.began) + " and " + std::to_string(look.ended) +
         (look.snapshot ? ", in a snapshot" : "") + ", which is not the state after the first " +
         std::to_string(low) + " to " + std::to_string(high) + " commits";
}

const CommitLog& History::LogAt(uint64_t moment) {
  for (size_t i = 0; i < commits_.size(); ++i) {
    const bool survives = commits_[i].synced && commits_[i].acked < moment;
    log_.SetFate(i, survives ? CommitLog::Fate::kAckedSynced : CommitLog::Fate::kAcked);
  }
  return log_;
}

}  // namespace lull::testing
