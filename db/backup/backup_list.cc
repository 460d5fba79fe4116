// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/backup/backup_list.h"

#include <charconv>
#include <utility>

#include "util/crc32c.h"
#include "util/logging.h"

namespace lull {
namespace {

using leveldb::Slice;
using leveldb::Status;

constexpr char kFirstLine[] = "lull-backup 1";
constexpr char kFirstWord[] = "lull-backup ";
constexpr size_t kCrcDigits = 8;
/// "end ", the checksum of all bytes before it, and a newline.
constexpr size_t kEndBytes = 4 + kCrcDigits + 1;

std::string CrcText(uint32_t crc) { return Format("%08x", static_cast<unsigned>(crc)); }

std::string HexOf(const std::string& bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  for (const char byte : bytes) AppendHex(byte, &text);
  return text;
}

bool Consume(Slice* input, const Slice& expected) {
  if (!input->starts_with(expected)) return false;
  input->remove_prefix(expected.size());
  return true;
}

/// Reads a checksum as CrcText writes it.
bool ConsumeCrc(Slice* input, uint32_t* crc) {
  if (input->size() < kCrcDigits) return false;
  *crc = 0;
  std::from_chars(input->data(), input->data() + kCrcDigits, *crc, 16);
  return Consume(input, CrcText(*crc));
}

/// The inverse of HexOf; returns false for any text that HexOf does not return.
bool BytesOfHex(const Slice& text, std::string* bytes) {
  bytes->clear();
  for (size_t i = 0; i + 1 < text.size(); i += 2) {
    unsigned char byte = 0;
    std::from_chars(text.data() + i, text.data() + i + 2, byte, 16);
    bytes->push_back(static_cast<char>(byte));
  }
  return text == Slice(HexOf(*bytes));
}

/// Reads " N" from the front.
bool ConsumeField(Slice* input, uint64_t* value) {
  return Consume(input, " ") && ConsumeDecimal(input, value);
}

/// Reads the lines of a list, without the last one.
class ListReader {
 public:
  ListReader(std::string path, const Slice& text) : path_(std::move(path)), rest_(text) {}

  Status Read(BackupList* list);

 private:
  bool NextLine(Slice* line);
  bool ReadInfo(Slice line, BackupInfo* info) const;
  bool ReadEdit(Slice line, VersionEdit* edit) const;
  bool ReadTable(Slice line, BackedUpTable* table) const;
  Status Wrong(const std::string& what) const {
    return Status::Corruption(path_, "line " + std::to_string(line_) + ": " + what);
  }
  Status Check(const BackupList& list) const;

