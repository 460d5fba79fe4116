// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/memory/skiplist.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <new>

namespace lull {

/// The upper links precede the first member in memory. The last one is followed by the key, the
/// value, the rank (a byte) and, aligned, the chain's pointers: one if the rank is 1, else two.
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
  uint64_t trailer() const { return DecodeFixed64(key() + user_size); }

  static constexpr size_t kChainBytesMax = 2 * sizeof(const Node*);
  static size_t BytesWithoutChain(size_t entry_bytes) {
    return (sizeof(Node) + entry_bytes + 1 + 7) & ~size_t{7};
  }
  /// The entry is the root of a tree of 2^rank - 1 entries, or, with rank 0, the oldest of its key.
  uint8_t& rank() { return reinterpret_cast<uint8_t*>(this + 1)[key_bytes() + value_size]; }
  const Node** chain() {
    return reinterpret_cast<const Node**>(reinterpret_cast<char*>(this) +
                                          BytesWithoutChain(key_bytes() + value_size));
  }
  uint8_t rank() const { return const_cast<Node*>(this)->rank(); }
  /// The next older entry; null for the oldest one.
  const Node* Older() const { return rank() == 0 ? nullptr : const_cast<Node*>(this)->chain()[0]; }
  /// The first entry after the tree. REQUIRES: rank() > 0.
  const Node* AfterTree() const { return const_cast<Node*>(this)->chain()[rank() > 1 ? 1 : 0]; }
  const Node* AtOrBelow(uint64_t trailer_max) const;
  size_t BeginChain(const Node& older);
};

/// The newest entry of the chain at or below `trailer_max`, or null.
const SkipList::Node* SkipList::Node::AtOrBelow(uint64_t trailer_max) const {
  const Node* node = this;
  while (node->trailer() > trailer_max) {
    if (node->rank() == 0) return nullptr;
    const Node* const after = node->AfterTree();
    node = after->trailer() > trailer_max ? after : node->Older();
  }
  return node;
}

/// Puts the node before its key's other entries. Returns the bytes of the chain's pointers.
size_t SkipList::Node::BeginChain(const Node& older) {
  chain()[0] = &older;
  const Node* const second = older.rank() > 0 ? older.AfterTree() : nullptr;
  if (second == nullptr || second->rank() != older.rank()) {
    rank() = 1;
    return sizeof(const Node*);
  }
  rank() = older.rank() + 1;  // the root of both trees
  chain()[1] = second->AfterTree();
  return 2 * sizeof(const Node*);
}

namespace {

void Prefetch(const void* address) { __builtin_prefetch(address); }

/// Swaps bytes so that integers compare as the bytes do.
uint64_t Ordered(uint64_t loaded) { return __builtin_bswap64(loaded); }

/// Bytewise order of two user keys that trailers follow: so it is safe to load eight bytes at any
/// position.
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
  return a_size < b_size;
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
  char* const upper =
      arena_->Allocate(upper_bytes + Node::BytesWithoutChain(entry_bytes) + Node::kChainBytesMax);
  Node* const node = new (upper + upper_bytes)
      Node{nullptr, static_cast<uint32_t>(user_key.size()), static_cast<uint32_t>(value.size())};
  for (int level = 1; level < height; ++level) new (node->link(level)) Node::Link(nullptr);
  char* out = upper + upper_bytes + sizeof(Node);
  if (!user_key.empty()) std::memcpy(out, user_key.data(), user_key.size());
  out += user_key.size();
  EncodeFixed64(out, trailer);
  if (!value.empty()) std::memcpy(out + KeyOrder::kTrailerBytes, value.data(), value.size());
  node->rank() = 0;
  return node;
}

bool SkipList::IsBefore(const Node& node, const char* key, size_t user_size) const {
  if (order_.bytewise()) return BytewiseBefore(node.key(), node.user_size, key, user_size);
  return order_.CompareUser({node.key(), node.user_size}, {key, user_size}) < 0;
}

/// REQUIRES: the node is not before the key.
bool SkipList::IsSame(const Node& node, const char* key, size_t user_size) const {
  if (order_.bytewise()) return !BytewiseBefore(key, user_size, node.key(), node.user_size);
  return order_.CompareUser({key, user_size}, {node.key(), node.user_size}) == 0;
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
  const char* const key = internal_key.data();
  const size_t user_size = internal_key.size() - KeyOrder::kTrailerBytes;
  const Node* const newest = FindPlace(key, user_size, nullptr).after;
  if (newest == nullptr || !IsSame(*newest, key, user_size)) return std::nullopt;
  const Node* const found = newest->AtOrBelow(DecodeFixed64(key + user_size));
  if (found == nullptr) return std::nullopt;
  return Entry{found->trailer(), found->value()};
}

/// Whether no key is between the latest insert and the node's key.
bool SkipList::IsAfterLastInsert(const Node& node) const {
  const Node* const latest = latest_[0];
  if (latest != head_ && !IsBefore(*latest, node.key(), node.user_size)) return false;
  const Node* const next = latest->Next(0);
  return next == nullptr || !IsBefore(*next, node.key(), node.user_size);
}

