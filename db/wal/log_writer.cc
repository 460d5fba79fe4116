// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/wal/log_writer.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "util/coding.h"
#include "util/crc32c.h"

namespace lull::log {
namespace {

/// Bytes between `end` and the next start of a block.
size_t SpaceAfter(uint64_t end) { return kBlockBytes - 1 - (end - 1) % kBlockBytes; }

}  // namespace

Writer::Writer(std::unique_ptr<leveldb::WritableFile> file, uint64_t initial_bytes)
    : file_(std::move(file)), bytes_(initial_bytes), block_offset_(initial_bytes % kBlockBytes) {}

Writer::Writer(std::unique_ptr<leveldb::WritableFile> file, FragmentEnds older)
    : file_(std::move(file)),
      bytes_(0),
      block_offset_(0),
      older_(std::move(older)),
      ends_(std::in_place) {
  ends_->Reserve(older_);
  older_from_here_.SkipTo(kBlockBytes);  // the first block of a recycled file is zeroed
}

leveldb::Status Writer::AddRecord(const leveldb::Slice& record) {
  if (!failure_.ok()) return failure_;
  const char* rest = record.data();
  size_t left = record.size();
  bool begun = false;
  do {
    // The end of a block that is too small for a header is zeros. Emit prepends them.
    const size_t space = kBlockBytes - block_offset_;
    const size_t room = (space < kHeaderBytes ? kBlockBytes : space) - kHeaderBytes;
    size_t taken = std::min(left, room);
    const bool ends_marked = ends_ && taken == left;
    if (taken > 0 && ends_marked && SpaceAfter(EndAfter(taken)) < kEndMark.size()) --taken;
    if (taken > 0 && WouldEndAsOlder(taken)) --taken;  // a fragment is always longer than one byte
    const bool ends = taken == left;
    const FragmentType type = begun ? (ends ? FragmentType::kLast : FragmentType::kMiddle)
                                    : (ends ? FragmentType::kFull : FragmentType::kFirst);
    failure_ = Emit(type, rest, taken);
    rest += taken;
    left -= taken;
    begun = true;
  } while (failure_.ok() && left > 0);
  if (failure_.ok()) failure_ = file_->Flush();
  return failure_;
}

/// The log's length after a fragment of `size`.
uint64_t Writer::EndAfter(size_t size) const {
  const size_t space = kBlockBytes - block_offset_;
  return bytes_ + (space < kHeaderBytes ? space : 0) + kHeaderBytes + size;
}

/// Whether this fragment would end where an older log has a header. Readers look for no header in
/// the last bytes of a block, and each block began with zeros.
bool Writer::WouldEndAsOlder(size_t size) {
  const uint64_t end = EndAfter(size);
  return SpaceAfter(end) >= kHeaderBytes && older_from_here_.SkipTo(end) == end;
}

FragmentEnds Writer::TakeEnds() {
  ends_->AddRest(older_);
  return *std::move(ends_);
}

leveldb::Status Writer::Emit(FragmentType type, const char* data, size_t size) {
  const size_t space = kBlockBytes - block_offset_;
  const size_t tail_bytes = space < kHeaderBytes ? space : 0;
  const size_t total = tail_bytes + kHeaderBytes + size;
  if (scratch_.size() < total) scratch_.resize(total);
  if (ends_) ends_->Add(bytes_ + total);

  char* const header = scratch_.data() + tail_bytes;
  std::memset(scratch_.data(), 0, tail_bytes);
  EncodeFixed16(header + 4, static_cast<uint16_t>(size));
  header[6] = static_cast<char>(type);
  if (size > 0) std::memcpy(header + kHeaderBytes, data, size);
  EncodeFixed32(header, crc32c::Mask(crc32c::Value(header + 6, 1 + size)));

  // Count the bytes even on failure: it is unknown how many reached the file.
  bytes_ += total;
  block_offset_ = (block_offset_ + total) % kBlockBytes;
  return file_->Append({scratch_.data(), total});
}

leveldb::Status Writer::Sync() {
  if (failure_.ok()) failure_ = file_->Sync();
  return failure_;
}

leveldb::Status Writer::Close() {
  const leveldb::Status closed = file_->Close();
  if (failure_.ok()) failure_ = closed;
  return failure_;
}

}  // namespace lull::log