  const std::string path_;
  Slice rest_;
  uint64_t line_ = 0;
};

bool ListReader::NextLine(Slice* line) {
  if (rest_.empty()) return false;
  ++line_;
  size_t length = 0;
  while (length < rest_.size() && rest_[length] != '\n') ++length;
  *line = Slice(rest_.data(), length);
  rest_.remove_prefix(length < rest_.size() ? length + 1 : length);
  return true;
}

bool ListReader::ReadInfo(Slice line, BackupInfo* info) const {
  return Consume(&line, "backup") && ConsumeField(&line, &info->id) &&
         ConsumeField(&line, &info->unix_seconds) && ConsumeField(&line, &info->new_files) &&
         ConsumeField(&line, &info->new_bytes) && line.empty();
}

bool ListReader::ReadEdit(Slice line, VersionEdit* edit) const {
  std::string record;
  return Consume(&line, "manifest ") && BytesOfHex(line, &record) && edit->DecodeFrom(record).ok();
}

bool ListReader::ReadTable(Slice line, BackedUpTable* table) const {
  if (!Consume(&line, "table") || !ConsumeField(&line, &table->number) || !Consume(&line, " "))
    return false;
  size_t length = 0;
  while (length < line.size() && line[length] != ' ') ++length;
  const auto name = DataName::FromText(std::string(line.data(), length));
  if (!name) return false;
  table->data = *name;
  line.remove_prefix(length);
  if (line.empty()) return true;
  FileStamp stamp;
  if (!ConsumeField(&line, &stamp.inode) || !ConsumeField(&line, &stamp.modified_nanos) ||
      !line.empty())
    return false;
  table->stamp = stamp;
  return true;
}

Status ListReader::Read(BackupList* list) {
  Slice line;
  if (!NextLine(&line) || !line.starts_with(kFirstWord))
    return Wrong("this is no list of a backup");
  if (line != Slice(kFirstLine))
    return Status::NotSupported(path_, "a later version of Lull wrote this backup");
  if (!NextLine(&line) || !ReadInfo(line, &list->info)) return Wrong("malformed description");
  if (!NextLine(&line) || !ReadEdit(line, &list->edit)) return Wrong("malformed MANIFEST record");
  while (NextLine(&line)) {
    BackedUpTable table;
    if (!ReadTable(line, &table)) return Wrong("malformed table");
    list->tables.push_back(table);
    ++list->info.files;
    list->info.bytes += table.bytes();
  }
  return Check(*list);
}

/// The record must describe a store that opens, with exactly the listed tables.
Status ListReader::Check(const BackupList& list) const {
  const VersionEdit& edit = list.edit;
  bool agree = edit.comparator && edit.log_number && edit.last_sequence &&
               edit.next_file_number.value_or(0) > 1 && edit.deleted_tables.empty() &&
               edit.new_tables.size() == list.tables.size();
  for (size_t i = 0; agree && i < list.tables.size(); ++i) {
    agree = edit.new_tables[i].number == list.tables[i].number &&
            edit.new_tables[i].file_bytes == list.tables[i].bytes() &&
            list.tables[i].number < *edit.next_file_number - 1;
  }
  if (agree) return Status::OK();
  return Status::Corruption(path_, "the MANIFEST record and the tables disagree");
}

}  // namespace

std::string DataName::ToText() const {
  std::string text = CrcText(sum.crc) + "-" + std::to_string(sum.bytes);
  if (twin > 0) text += "-" + std::to_string(twin);
  return text + ".ldb";
}

std::optional<DataName> DataName::FromText(const std::string& text) {
  DataName name;
  Slice rest(text);
  if (!ConsumeCrc(&rest, &name.sum.crc) || !Consume(&rest, "-") ||
      !ConsumeDecimal(&rest, &name.sum.bytes))
    return std::nullopt;
  if (Consume(&rest, "-") && !ConsumeDecimal(&rest, &name.twin)) return std::nullopt;
  if (name.ToText() != text) return std::nullopt;
  return name;
}

std::string BackupList::ToText() const {
  std::string record;
  edit.EncodeTo(&record);
  std::string text = std::string(kFirstLine) + "\n";
  text += "backup";
  for (const uint64_t field : {info.id, info.unix_seconds, info.new_files, info.new_bytes})
    text += " " + std::to_string(field);
  text += "\nmanifest " + HexOf(record) + "\n";
  for (const BackedUpTable& table : tables) {
    text += "table " + std::to_string(table.number) + " " + table.data.ToText();
    if (table.stamp) {
      text += " " + std::to_string(table.stamp->inode) + " " +
              std::to_string(table.stamp->modified_nanos);
    }
    text += "\n";
  }
  return text + "end " + CrcText(crc32c::Value(text.data(), text.size())) + "\n";
}

Status BackupList::FromText(const std::string& path, const Slice& text) {
  *this = {};
  const size_t end = text.size() < kEndBytes ? 0 : text.size() - kEndBytes;
  Slice last(text.data() + end, text.size() - end);
  uint32_t crc = 0;
  if (!Consume(&last, "end ") || !ConsumeCrc(&last, &crc) || last != Slice("\n"))
    return Status::Corruption(path, "is cut short, or is no list of a backup");
  const uint32_t actual = crc32c::Value(text.data(), end);
  if (crc != actual) {
    return Status::Corruption(path, "its checksum is " + CrcText(actual) + ", not " + CrcText(crc));
  }
  return ListReader(path, Slice(text.data(), end)).Read(this);
}

}  // namespace lull