void SkipList::Insert(const leveldb::Slice& user_key, uint64_t trailer,
                      const leveldb::Slice& value) {
  // Two random bits per level: one node in four reaches the next level.
  const uint64_t rises = random_.Next() | (uint64_t{1} << (2 * (kHeightMax - 1)));
  const int height = 1 + std::countr_zero(rises) / 2;
  Node* const node = MakeNode(height, user_key, trailer, value);
  // Directly after the latest insert, a search would find exactly latest_. On levels above the
  // latest insert's height, the node after latest_ cannot be before the latest insert's successor
  // on the lowest level.
  if (!IsAfterLastInsert(*node)) FindPlace(node->key(), node->user_size, latest_.data());
  Node* replaced = latest_[0]->Next(0);
  if (replaced != nullptr && !IsSame(*replaced, node->key(), node->user_size)) replaced = nullptr;
  assert(replaced == nullptr || replaced->trailer() < trailer);
  const size_t chain_bytes = replaced == nullptr ? 0 : node->BeginChain(*replaced);
  arena_->GiveBack(reinterpret_cast<char*>(node->chain() + 2), Node::kChainBytesMax - chain_bytes);

  if (height > height_.load(std::memory_order_relaxed)) {
    height_.store(height, std::memory_order_relaxed);
  }
  const auto next_at = [&](int level) {
    Node* const next = latest_[level]->Next(level);
    return next != nullptr && next == replaced ? next->Next(level) : next;
  };
  for (int level = 0; level < height; ++level) {
    node->link(level)->store(next_at(level), std::memory_order_relaxed);
  }
  // The replaced node leaves the levels that the new one does not reach.
  for (int level = height; replaced != nullptr && level < kHeightMax; ++level) {
    if (latest_[level]->Next(level) != replaced) break;
    latest_[level]->link(level)->store(replaced->Next(level), std::memory_order_release);
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

leveldb::Slice SkipList::Cursor::key() const { return entry_->internal_key(); }

leveldb::Slice SkipList::Cursor::value() const { return entry_->value(); }

/// The first entry of node_'s key to show, or null. REQUIRES: node_ is not null.
inline const SkipList::Node* SkipList::Cursor::NewestShown() const {
  if (node_->trailer() <= newest_) [[likely]]
    return node_;
  return node_->AtOrBelow(newest_);
}

/// Moves to the first entry to show from node_ on, which can be null.
inline void SkipList::Cursor::ShowForward() {
  for (; node_ != nullptr; node_ = node_->Next(0)) {
    Prefetch(node_->Next(0));
    entry_ = NewestShown();
    if (entry_ != nullptr) [[likely]]
      return;
  }
  entry_ = nullptr;
}

/// Moves to the last entry to show up to node_, which can be null.
void SkipList::Cursor::ShowBackward() {
  for (entry_ = nullptr; node_ != nullptr; node_ = NodeBefore()) {
    entry_ = NewestShown();
    if (entry_ == nullptr) continue;
    while (entry_->trailer() > oldest_ && entry_->rank() > 0) entry_ = entry_->Older();
    return;
  }
}

const SkipList::Node* SkipList::Cursor::NodeBefore() const {
  const auto [before, after] = list_->FindPlace(node_->key(), node_->user_size, nullptr);
  // A comparator that is not a strict order can make the search miss the node. Stop then, to avoid
  // an endless loop. A newer entry can have replaced the node.
  const bool is_found = after != nullptr && after->AtOrBelow(node_->trailer()) == node_;
  return is_found && before != list_->head_ ? before : nullptr;
}

void SkipList::Cursor::Next() {
  if (oldest_ < newest_ && entry_->trailer() > oldest_) {
    entry_ = entry_->Older();
    if (entry_ != nullptr) return;
  }
  node_ = node_->Next(0);
  ShowForward();
}

void SkipList::Cursor::Prev() {
  const Node* newer = NewestShown();
  if (newer != entry_) {
    while (newer->Older() != entry_) newer = newer->Older();
    entry_ = newer;
    return;
  }
  node_ = NodeBefore();
  ShowBackward();
}

void SkipList::Cursor::Seek(const leveldb::Slice& internal_key) {
  const char* const key = internal_key.data();
  const size_t user_size = internal_key.size() - KeyOrder::kTrailerBytes;
  // Use the node that the search found. The current successor can be a later insert, which might
  // sort before the key.
  node_ = list_->FindPlace(key, user_size, nullptr).after;
  ShowForward();
  const Node* const at = node_;
  const uint64_t trailer = DecodeFixed64(key + user_size);
  if (at == nullptr || entry_->trailer() <= trailer || !list_->IsSame(*at, key, user_size)) return;
  do {
    Next();
  } while (node_ == at && entry_->trailer() > trailer);
}

void SkipList::Cursor::SeekToFirst() {
  node_ = list_->head_->Next(0);
  ShowForward();
}

void SkipList::Cursor::SeekToLast() {
  const Node* node = list_->head_;
  for (int level = list_->height_.load(std::memory_order_relaxed) - 1; level >= 0; --level) {
    while (const Node* next = node->Next(level)) node = next;
  }
  node_ = node == list_->head_ ? nullptr : node;
  ShowBackward();
}

}  // namespace lull
