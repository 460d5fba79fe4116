// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "tests/support/model.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "leveldb/iterator.h"
#include "tests/support/rng.h"

namespace lull::testing {

using leveldb::Status;

void FillBatch(const WriteOps& ops, leveldb::WriteBatch* batch) {
  for (const WriteOp& op : ops) {
    if (op.value.has_value()) {
      batch->Put(op.key, *op.value);
    } else {
      batch->Delete(op.key);
    }
  }
}

// ---- Model -----------------------------------------------------------------------------------

Model::Model(const leveldb::Comparator* comparator) : keys_(Less{comparator}) {}

uint64_t Model::Commit(const WriteOps& ops) {
  ++last_sequence_;
  for (const WriteOp& op : ops) {
    Versions& versions = keys_[op.key];
    if (!versions.empty() && versions.back().sequence == last_sequence_) {
      versions.back().value = op.value;
      continue;
    }
    versions.push_back({last_sequence_, op.value});
    DropInvisible(&versions);
  }
  return last_sequence_;
}

void Model::DropInvisible(Versions* versions) const {
  size_t kept = 0;
  for (size_t i = 0; i < versions->size(); ++i) {
    const bool newest = i + 1 == versions->size();
    auto pin = pins_.lower_bound((*versions)[i].sequence);
    const bool seen = pin != pins_.end() && !newest && *pin < (*versions)[i + 1].sequence;
    if (!newest && !seen) continue;
    if (kept != i) (*versions)[kept] = std::move((*versions)[i]);
    ++kept;
  }
  versions->resize(kept);
}

void Model::Pin(uint64_t sequence) { pins_.insert(sequence); }
void Model::Unpin(uint64_t sequence) { pins_.erase(pins_.find(sequence)); }

const Model::Version* Model::VisibleAt(const Versions& versions, uint64_t sequence) {
  for (auto it = versions.rbegin(); it != versions.rend(); ++it) {
    if (it->sequence <= sequence) return &*it;
  }
  return nullptr;
}

Model::Version* Model::VisibleAt(Versions* versions, uint64_t sequence) {
  return const_cast<Version*>(VisibleAt(std::as_const(*versions), sequence));
}

const std::string* Model::Find(const std::string& key, uint64_t sequence) const {
  auto it = keys_.find(key);
  if (it == keys_.end()) return nullptr;
  const Version* version = VisibleAt(it->second, sequence);
  return version != nullptr && version->IsVisible(gone_count_) ? &*version->value : nullptr;
}

void Model::MarkGone(const std::string& key, uint64_t sequence) {
  VisibleAt(&keys_.find(key)->second, sequence)->gone = ++gone_count_;
}

void Model::MarkGone(const std::string* begin, const std::string* end,
                     bool (*expires)(std::string_view value)) {
  auto it = begin != nullptr ? keys_.lower_bound(*begin) : keys_.begin();
  const auto after = end != nullptr ? keys_.upper_bound(*end) : keys_.end();
  for (; it != after; ++it) {
    Version& newest = it->second.back();
    if (newest.IsVisible(gone_count_) && expires(*newest.value)) newest.gone = ++gone_count_;
  }
}

size_t Model::CountAt(uint64_t sequence) const {
  return std::count_if(keys_.begin(), keys_.end(), [&](const auto& entry) {
    const Version* version = VisibleAt(entry.second, sequence);
    return version != nullptr && version->IsVisible(gone_count_);
  });
}

Model::Cursor::Cursor(Model* model, uint64_t sequence)
    : model_(model),
      sequence_(sequence),
      gone_before_(model->gone_count_),
      at_(model->keys_.end()) {
  model_->Pin(sequence_);
}

Model::Cursor::~Cursor() { model_->Unpin(sequence_); }

const std::string& Model::Cursor::value() const {
  return *VisibleAt(at_->second, sequence_)->value;
}

bool Model::Cursor::IsVisible(Keys::iterator at) const {
  const Version* version = VisibleAt(at->second, sequence_);
  return version != nullptr && version->IsVisible(gone_before_);
}

void Model::Cursor::SkipForward() {
  while (Valid() && !IsVisible(at_)) ++at_;
}

void Model::Cursor::StepBack(Keys::iterator from) {
  while (from != model_->keys_.begin()) {
    --from;
    if (IsVisible(from)) {
      at_ = from;
      return;
    }
  }
  at_ = model_->keys_.end();
}

void Model::Cursor::SeekToFirst() {
  at_ = model_->keys_.begin();
  SkipForward();
}

void Model::Cursor::SeekToLast() { StepBack(model_->keys_.end()); }

void Model::Cursor::Seek(const std::string& target) {
  at_ = model_->keys_.lower_bound(target);
  SkipForward();
}

void Model::Cursor::Next() {
  ++at_;
  SkipForward();
}

void Model::Cursor::Prev() { StepBack(at_); }

// ---- Fingerprint -----------------------------------------------------------------------------

namespace {

struct EntryHash {
  uint64_t sum;
  uint64_t mix;
};

EntryHash HashOf(std::string_view key, std::string_view value) {
  const uint64_t k = std::hash<std::string_view>()(key);
  const uint64_t v = std::hash<std::string_view>()(value);
  return {Mix(k + Mix(v ^ 0x5851f42d4c957f2dULL)), Mix(v + Mix(k + key.size()))};
}

std::string_view View(const leveldb::Slice& slice) { return {slice.data(), slice.size()}; }

}  // namespace

void Fingerprint::Add(std::string_view key, std::string_view value) {
  const EntryHash hash = HashOf(key, value);
  sum += hash.sum;
  mix += hash.mix;
  ++entries;
}

void Fingerprint::Remove(std::string_view key, std::string_view value) {
  const EntryHash hash = HashOf(key, value);
  sum -= hash.sum;
  mix -= hash.mix;
  --entries;
}

Status FingerprintOf(leveldb::DB* db, Fingerprint* result, bool (*skips)(std::string_view value)) {
  const auto add = [skips](const leveldb::Iterator& it, Fingerprint* sum) {
    if (skips == nullptr || !skips(View(it.value()))) sum->Add(View(it.key()), View(it.value()));
  };
  leveldb::ReadOptions options;
  options.verify_checksums = true;
  std::unique_ptr<leveldb::Iterator> it(db->NewIterator(options));
  Fingerprint forward;
  std::string value;
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    add(*it, &forward);
    Status s = db->Get(options, it->key(), &value);
    if (s.IsNotFound()) return Status::Corruption(it->key(), "iterated, but Get finds nothing");
    if (!s.ok()) return s;
    if (it->value() != leveldb::Slice(value)) {
      return Status::Corruption(it->key(), "iterator and Get differ");
    }
  }
  if (!it->status().ok()) return it->status();
  Fingerprint backward;
  for (it->SeekToLast(); it->Valid(); it->Prev()) add(*it, &backward);
  if (!it->status().ok()) return it->status();
  if (!(forward == backward)) return Status::Corruption("forward and backward scans differ");
  *result = forward;
  return Status::OK();
}

