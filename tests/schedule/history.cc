// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "tests/schedule/history.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "db/read/snapshots.h"
#include "leveldb/iterator.h"
#include "tests/support/metamorphic.h"

namespace lull::testing {

using leveldb::Status;

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
  Replay();
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
  std::sort(commits_.begin(), commits_.end(),
            [](const Commit& a, const Commit& b) { return a.sequence < b.sequence; });
  uint64_t last_began = 0;
  for (const Commit& commit : commits_) {
    last_began = std::max(last_began, commit.began);
    if (commit.acked < last_began)
      return "a commit is ordered after one that began after its end: " + commit.ops.front().key;
  }
  return "";
}

void History::Replay() {
  Fingerprint state;
  prefixes_.push_back(state);
  for (size_t i = 0; i < commits_.size(); ++i) {
    for (const WriteOp& op : commits_[i].ops) {
      std::vector<Version>& versions = versions_[op.key];
      if (!versions.empty() && versions.back().value) state.Remove(op.key, *versions.back().value);
      if (op.value) state.Add(op.key, *op.value);
      versions.push_back({i + 1, op.value});
    }
    prefixes_.push_back(state);
  }
}

const std::optional<std::string>& History::ValueAt(const std::string& key, size_t prefix) const {
  static const std::optional<std::string> kNone;
  const auto versions = versions_.find(key);
  if (versions == versions_.end()) return kNone;
  const auto after = std::upper_bound(
      versions->second.begin(), versions->second.end(), prefix,
      [](size_t wanted, const Version& version) { return wanted < version.prefix; });
  return after == versions->second.begin() ? kNone : std::prev(after)->value;
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
    const size_t prefix =
        std::count_if(commits_.begin(), commits_.end(),
                      [&](const Commit& commit) { return commit.sequence <= *look.snapshot; });
    if (prefix < low || prefix > high)
      return "a snapshot shows a different time than when it was taken";
    low = high = prefix;
  } else {
    low = std::max(low, *seen);
  }
  for (size_t prefix = low; prefix <= high; ++prefix) {
    const bool same =
        look.key ? look.value == ValueAt(*look.key, prefix) : look.state == prefixes_[prefix];
    if (!same) continue;
    if (!look.snapshot) *seen = prefix;
    return "";
  }
  const std::string what = !look.key
                               ? "a scan of " + std::to_string(look.state.entries) + " entries"
                               : *look.key + " = " + (look.value ? Show(*look.value) : "(none)");
  return "client " + std::to_string(look.client) + " saw " + what + " between steps " +
         std::to_string(look.began) + " and " + std::to_string(look.ended) +
         (look.snapshot ? ", in a snapshot" : "") + ", which is not the state after the first " +
         std::to_string(low) + " to " + std::to_string(high) + " commits";
}

std::optional<size_t> History::PrefixOf(const Fingerprint& state) const {
  // Their markers make all states different.
  for (size_t prefix = prefixes_.size(); prefix-- > 0;) {
    if (prefixes_[prefix] == state) return prefix;
  }
  return std::nullopt;
}

size_t History::RequiredAt(uint64_t moment) const {
  for (size_t i = commits_.size(); i > 0; --i) {
    if (commits_[i - 1].synced && commits_[i - 1].acked < moment) return i;
  }
  return 0;
}

std::string History::Describe(leveldb::DB* db) const {
  std::string text;
  std::string value;
  size_t first = 0;  // of the current range of present commits; 0: none
  for (size_t i = 1; i <= commits_.size() + 1; ++i) {
    const bool there =
        i <= commits_.size() &&
        db->Get(leveldb::ReadOptions(), commits_[i - 1].ops.front().key, &value).ok();
    if (there && first == 0) first = i;
    if (there || first == 0) continue;
    if (!text.empty()) text += ", ";
    text += std::to_string(first);
    if (first + 1 < i) text += "-" + std::to_string(i - 1);
    first = 0;
  }
  return text.empty() ? "none" : text;
}

}  // namespace lull::testing
