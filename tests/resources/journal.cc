// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "tests/resources/journal.h"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <utility>

namespace lull::testing {

namespace {

constexpr size_t kBytes = 8 << 20;
constexpr uint32_t kAbsent = UINT32_MAX;
enum : uint32_t { kBegun, kAcked, kFailed };

class Reader {
 public:
  explicit Reader(const char* at) : at_(at) {}
  uint32_t Number() {
    uint32_t number = 0;
    std::memcpy(&number, at_, sizeof(number));
    at_ += sizeof(number);
    return number;
  }
  std::string Text(size_t bytes) { return {std::exchange(at_, at_ + bytes), bytes}; }
  const char* at() const { return at_; }

 private:
  const char* at_;
};

}  // namespace

// A write: its fate, the number of operations, and each operation's key and value with their sizes.
Journal::Journal() {
  void* const memory =
      mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) std::abort();
  memory_ = static_cast<char*>(memory);
  header_ = static_cast<Header*>(memory);
  header_->used = sizeof(Header);
}

Journal::~Journal() { munmap(memory_, kBytes); }

void Journal::Add(const void* bytes, size_t count) {
  if (header_->used + count > kBytes) std::abort();
  std::memcpy(memory_ + header_->used, bytes, count);
  header_->used += count;
}

void Journal::Begin(const WriteOps& ops) {
  header_->last = header_->used;
  AddNumber(kBegun);
  AddNumber(static_cast<uint32_t>(ops.size()));
  for (const WriteOp& op : ops) {
    AddNumber(static_cast<uint32_t>(op.key.size()));
    Add(op.key.data(), op.key.size());
    AddNumber(op.value.has_value() ? static_cast<uint32_t>(op.value->size()) : kAbsent);
    if (op.value.has_value()) Add(op.value->data(), op.value->size());
  }
}

void Journal::End(bool acked) {
  const uint32_t fate = acked ? kAcked : kFailed;
  std::memcpy(memory_ + header_->last, &fate, sizeof(fate));
}

void Journal::ReplayTo(CommitLog* log) const {
  Reader in(memory_ + sizeof(Header));
  while (in.at() < memory_ + header_->used) {
    const uint32_t fate = in.Number();
    WriteOps ops(in.Number());
    for (WriteOp& op : ops) {
      op.key = in.Text(in.Number());
      const uint32_t bytes = in.Number();
      if (bytes != kAbsent) op.value = in.Text(bytes);
    }
    const size_t commit = log->Begin(std::move(ops));
    if (fate == kAcked) log->SetFate(commit, CommitLog::Fate::kAcked);
    if (fate == kFailed) log->SetFate(commit, CommitLog::Fate::kFailed);
  }
}

}  // namespace lull::testing