// ---- CommitLog -------------------------------------------------------------------------------

size_t CommitLog::Begin(WriteOps ops) {
  commits_.push_back({std::move(ops), Fate::kUnknown});
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

std::optional<size_t> CommitLog::FindPrefix(const Fingerprint& wanted,
                                            const std::set<size_t>& missing) const {
  std::unordered_map<std::string_view, std::string_view> state;
  Fingerprint now;
  std::optional<size_t> found;
  if (now == wanted) found = 0;
  for (size_t i = 0; i < commits_.size(); ++i) {
    if (missing.count(i) == 0) {
      for (const WriteOp& op : commits_[i].ops) {
        auto it = state.find(op.key);
        if (it != state.end()) {
          now.Remove(it->first, it->second);
          state.erase(it);
        }
        if (op.value.has_value() && (expires_ == nullptr || !expires_(*op.value))) {
          state.emplace(op.key, *op.value);
          now.Add(op.key, *op.value);
        }
      }
    }
    if (now == wanted) found = i + 1;
  }
  return found;
}

CommitLog::Verdict CommitLog::MatchesPrefix(leveldb::DB* db, Demand demand) {
  Verdict verdict;
  Fingerprint actual;
  Status s = FingerprintOf(db, &actual, expires_);
  if (!s.ok()) {
    verdict.detail = "the recovered store cannot be read: " + s.ToString();
    return verdict;
  }
  const size_t required = RequiredPrefix(demand);
  std::optional<size_t> best;
  for (const std::set<size_t>& missing : PossiblyMissing()) {
    best = std::max(best, FindPrefix(actual, missing));
    if (best.has_value() && *best >= required) break;
  }
  verdict.detail = std::to_string(actual.entries) + " entries; of " +
                   std::to_string(commits_.size()) + " commits the first " +
                   std::to_string(required) + " must be there; ";
  if (!best.has_value()) {
    verdict.detail += "no prefix of the commits gives this state";
    return verdict;
  }
  verdict.prefix = *best;
  verdict.ok = *best >= required;
  verdict.detail += "found the first " + std::to_string(*best);
  return verdict;
}

}  // namespace lull::testing
