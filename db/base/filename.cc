// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/base/filename.h"

#include <vector>

#include "leveldb/slice.h"
#include "util/file_util.h"
#include "util/logging.h"

namespace lull {
namespace {

constexpr char kDescriptorPrefix[] = "MANIFEST-";

std::string DescriptorBaseName(uint64_t number) { return kDescriptorPrefix + PaddedNumber(number); }

std::string In(const std::string& store, const std::string& base) { return store + "/" + base; }

}  // namespace

std::string PaddedNumber(uint64_t number) {
  const std::string digits = std::to_string(number);
  return std::string(digits.size() < 6 ? 6 - digits.size() : 0, '0') + digits;
}

std::string LogFileName(const std::string& store, uint64_t number) {
  return In(store, PaddedNumber(number) + ".log");
}

std::string TableFileName(const std::string& store, uint64_t number) {
  return In(store, PaddedNumber(number) + ".ldb");
}

std::string LegacyTableFileName(const std::string& store, uint64_t number) {
  return In(store, PaddedNumber(number) + ".sst");
}

std::string ExistingTableFileName(leveldb::Env* env, const std::string& store, uint64_t number) {
  const std::string path = TableFileName(store, number);
  const std::string legacy = LegacyTableFileName(store, number);
  return !env->FileExists(path) && env->FileExists(legacy) ? legacy : path;
}

std::string DescriptorFileName(const std::string& store, uint64_t number) {
  return In(store, DescriptorBaseName(number));
}

std::string CurrentFileName(const std::string& store) { return In(store, "CURRENT"); }

std::string LockFileName(const std::string& store) { return In(store, "LOCK"); }

std::string TempFileName(const std::string& store, uint64_t number) {
  return In(store, PaddedNumber(number) + ".dbtmp");
}

std::string InfoLogFileName(const std::string& store) { return In(store, "LOG"); }

std::string OldInfoLogFileName(const std::string& store) { return In(store, "LOG.old"); }

std::string LostDirectoryName(const std::string& store) { return In(store, "lost"); }

std::string ParentDirectoryName(std::string store) {
  while (store.size() > 1 && store.back() == '/') store.pop_back();
  const size_t slash = store.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : store.substr(0, slash);
}

std::optional<ParsedFileName> ParseFileName(const std::string& name) {
  if (name == "CURRENT") return ParsedFileName{FileKind::kCurrent, 0};
  if (name == "LOCK") return ParsedFileName{FileKind::kLock, 0};
  if (name == "LOG" || name == "LOG.old") return ParsedFileName{FileKind::kInfoLog, 0};

  leveldb::Slice rest(name);
  const bool is_descriptor = rest.starts_with(kDescriptorPrefix);
  if (is_descriptor) rest.remove_prefix(sizeof(kDescriptorPrefix) - 1);
  const leveldb::Slice from_number = rest;
  uint64_t number = 0;
  if (!ConsumeDecimal(&rest, &number) || number > kFileNumberMax) return std::nullopt;
  // A store opens 000007.log, so 7.log is not its file.
  if (leveldb::Slice(from_number.data(), from_number.size() - rest.size()) != PaddedNumber(number))
    return std::nullopt;
  if (is_descriptor) {
    if (!rest.empty()) return std::nullopt;
    return ParsedFileName{FileKind::kDescriptor, number};
  }
  if (rest == ".log") return ParsedFileName{FileKind::kLog, number};
  if (rest == ".ldb" || rest == ".sst") return ParsedFileName{FileKind::kTable, number};
  if (rest == ".dbtmp") return ParsedFileName{FileKind::kTemp, number};
  return std::nullopt;
}

FileTotals TotalsOf(leveldb::Env* env, const std::string& dir,
                    const std::function<bool(const std::string&)>& counts) {
  std::vector<std::string> names;
  env->GetChildren(dir, &names);
  FileTotals totals;
  for (const std::string& name : names) {
    uint64_t bytes = 0;
    if (!counts(name) || !env->GetFileSize(dir + "/" + name, &bytes).ok()) continue;
    ++totals.count;
    totals.bytes += bytes;
  }
  return totals;
}

leveldb::Status WriteCurrent(leveldb::Env* env, const std::string& store, const std::string& text,
                             const std::string& temp) {
  leveldb::Status status = WriteStringToFileSync(env, text, temp);
  if (!status.ok()) return status;  // the temp file is already removed
  status = env->RenameFile(temp, CurrentFileName(store));
  if (!status.ok()) {
    env->RemoveFile(temp);
    return status;
  }
  return SyncNamesIn(env, store);
}

leveldb::Status SetCurrentFile(leveldb::Env* env, const std::string& store,
                               uint64_t descriptor_number) {
  return WriteCurrent(env, store, DescriptorBaseName(descriptor_number) + "\n",
                      TempFileName(store, descriptor_number));
}

}  // namespace lull
