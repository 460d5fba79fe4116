// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/memory/skiplist.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

namespace lull {

/// The upper links precede the first member in memory; key and value follow the last one.
struct SkipList::Node {
  using Link = std::atomic<Node*>;

  Link lowest;
  const uint32_t user_size;
  const uint32_t value_size;

  Link* link(int level) { return reinterpret_cast<Link*>(this) - level; }
  Node* Next(int level) const {
    return (reinterpret_cast<const Link*>(this) - level)->load(std::memory_order_acquire);
  }
  const char* key() const { return reinterpret_cast<const char*>(this + 1); }
  size_t key_bytes() const { return size_t{user_size} + KeyOrder::kTrailerBytes; }
  leveldb::Slice internal_key() const { return {key(), key_bytes()}; }
  leveldb::Slice value() const { return {key() + key_bytes(), value_size}; }
};

namespace {

void Prefetch(const void* address) { __builtin_prefetch(address); }

/// Swaps bytes so that integers compare as the bytes do.
uint64_t Ordered(uint64_t loaded) { return __builtin_bswap64(loaded); }

/// Bytewise order of two internal keys, given their user keys. The 8-byte trailer makes it safe to
/// load eight bytes at any position of the user key.
[[gnu::always_inline]] inline bool BytewiseBefore(const char* a, size_t a_size, const char* b,
                                                  size_t b_size) {
  const size_t common = std::min(a_size, b_size);
  size_t at = 0;
  for (; at + 8 <= common; at += 8) {
    const uint64_t word_a = DecodeFixed64(a + at);
    const uint64_t word_b = DecodeFixed64(b + at);
    if (word_a != word_b) return Ordered(word_a) < Ordered(word_b);
  }
  if (at < common) {
    const uint64_t mask = (uint64_t{1} << (8 * (common - at))) - 1;
    const uint64_t word_a = DecodeFixed64(a + at) & mask;
    const uint64_t word_b = DecodeFixed64(b + at) & mask;
    if (word_a != word_b) return Ordered(word_a) < Ordered(word_b);
  }
  if (a_size != b_size) return a_size < b_size;
  return DecodeFixed64(a + a_size) > DecodeFixed64(b + b_size);
}

}  // namespace

SkipList::SkipList(const KeyOrder& order, Arena* arena)
    : order_(order), arena_(arena), head_(MakeNode(kHeightMax, {}, 0, {})) {
  latest_.fill(head_);
}

SkipList::Node* SkipList::MakeNode(int height, const leveldb::Slice& user_key, uint64_t trailer,
                                   const leveldb::Slice& value) {
  const size_t upper_bytes = static_cast<size_t>(height - 1) * sizeof(Node::Link);
  const size_t entry_bytes = user_key.size() + KeyOrder::kTrailerBytes + value.size();
  char* const upper = arena_->Allocate(upper_bytes + sizeof(Node) + entry_bytes);
  Node* const node = new (upper + upper_bytes)
      Node{nullptr, static_cast<uint32_t>(user_key.size()), static_cast<uint32_t>(value.size())};
  for (int level = 1; level < height; ++level) new (node->link(level)) Node::Link(nullptr);
  char* out = upper + upper_bytes + sizeof(Node);
  if (!user_key.empty()) std::memcpy(out, user_key.data(), user_key.size());
  out += user_key.size();
  EncodeFixed64(out, trailer);
  if (!value.empty()) std::memcpy(out + KeyOrder::kTrailerBytes, value.data(), value.size());
  return node;
}

bool SkipList::IsBefore(const Node& node, const char* key, size_t user_size) const {
  if (order_.bytewise()) return BytewiseBefore(node.key(), node.user_size, key, user_size);
  return order_.Compare(node.internal_key(), {key, user_size + KeyOrder::kTrailerBytes}) < 0;
}

template <class IsBeforeKey>
SkipList::Place SkipList::FindPlaceBy(IsBeforeKey is_before_key, Node** before) const {
  Node* node = head_;
  const Node* known_after = nullptr;  // the level above showed that it is not before the key
  int level = height_.load(std::memory_order_relaxed) - 1;
  for (;;) {
    Node* const next = node->Next(level);
    if (next != nullptr && next != known_after) {
      // Prefetch both nodes that can come next, before the comparison.
      if (level > 0) Prefetch(node->Next(level - 1));
      Prefetch(next->Next(level));
      if (is_before_key(*next)) {
        node = next;
        continue;
      }
    }
    if (before != nullptr) before[level] = node;
    if (level == 0) return {node, next};
    known_after = next;
    --level;
  }
}

SkipList::Place SkipList::FindPlace(const char* key, size_t user_size, Node** before) const {
  // One loop for each order: with a call in it, a search would take a tenth more instructions.
  if (order_.bytewise()) {
    return FindPlaceBy(
        [=](const Node& node) {
          return BytewiseBefore(node.key(), node.user_size, key, user_size);
        },
        before);
  }
  return FindPlaceBy([=, this](const Node& node) { return IsBefore(node, key, user_size); },
                     before);
}

std::optional<SkipList::Entry> SkipList::Find(const leveldb::Slice& internal_key) const {
  const size_t user_size = internal_key.size() - KeyOrder::kTrailerBytes;
  const Node* const node = FindPlace(internal_key.data(), user_size, nullptr).after;
  if (node == nullptr) return std::nullopt;
  const leveldb::Slice found(node->key(), node->user_size), wanted(internal_key.data(), user_size);
  const bool is_same = order_.bytewise() ? found == wanted : order_.CompareUser(found, wanted) == 0;
  if (!is_same) return std::nullopt;
  return Entry{DecodeFixed64(node->key() + node->user_size), node->value()};
}

/// Whether `node` belongs directly after the latest insert.
bool SkipList::LastInsertPrecedes(const Node& node) const {
  const Node* const latest = latest_[0];
  if (latest != head_ && !IsBefore(*latest, node.key(), node.user_size)) return false;
  const Node* const next = latest->Next(0);
  return next == nullptr || IsBefore(node, next->key(), next->user_size);
}

void SkipList::Insert(const leveldb::Slice& user_key, uint64_t trailer,
                      const leveldb::Slice& value) {
  // Two random bits per level: one node in four reaches the next level.
  const uint64_t rises = random_.Next() | (uint64_t{1} << (2 * (kHeightMax - 1)));
  const int height = 1 + std::countr_zero(rises) / 2;
  Node* const node = MakeNode(height, user_key, trailer, value);
  // If the node belongs directly after the latest insert, a search would find exactly latest_. On
  // levels above the latest insert's height, the node after latest_ cannot be before the latest
  // insert's successor on the lowest level.
  if (!LastInsertPrecedes(*node)) FindPlace(node->key(), node->user_size, latest_.data());
  if (height > height_.load(std::memory_order_relaxed)) {
    height_.store(height, std::memory_order_relaxed);
  }
  for (int level = 0; level < height; ++level) {
    node->link(level)->store(latest_[level]->Next(level), std::memory_order_relaxed);
  }
  for (int level = 0; level < height; ++level) {
    latest_[level]->link(level)->store(node, std::memory_order_release);
    latest_[level] = node;
  }
}

double SkipList::ShareBetween(const leveldb::Slice& start, const leveldb::Slice& limit) const {
  // One node in four reaches the next level, so this level is a sample of a few hundred nodes.
  constexpr int kLevelsAboveSample = 3;
  const int level = std::max(0, height_.load(std::memory_order_relaxed) - 1 - kLevelsAboveSample);
  const auto is_before = [&](const Node& node, const leveldb::Slice& internal_key) {
    return IsBefore(node, internal_key.data(), internal_key.size() - KeyOrder::kTrailerBytes);
  };
  uint64_t all = 0;
  uint64_t inside = 0;
  for (const Node* node = head_->Next(level); node != nullptr; node = node->Next(level)) {
    ++all;
    inside += !is_before(*node, start) && is_before(*node, limit);
  }
  return all > 0 ? static_cast<double>(inside) / static_cast<double>(all) : 0.0;
}

leveldb::Slice SkipList::Cursor::key() const { return node_->internal_key(); }

leveldb::Slice SkipList::Cursor::value() const { return node_->value(); }

void SkipList::Cursor::Next() {
  node_ = node_->Next(0);
  if (node_ != nullptr) Prefetch(node_->Next(0));
}

void SkipList::Cursor::Prev() {
  const auto place = list_->FindPlace(node_->key(), node_->user_size, nullptr);
  // A comparator that is not a strict order can make the search miss the node. Stop then, to avoid
  // an endless loop.
  node_ = place.after == node_ && place.before != list_->head_ ? place.before : nullptr;
}

void SkipList::Cursor::Seek(const leveldb::Slice& internal_key) {
  // Use the node that the search found. The current successor can be a later insert, which might
  // sort before the key.
  node_ =
      list_->FindPlace(internal_key.data(), internal_key.size() - KeyOrder::kTrailerBytes, nullptr)
          .after;
}

void SkipList::Cursor::SeekToFirst() { node_ = list_->head_->Next(0); }

void SkipList::Cursor::SeekToLast() {
  const Node* node = list_->head_;
  for (int level = list_->height_.load(std::memory_order_relaxed) - 1; level >= 0; --level) {
    while (const Node* next = node->Next(level)) node = next;
  }
  node_ = node == list_->head_ ? nullptr : node;
}

}  // namespace lull
