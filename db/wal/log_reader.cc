// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/wal/log_reader.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "util/coding.h"
#include "util/crc32c.h"

namespace lull::log {
namespace {

/// The fragment at the front of a byte range, and whether it is intact.
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
  return bytes.empty() ||
         (bytes[0] == 0 && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0);
}

/// REQUIRES: `bytes` end within one block.
Fragment ParseFragment(const leveldb::Slice& bytes) {
  Fragment fragment;
  if (bytes.size() < kHeaderBytes) {
    if (AllZero(bytes)) fragment.state = Fragment::State::kUnused;
    return fragment;
  }
  const char* const header = bytes.data();
  fragment.type = static_cast<uint8_t>(header[6]);
  const uint16_t length = DecodeFixed16(header + 4);
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

/// Skips from header to header, whatever the checksums. Returns the rest from the first bytes that
/// are no header: zeros, or nothing at the end of a block or log.
leveldb::Slice FollowHeaders(leveldb::Slice bytes) {
  while (bytes.size() >= kHeaderBytes) {
    const Fragment fragment = ParseFragment(bytes);
    const bool is_header = fragment.state == Fragment::State::kIntact ||
                           fragment.state == Fragment::State::kBadChecksum;
    const bool has_type =
        fragment.type > 0 && fragment.type <= static_cast<uint8_t>(FragmentType::kLast);
    if (!is_header || !has_type) break;
    bytes.remove_prefix(fragment.TotalBytes());
  }
  return bytes;
}

/// Whether the log, in a recycled file, ends before these bytes.
bool IsEndMark(const leveldb::Slice& bytes) {
  return bytes.starts_with({kEndMark.data(), kEndMark.size()});
}

/// Whether the checksum fits another length than the header's: then only the length is wrong.
bool FitsAnotherLength(const leveldb::Slice& bytes) {
  if (bytes.size() < kHeaderBytes) return false;
  const uint32_t wanted = crc32c::Unmask(DecodeFixed32(bytes.data()));
  uint32_t crc = crc32c::Value(bytes.data() + 6, 1);
  for (size_t end = kHeaderBytes; crc != wanted; ++end) {
    if (end == bytes.size()) return false;
    crc = crc32c::Extend(crc, bytes.data() + end, 1);
  }
  return true;
}

/// Whether this bad fragment ends so near the end of its block that in a recycled file the writer
/// went on in the next one; see log_writer.h.
bool GoesOnInNextBlock(const leveldb::Slice& bytes) {
  const Fragment fragment = ParseFragment(bytes);
  return fragment.state == Fragment::State::kBadChecksum &&
         bytes.size() - fragment.TotalBytes() < kEndMark.size() && !FitsAnotherLength(bytes);
}

/// Whether the first `size` of `bytes`, which begin at `offset`, have no part in some sector: from
/// there, or from their start, to its end it reads as zeros.
bool LacksSector(const leveldb::Slice& bytes, size_t size, uint64_t offset) {
  constexpr size_t kSectorBytes = 512;
  const auto sector_end = [&](size_t at) {
    return std::min(bytes.size(), at + kSectorBytes - (offset + at) % kSectorBytes);
  };
  const auto is_zero_from = [&](size_t at) {
    return AllZero({bytes.data() + at, sector_end(at) - at});
  };
  // A header is written before its type, which is never zero.
  const bool has_type = bytes.size() <= kHeaderBytes || bytes[kHeaderBytes - 1] != 0;
  if (!has_type && is_zero_from(kHeaderBytes)) return true;
  for (size_t at = 0; at < size; at = sector_end(at)) {
    if (is_zero_from(at)) return true;
  }
  return false;
}

const char* CauseOf(Fragment::State fault) {
  switch (fault) {
    case Fragment::State::kUnused:
      return "zeros before records";
    case Fragment::State::kCutShort:
      return "a fragment that extends beyond its block";
    default:
      return "a bad checksum";
  }
}

}  // namespace

Reader::Reader(std::unique_ptr<leveldb::SequentialFile> file, std::string file_name, IsOwn is_own,
               leveldb::Env* env)
    : file_(std::move(file)),
      file_name_(std::move(file_name)),
      is_own_(is_own ? std::move(is_own) : [](const leveldb::Slice&) { return true; }),
      env_(env),
      block_(std::make_unique_for_overwrite<char[]>(kBlockBytes)) {}

bool Reader::ReadRecord(leveldb::Slice* record) {
  if (end_ != LogEnd::kNone) return false;
  uint64_t record_offset = 0;
  FragmentType type;
  leveldb::Slice payload;
  while (NextFragment(&type, &payload)) {
    const uint64_t fragment_offset = offset() - kHeaderBytes - payload.size();
    const bool begins = type == FragmentType::kFull || type == FragmentType::kFirst;
    if (begins) {
      record_offset = fragment_offset;
      if (fault_ && is_own_(payload)) fault_->precedes_record = true;
    }
    switch (type) {
      case FragmentType::kFull:
        *record = payload;
        break;
      case FragmentType::kFirst:
        in_record_ = true;
        assembled_.assign(payload.data(), payload.size());
        continue;
      case FragmentType::kMiddle:
      case FragmentType::kLast:
        if (!in_record_) {
          if (!RefuseFragment(fragment_offset, "a record without its start")) return false;
          continue;
        }
        assembled_.append(payload.data(), payload.size());
        if (type == FragmentType::kMiddle) continue;
        *record = assembled_;
        break;
      default:
        if (!RefuseFragment(fragment_offset, "an unknown type of fragment")) return false;
        continue;
    }
    in_record_ = false;
    last_record_offset_ = record_offset;
    valid_bytes_ = offset();
    return true;
  }
  return false;
}

leveldb::Status Reader::TakeSkipped() {
  const std::optional<Fault> fault = std::exchange(fault_, std::nullopt);
  if (!fault) return leveldb::Status::OK();
  return leveldb::Status::Corruption(
      file_name_, std::string(fault->cause) + " at offset " + std::to_string(fault->offset) +
                      "; the next record that can be read begins at offset " +
                      std::to_string(last_record_offset_));
}

bool Reader::NextFragment(FragmentType* type, leveldb::Slice* payload) {
  for (;;) {
    // The end of a full block is unused if it is too small for a header.
    const bool block_is_done = rest_.size() < kHeaderBytes && block_end_offset_ % kBlockBytes == 0;
    if ((rest_.empty() || block_is_done) && !FillBlock()) {
      return end_ == LogEnd::kNone && StopAtEnd();
    }
    const Fragment fragment = ParseFragment(rest_);
    if (fragment.state == Fragment::State::kIntact) {
      *type = static_cast<FragmentType>(fragment.type);
      *payload = fragment.payload;
      rest_.remove_prefix(fragment.TotalBytes());
      return true;
    }
    if (stops_at_zeros_ && fragment.state == Fragment::State::kUnused) return Stop(EndIfLast());
    if (skips_faults_) {
      NoteFault(offset(), CauseOf(fragment.state), EndIfLast());
      SkipFault();
    } else if (EndAtFault(CauseOf(fragment.state))) {
      return false;
    }
  }
}

/// How the log ends if no record begins after the bad fragment at the front of rest_.
/// `is_recycled`: the file certainly is. It can be, if an older record follows in the block.
LogEnd Reader::EndIfLast(bool is_recycled) const {
  const Fragment fragment = ParseFragment(rest_);
  if (fragment.state == Fragment::State::kUnused)
    return in_record_ ? LogEnd::kTorn : LogEnd::kClean;
  if (FitsAnotherLength(rest_)) return LogEnd::kBadLast;
  const bool has_end = fragment.state == Fragment::State::kBadChecksum;
  const bool is_header =
      rest_.size() < kHeaderBytes || fragment.type <= static_cast<uint8_t>(FragmentType::kLast);
  const bool file_ends = block_end_offset_ % kBlockBytes != 0;
  if (!has_end && is_header && file_ends) return LogEnd::kTorn;
  leveldb::Slice after = rest_;
  after.remove_prefix(has_end ? fragment.TotalBytes() : rest_.size());
  if (LacksSector(rest_, rest_.size() - after.size(), offset())) return LogEnd::kTorn;
  // In a recycled file each append ends with a mark. (Elsewhere zeros follow.)
  const std::string_view mark = kEndMark.substr(0, is_recycled ? kEndMark.size() : kHeaderBytes);
  const bool has_mark = after.starts_with({mark.data(), std::min(after.size(), mark.size())});
  const bool goes_on = ParseFragment(after).state == Fragment::State::kIntact;
  const bool is_whole = has_end && (has_mark || goes_on);
  const bool may_be_torn = is_recycled || HoldsRecordStart(rest_, /*own=*/false);
  return is_whole || !may_be_torn ? LogEnd::kBadLast : LogEnd::kTorn;
}

/// Handles a fragment with a correct checksum at an impossible position. Returns whether to
/// continue.
bool Reader::RefuseFragment(uint64_t at, const char* cause) {
  if (!skips_faults_) return Stop(LogEnd::kCorrupt, at, cause);
  NoteFault(at, cause, LogEnd::kBadLast);
  return true;
}

void Reader::NoteFault(uint64_t at, const char* cause, LogEnd if_last) {
  in_record_ = false;
  if (!fault_) fault_ = Fault{at, cause, if_last};
}

bool Reader::StopAtEnd() {
  if (!fault_) return Stop(in_record_ ? LogEnd::kTorn : LogEnd::kClean);
  return Stop(fault_->precedes_record ? LogEnd::kCorrupt : fault_->if_last, fault_->offset,
              fault_->cause);
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

/// Ends the reading at a fault at the front of rest_, as kCorrupt if a record begins after it.
/// Returns false if the fault was only the end of a growing log; then rest_ begins with an intact
/// fragment.
bool Reader::EndAtFault(const char* cause) {
  const uint64_t fault_offset = offset();
  LogEnd if_last = EndIfLast();
  LogEnd if_recycled = EndIfLast(/*is_recycled=*/true);
  const bool goes_on = GoesOnInNextBlock(rest_);
  bool begins = HoldsRecordStart(rest_);
  for (bool is_next = true; !begins && FillBlock(); is_next = false) {
    begins = BlockHoldsRecordStart(rest_);
    if (!IsEndMark(rest_)) continue;
    // If the next block has no part of the record, the append did not get there.
    if (is_next && goes_on) if_recycled = LogEnd::kTorn;
    if_last = if_recycled;
  }
  if (end_ == LogEnd::kError) return true;
  const LogEnd end = begins ? LogEnd::kCorrupt : if_last;
  if (IsDamage(end) && env_ != nullptr && ReadBlockAgain(fault_offset)) return false;
  if (end_ != LogEnd::kError) Stop(end, fault_offset, cause);
  return true;
}

/// Reads the block of `offset` from the file that now has the name; rest_ then begins there.
/// Returns false on an error, or if the file is shorter.
bool Reader::ReopenAt(uint64_t offset) {
  const uint64_t block_offset = offset - offset % kBlockBytes;
  leveldb::SequentialFile* raw = nullptr;
  status_ = env_->NewSequentialFile(file_name_, &raw);
  if (status_.ok()) {
    file_.reset(raw);
    status_ = file_->Skip(block_offset);
  }
  if (!status_.ok()) {
    end_ = LogEnd::kError;
    return false;
  }
  at_eof_ = false;
  block_end_offset_ = block_offset;
  FillBlock();
  if (end_ == LogEnd::kError || rest_.size() < offset - block_offset) return false;
  rest_.remove_prefix(offset - block_offset);
  return true;
}

/// Reads the block of a fault again. Returns whether an intact fragment is now at `offset`.
bool Reader::ReadBlockAgain(uint64_t offset) {
  return ReopenAt(offset) && ParseFragment(rest_).state == Fragment::State::kIntact;
}

void Reader::ContinueAt(uint64_t offset) {
  end_ = LogEnd::kNone;
  in_record_ = false;
  valid_bytes_ = offset;
  if (ReopenAt(offset) || end_ == LogEnd::kError) return;
  status_ = leveldb::Status::IOError(file_name_, "was shortened while it was read");
  end_ = LogEnd::kError;
}

/// Moves rest_ from the fault at its front to the next readable record in this block, or to the end
/// of the block.
void Reader::SkipFault() {
  // Records of an older log can follow in the block. Only a record of this log shows which ones
  // they are. The first block of a recycled file was zeroed.
  const bool in_first_block = offset() < kBlockBytes;
  if (IsEndMark(rest_) || (valid_bytes_ == 0 && !in_first_block)) {
    rest_.clear();
    return;
  }
  const Fragment bad = ParseFragment(rest_);
  if (bad.state == Fragment::State::kBadChecksum) {
    leveldb::Slice next = rest_;
    next.remove_prefix(bad.TotalBytes());
    const leveldb::Slice end = FollowHeaders(next);
    if (end.size() < kHeaderBytes || ParseFragment(end).state == Fragment::State::kUnused) {
      rest_ = next;  // the length in its header is right
      return;
    }
  }
  for (rest_.remove_prefix(1); rest_.size() >= kHeaderBytes; rest_.remove_prefix(1)) {
    const char type = rest_[6];
    const bool may_begin = type == static_cast<char>(FragmentType::kFull) ||
                           type == static_cast<char>(FragmentType::kFirst);
    if (!may_begin) continue;
    const Fragment fragment = ParseFragment(rest_);
    if (fragment.BeginsRecord() && is_own_(fragment.payload) && AllZero(FollowHeaders(rest_)))
      return;
  }
  rest_.clear();
}

/// Whether a record, of this log or else of an older one, begins anywhere in `bytes`, a part of one
/// block. After a fault it can be at any byte, since the fault can be a wrong length. What follows
/// an end mark is an older log's, and its values can contain logs.
bool Reader::HoldsRecordStart(leveldb::Slice bytes, bool own) const {
  if (IsEndMark(bytes)) return false;
  for (; bytes.size() >= kHeaderBytes; bytes.remove_prefix(1)) {
    const char type = bytes[6];
    const bool may_begin = type == static_cast<char>(FragmentType::kFull) ||
                           type == static_cast<char>(FragmentType::kFirst);
    if (!may_begin) continue;
    const Fragment fragment = ParseFragment(bytes);
    if (fragment.BeginsRecord() && is_own_(fragment.payload) == own) return true;
  }
  return false;
}

/// The same for a whole block. Intact fragments at its start can contain logs, as values. Without a
/// record of this log, those after a fault can be of an older one.
bool Reader::BlockHoldsRecordStart(leveldb::Slice block) const {
  while (block.size() >= kHeaderBytes) {
    const Fragment fragment = ParseFragment(block);
    if (fragment.state != Fragment::State::kIntact)
      return valid_bytes_ > 0 && !AllZero(block) && HoldsRecordStart(block);
    if (fragment.BeginsRecord() && is_own_(fragment.payload)) return true;
    block.remove_prefix(fragment.TotalBytes());
  }
  return false;
}

bool Reader::Stop(LogEnd end, uint64_t at, const char* cause) {
  end_ = end;
  file_.reset();
  if (IsDamage(end)) {
    status_ = leveldb::Status::Corruption(file_name_,
                                          std::string(cause) + " at offset " + std::to_string(at));
  }
  return false;
}

}  // namespace lull::log
