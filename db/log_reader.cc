// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/log_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "util/coding.h"
#include "util/crc32c.h"

namespace lull::log {
namespace {

/// The fragment at the front of some bytes, as far as it can be trusted.
struct Fragment {
  enum class State { kIntact, kUnused, kCutShort, kBadChecksum };
  State state = State::kCutShort;
  uint8_t type = 0;
  leveldb::Slice payload;
  size_t TotalBytes() const { return kHeaderBytes + payload.size(); }
  bool BeginsRecord() const {
    return state == State::kIntact && (type == static_cast<uint8_t>(FragmentType::kFull) ||
                                       type == static_cast<uint8_t>(FragmentType::kFirst));
  }
};

bool AllZero(const leveldb::Slice& bytes) {
  return std::all_of(bytes.data(), bytes.data() + bytes.size(), [](char c) { return c == 0; });
}

/// REQUIRES: `bytes` are not behind the end of their block.
Fragment ParseFragment(const leveldb::Slice& bytes) {
  Fragment fragment;
  if (bytes.size() < kHeaderBytes) {
    if (AllZero(bytes)) fragment.state = Fragment::State::kUnused;
    return fragment;
  }
  const char* const header = bytes.data();
  fragment.type = static_cast<uint8_t>(header[6]);
  uint16_t length;
  std::memcpy(&length, header + 4, sizeof(length));
  if (length > bytes.size() - kHeaderBytes) return fragment;
  fragment.payload = {header + kHeaderBytes, length};
  if (AllZero({header, kHeaderBytes})) {
    fragment.state = Fragment::State::kUnused;
    return fragment;
  }
  const bool matches = crc32c::Mask(crc32c::Value(header + 6, 1 + length)) == DecodeFixed32(header);
  fragment.state = matches ? Fragment::State::kIntact : Fragment::State::kBadChecksum;
  return fragment;
}

}  // namespace

Reader::Reader(std::unique_ptr<leveldb::SequentialFile> file, std::string file_name, IsOwn is_own)
    : file_(std::move(file)),
      file_name_(std::move(file_name)),
      is_own_(is_own ? std::move(is_own) : [](const leveldb::Slice&) { return true; }),
      block_(std::make_unique_for_overwrite<char[]>(kBlockBytes)) {}

bool Reader::ReadRecord(leveldb::Slice* record) {
  if (end_ != LogEnd::kNone) return false;
  uint64_t record_offset = 0;
  FragmentType type;
  leveldb::Slice payload;
  while (NextFragment(&type, &payload)) {
    const uint64_t fragment_offset = offset() - kHeaderBytes - payload.size();
    switch (type) {
      case FragmentType::kFull:
        in_record_ = false;
        *record = payload;
        last_record_offset_ = fragment_offset;
        valid_bytes_ = offset();
        return true;
      case FragmentType::kFirst:
        in_record_ = true;
        record_offset = fragment_offset;
        assembled_.assign(payload.data(), payload.size());
        break;
      case FragmentType::kMiddle:
      case FragmentType::kLast:
        if (!in_record_)
          return Stop(LogEnd::kCorrupt, fragment_offset, "a record without its start");
        assembled_.append(payload.data(), payload.size());
        if (type == FragmentType::kMiddle) break;
        in_record_ = false;
        *record = assembled_;
        last_record_offset_ = record_offset;
        valid_bytes_ = offset();
        return true;
      case FragmentType::kZero:
        break;  // NextFragment returns none
    }
  }
  return false;
}

bool Reader::NextFragment(FragmentType* type, leveldb::Slice* payload) {
  // What is left of a full block and too small for a header is not used.
  const bool block_is_done = rest_.size() < kHeaderBytes && block_end_offset_ % kBlockBytes == 0;
  if ((rest_.empty() || block_is_done) && !FillBlock()) {
    return end_ == LogEnd::kNone && Stop(in_record_ ? LogEnd::kTorn : LogEnd::kClean);
  }
  const Fragment fragment = ParseFragment(rest_);
  switch (fragment.state) {
    case Fragment::State::kUnused:
      return EndAtFault(in_record_ ? LogEnd::kTorn : LogEnd::kClean, "zeros in front of records");
    case Fragment::State::kCutShort:
      return EndAtFault(LogEnd::kTorn, "a fragment that goes beyond its block");
    case Fragment::State::kBadChecksum:
      return EndAtFault(LogEnd::kTorn, "a bad checksum");
    case Fragment::State::kIntact:
      break;
  }
  if (fragment.type == 0 || fragment.type > static_cast<uint8_t>(FragmentType::kLast)) {
    return Stop(LogEnd::kCorrupt, offset(), "an unknown type of fragment");
  }
  *type = static_cast<FragmentType>(fragment.type);
  *payload = fragment.payload;
  rest_.remove_prefix(fragment.TotalBytes());
  return true;
}

bool Reader::FillBlock() {
  size_t filled = 0;
  while (!at_eof_ && filled < kBlockBytes) {
    leveldb::Slice chunk;
    char* const target = block_.get() + filled;
    const leveldb::Status read = file_->Read(kBlockBytes - filled, &chunk, target);
    if (!read.ok()) {
      rest_.clear();
      status_ = read;
      end_ = LogEnd::kError;
      return false;
    }
    if (!chunk.empty() && chunk.data() != target) std::memmove(target, chunk.data(), chunk.size());
    filled += chunk.size();
    at_eof_ = chunk.empty();
  }
  rest_ = {block_.get(), filled};
  block_end_offset_ += filled;
  return filled > 0;
}

/// Ends the reading at a fault in front of rest_: with `if_last` when no record begins behind it,
/// otherwise as corrupt.
bool Reader::EndAtFault(LogEnd if_last, const char* cause) {
  const uint64_t fault_offset = offset();
  // In this block a record may begin anywhere: the fault may be in a length. A later one begins
  // with a fragment.
  bool begins = HoldsRecordStart(rest_);
  while (!begins && FillBlock()) begins = ChainHoldsRecordStart(rest_);
  if (end_ == LogEnd::kError) return false;
  return begins ? Stop(LogEnd::kCorrupt, fault_offset, cause) : Stop(if_last);
}

/// Whether a record begins anywhere in `bytes`, a part of one block, whatever precedes it.
bool Reader::HoldsRecordStart(leveldb::Slice bytes) const {
  for (; bytes.size() >= kHeaderBytes; bytes.remove_prefix(1)) {
    const char type = bytes[6];
    const bool may_begin = type == static_cast<char>(FragmentType::kFull) ||
                           type == static_cast<char>(FragmentType::kFirst);
    if (!may_begin) continue;
    const Fragment fragment = ParseFragment(bytes);
    if (fragment.BeginsRecord() && is_own_(fragment.payload)) return true;
  }
  return false;
}

/// The same for fragments that follow on each other from the start of a block.
bool Reader::ChainHoldsRecordStart(leveldb::Slice block) const {
  while (block.size() >= kHeaderBytes) {
    const Fragment fragment = ParseFragment(block);
    if (fragment.state != Fragment::State::kIntact) return false;
    if (fragment.BeginsRecord() && is_own_(fragment.payload)) return true;
    block.remove_prefix(fragment.TotalBytes());
  }
  return false;
}

bool Reader::Stop(LogEnd end, uint64_t at, const char* cause) {
  end_ = end;
  status_ = leveldb::Status::Corruption(file_name_,
                                        std::string(cause) + " at offset " + std::to_string(at));
  return false;
}

bool Reader::Stop(LogEnd end) {
  end_ = end;
  return false;
}

}  // namespace lull::log
