// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "tests/support/model.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

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

}  // namespace lull::testing
