// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// File names, and the content of CURRENT.
//
// Input: the text. Checks: an accepted name is exactly the one that the store would give the file;
// CURRENT names a MANIFEST exactly, or is corrupt.
#include <string>
#include <vector>

#include "db/base/context.h"
#include "db/base/filename.h"
#include "db/version/manifest.h"
#include "leveldb/helpers/memenv.h"
#include "leveldb/options.h"
#include "tests/fuzz/fuzz.h"

namespace lull::fuzz {
namespace {

/// The names that a file of this kind and number can have in a store's directory.
std::vector<std::string> NamesOf(const ParsedFileName& file) {
  const std::string in;
  switch (file.kind) {
    case FileKind::kLog:
      return {LogFileName(in, file.number)};
    case FileKind::kTable:
      return {TableFileName(in, file.number), LegacyTableFileName(in, file.number)};
    case FileKind::kDescriptor:
      return {DescriptorFileName(in, file.number)};
    case FileKind::kTemp:
      return {TempFileName(in, file.number)};
    case FileKind::kCurrent:
      return {CurrentFileName(in)};
    case FileKind::kLock:
      return {LockFileName(in)};
    case FileKind::kInfoLog:
      return {InfoLogFileName(in), OldInfoLogFileName(in)};
  }
  return {};
}

void CheckName(const std::string& text) {
  const std::optional<ParsedFileName> parsed = ParseFileName(text);
  if (!parsed) return;
  Require(parsed->number <= kFileNumberMax, "a number leaves room for more");
  const std::vector<std::string> names = NamesOf(*parsed);
  Require(std::find(names.begin(), names.end(), "/" + text) != names.end(),
          "a file has one name only");
}

void CheckCurrent(const std::string& text) {
  static leveldb::Env* const env = leveldb::NewMemEnv(leveldb::Env::Default());
  static StoreContext* const context = [] {
    leveldb::Options options;
    options.env = env;
    auto* const made = new StoreContext(options);
    made->name = "/store";
    return made;
  }();
  const std::string current = CurrentFileName(context->name);
  RequireOk(leveldb::WriteStringToFile(env, text, current), "memory can be written");
  uint64_t number = 0;
  const leveldb::Status status = ReadCurrent(*context, &number);
  Require(status.ok() || status.IsCorruption(), "a bad CURRENT is corruption");
  if (!status.ok()) return;
  RequireOk(SetCurrentFile(env, context->name, number), "CURRENT is written");
  std::string again;
  RequireOk(leveldb::ReadFileToString(env, current, &again), "CURRENT is read");
  Require(again == text, "CURRENT says what a store would write");
}

}  // namespace

void RunOne(Input input) {
  const std::string text = input.rest().ToString();
  CheckName(text);
  CheckCurrent(text);
}

}  // namespace lull::fuzz
