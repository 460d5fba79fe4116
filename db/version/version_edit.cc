// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/version/version_edit.h"

#include <set>
#include <utility>

#include "db/base/filename.h"
#include "util/coding.h"

namespace lull {
namespace {

/// The fields of a record. The numbers are part of the file format; 8 is obsolete.
enum class Tag : uint32_t {
  kComparator = 1,
  kLogNumber = 2,
  kNextFileNumber = 3,
  kLastSequence = 4,
  kCompactPointer = 5,
  kDeletedTable = 6,
  kNewTable = 7,
  kPrevLogNumber = 9,
};

bool IsKnown(uint32_t tag) { return tag > 0 && tag <= 9 && tag != 8; }

void PutTag(std::string* out, Tag tag) { PutVarint32(out, static_cast<uint32_t>(tag)); }

void PutNumber(std::string* out, Tag tag, const std::optional<uint64_t>& number) {
  if (!number) return;
  PutTag(out, tag);
  PutVarint64(out, *number);
}

bool GetLevel(leveldb::Slice* input, int* level) {
  uint32_t value;
  if (!GetVarint32(input, &value) || value >= static_cast<uint32_t>(kLevels)) return false;
  *level = static_cast<int>(value);
  return true;
}

bool GetNumber(leveldb::Slice* input, std::optional<uint64_t>* number) {
  uint64_t value;
  if (!GetVarint64(input, &value)) return false;
  *number = value;
  return true;
}

bool GetFileNumber(leveldb::Slice* input, std::optional<uint64_t>* number) {
  return GetNumber(input, number) && **number <= kFileNumberMax;
}

bool GetKey(leveldb::Slice* input, std::string* key) {
  leveldb::Slice bytes;
  ParsedInternalKey parsed;
  if (!GetLengthPrefixed(input, &bytes)) return false;
  if (!ParseInternalKey(bytes, &parsed)) return false;
  key->assign(bytes.data(), bytes.size());
  return true;
}

/// Reads the field after its tag. Returns nullptr, or the field's name if it is malformed.
const char* ReadField(Tag tag, leveldb::Slice* input, VersionEdit* edit) {
  switch (tag) {
    case Tag::kComparator: {
      leveldb::Slice name;
      if (!GetLengthPrefixed(input, &name)) return "comparator name";
      edit->comparator = name.ToString();
      return nullptr;
    }
    case Tag::kLogNumber:
      return GetFileNumber(input, &edit->log_number) ? nullptr : "log number";
    case Tag::kPrevLogNumber:
      return GetFileNumber(input, &edit->prev_log_number) ? nullptr : "previous log number";
    case Tag::kNextFileNumber:
      return GetFileNumber(input, &edit->next_file_number) ? nullptr : "next file number";
    case Tag::kLastSequence:
      if (!GetNumber(input, &edit->last_sequence)) return "last sequence number";
      return *edit->last_sequence <= kMaxStoredSequence ? nullptr : "last sequence number";
    case Tag::kCompactPointer: {
      int level;
      std::string key;
      if (!GetLevel(input, &level) || !GetKey(input, &key)) return "compaction pointer";
      edit->compact_pointers.emplace_back(level, std::move(key));
      return nullptr;
    }
    case Tag::kDeletedTable: {
      int level;
      uint64_t number;
      if (!GetLevel(input, &level) || !GetVarint64(input, &number)) return "deleted file";
      edit->deleted_tables.emplace_back(level, number);
      return nullptr;
    }
    case Tag::kNewTable: {
      TableMeta table;
      if (!GetLevel(input, &table.level)) return "new file's level";
      if (!GetVarint64(input, &table.number) || table.number > kFileNumberMax)
        return "new file's number";
      if (!GetVarint64(input, &table.file_bytes)) return "new file's size";
      if (!GetKey(input, &table.smallest)) return "new file's smallest key";
      if (!GetKey(input, &table.largest)) return "new file's largest key";
      edit->new_tables.push_back(std::move(table));
      return nullptr;
    }
  }
  return nullptr;
}

void AppendLine(std::string* out, const char* name, const std::string& text) {
  out->append("\n  ").append(name).append(": ").append(text);
}

void AppendNumber(std::string* out, const char* name, const std::optional<uint64_t>& number) {
  if (number) AppendLine(out, name, std::to_string(*number));
}

}  // namespace

// In LevelDB's order of fields, so that equal edits have equal bytes.
void VersionEdit::EncodeTo(std::string* out) const {
  if (comparator) {
    PutTag(out, Tag::kComparator);
    PutLengthPrefixed(out, *comparator);
  }
  PutNumber(out, Tag::kLogNumber, log_number);
  PutNumber(out, Tag::kPrevLogNumber, prev_log_number);
  PutNumber(out, Tag::kNextFileNumber, next_file_number);
  PutNumber(out, Tag::kLastSequence, last_sequence);
  for (const auto& [level, key] : compact_pointers) {
    PutTag(out, Tag::kCompactPointer);
    PutVarint32(out, static_cast<uint32_t>(level));
    PutLengthPrefixed(out, key);
  }
  for (const auto& [level, number] : deleted_tables) {
    PutTag(out, Tag::kDeletedTable);
    PutVarint32(out, static_cast<uint32_t>(level));
    PutVarint64(out, number);
  }
  for (const TableMeta& table : new_tables) {
    PutTag(out, Tag::kNewTable);
    PutVarint32(out, static_cast<uint32_t>(table.level));
    PutVarint64(out, table.number);
    PutVarint64(out, table.file_bytes);
    PutLengthPrefixed(out, table.smallest);
    PutLengthPrefixed(out, table.largest);
  }
}

leveldb::Status VersionEdit::DecodeFrom(const leveldb::Slice& record) {
  *this = VersionEdit();
  leveldb::Slice input = record;
  while (!input.empty()) {
    uint32_t tag;
    if (!GetVarint32(&input, &tag))
      return leveldb::Status::Corruption("VersionEdit", "invalid tag");
    if (!IsKnown(tag)) {
      return leveldb::Status::NotSupported(
          "VersionEdit", "unknown tag " + std::to_string(tag) + ", as of another database");
    }
    const char* const bad = ReadField(static_cast<Tag>(tag), &input, this);
    if (bad != nullptr) return leveldb::Status::Corruption("VersionEdit", bad);
  }
  return leveldb::Status::OK();
}

std::string VersionEdit::DebugString() const {
  std::string text = "VersionEdit {";
  if (comparator) AppendLine(&text, "Comparator", *comparator);
  AppendNumber(&text, "LogNumber", log_number);
  AppendNumber(&text, "PrevLogNumber", prev_log_number);
  AppendNumber(&text, "NextFile", next_file_number);
  AppendNumber(&text, "LastSeq", last_sequence);
  for (const auto& [level, key] : compact_pointers) {
    AppendLine(&text, "CompactPointer", std::to_string(level) + " " + KeyText(key));
  }
  // In LevelDB's order, which can differ from the record's.
  const std::set<std::pair<int, uint64_t>> deleted(deleted_tables.begin(), deleted_tables.end());
  for (const auto& [level, number] : deleted) {
    AppendLine(&text, "RemoveFile", std::to_string(level) + " " + std::to_string(number));
  }
  for (const TableMeta& table : new_tables) {
    AppendLine(&text, "AddFile",
               std::to_string(table.level) + " " + std::to_string(table.number) + " " +
                   std::to_string(table.file_bytes) + " " + KeyText(table.smallest) + " .. " +
                   KeyText(table.largest));
  }
  return text + "\n}";
}

}  // namespace lull
