// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The lists of backups, and the names of the copies in them.
//
// Input: a flag, then a list; with bit 0 of the flag, without its last line, which the target adds
// with the right checksum. Checks: a list that is accepted survives being written and read; its
// MANIFEST record and its tables agree; a name is accepted only in the form in which it is written.
#include <cstdio>
#include <string>

#include "db/backup/backup_list.h"
#include "tests/fuzz/fuzz.h"
#include "util/crc32c.h"

namespace lull::fuzz {
namespace {

std::string WithLastLine(const std::string& lines) {
  char last[16];
  std::snprintf(last, sizeof(last), "end %08x\n",
                static_cast<unsigned>(crc32c::Value(lines.data(), lines.size())));
  return lines + last;
}

void CheckName(const std::string& text) {
  const auto name = DataName::FromText(text);
  if (name) Require(name->ToText() == text, "a copy has one name", text);
}

void CheckList(const BackupList& list) {
  Require(list.info.files == list.tables.size(), "the tables are counted");
  Require(list.edit.new_tables.size() == list.tables.size(), "each table is in the record");
  BackupList again;
  RequireOk(again.FromText("again", list.ToText()), "a list that was read can be written and read");
  Require(again.edit == list.edit && again.tables == list.tables, "a list survives being written");
  Require(again.info.id == list.info.id && again.info.unix_seconds == list.info.unix_seconds &&
              again.info.new_files == list.info.new_files &&
              again.info.new_bytes == list.info.new_bytes,
          "the description survives being written");
}

}  // namespace

void RunOne(Input input) {
  const bool add_last_line = (input.Byte() & 1) != 0;
  std::string text = input.rest().ToString();
  CheckName(text);
  if (add_last_line) text = WithLastLine(text);
  const Exact bytes{leveldb::Slice(text)};
  BackupList list;
  const leveldb::Status status = list.FromText("list", bytes.slice());
  Require(status.ok() || status.IsCorruption() || status.IsNotSupportedError(),
          "a bad list is corruption, or of a later version");
  if (status.ok()) CheckList(list);
}

}  // namespace lull::fuzz
