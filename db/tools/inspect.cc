// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// stats, levels and manifest: reports from a store's files.
#include "db/tools/inspect.h"

#include <memory>
#include <utility>

#include "db/base/filename.h"
#include "db/compaction/picker.h"
#include "db/read/table_cache.h"
#include "db/recovery/live_store.h"
#include "db/recovery/lost_files.h"
#include "db/tools/commands.h"
#include "db/version/version_edit.h"
#include "db/wal/log_reader.h"
#include "util/file_util.h"
#include "util/grace.h"
#include "util/logging.h"

namespace lull::tools {

using leveldb::Status;

Status Inspect(const std::string& directory, InspectedStore* store) {
  store->context.name = directory;
  store->manifest = ManifestState();
  const Status status = CheckIsStore(store->context);
  if (!status.ok()) return status;
  return ReadManifest(&store->context, DescribedTable, &store->manifest);
}

namespace {

Json TableJson(const TableMeta& table, int level, Coding coding) {
  return {{"number", table.number},
          {"level", level},
          {"bytes", table.file_bytes},
          {"smallest", Encode(UserKeyOf(table.smallest), coding)},
          {"largest", Encode(UserKeyOf(table.largest), coding)}};
}

/// Reads what the tables contain. A table that cannot be read, perhaps since a running program
/// deleted it meanwhile, keeps unknown contents.
void ReadTableContents(const InspectedStore& store) {
  GraceDomain grace;
  const TableCache tables(&store.context, &grace, [] {});
  for (int level = 0; level < kLevels; ++level) {
    for (const TableRef& table : store.manifest.version->level(level)) {
      std::unique_ptr<TableReader> reader;
      if (tables.OpenPrivately(*table, &reader).ok()) table->contents = ReadContents(*reader);
    }
  }
}

/// "L1: 3 tables, 5.2 MiB; about 1000 values, 20 deletions; deletions hide 100 B".
std::string LevelText(const Version& version, int level, const TableSpace& space, uint64_t hidden) {
  std::string text =
      "L" + std::to_string(level) + ": " + std::to_string(version.TableCount(level)) + " tables, " +
      BytesText(version.LevelBytes(level)) + "; about " + std::to_string(space.values) +
      " values, " + std::to_string(space.deletions) + " deletions";
  if (hidden > 0) text += "; deletions hide " + BytesText(hidden);
  if (space.unknown_bytes > 0) text += "; not readable: " + BytesText(space.unknown_bytes);
  return text;
}

Json StatsJson(const InspectedStore& store) {
  const ManifestState& manifest = store.manifest;
  const auto is_needed_log = [&](const std::string& name) {
    const std::optional<ParsedFileName> parsed = ParseFileName(name);
    return parsed && parsed->kind == FileKind::kLog && parsed->number >= manifest.log_number;
  };
  const FileTotals logs = TotalsOf(store.context.env(), store.context.name, is_needed_log);
  // Set aside by an earlier repair or open.
  const FileTotals lost = LostTotals(store.context.env(), store.context.name);
  Json levels = Json::array();
  FileTotals tables;
  for (int level = 0; level < kLevels; ++level) {
    const auto count = static_cast<uint64_t>(manifest.version->TableCount(level));
    const uint64_t bytes = manifest.version->LevelBytes(level);
    tables.count += count;
    tables.bytes += bytes;
    levels.push_back({{"level", level}, {"tables", count}, {"bytes", bytes}});
  }
  return {{"store", store.context.name},
          {"tables", tables.count},
          {"table_bytes", tables.bytes},
          {"logs", logs.count},
          {"log_bytes", logs.bytes},
          {"lost_files", lost.count},
          {"lost_bytes", lost.bytes},
          {"last_sequence", manifest.last_sequence},
          {"manifest_number", manifest.manifest_number},
          {"log_number", manifest.log_number},
          {"levels", std::move(levels)}};
}

Json EditJson(const VersionEdit& edit, uint64_t offset, Coding coding) {
  Json json{{"offset", offset}};
  if (edit.comparator) json["comparator"] = *edit.comparator;
  if (edit.log_number) json["log_number"] = *edit.log_number;
  if (edit.prev_log_number) json["prev_log_number"] = *edit.prev_log_number;
  if (edit.next_file_number) json["next_file_number"] = *edit.next_file_number;
  if (edit.last_sequence) json["last_sequence"] = *edit.last_sequence;
  for (const auto& [level, key] : edit.compact_pointers) {
    json["compact_pointers"].push_back({{"level", level}, {"key", Encode(UserKeyOf(key), coding)}});
  }
  for (const auto& [level, number] : edit.deleted_tables) {
    json["deleted_tables"].push_back({{"level", level}, {"number", number}});
  }
  for (const TableMeta& table : edit.new_tables) {
    json["new_tables"].push_back(TableJson(table, table.level, coding));
  }
  return json;
}

/// Finds the file to print: `path` itself, or the MANIFEST that CURRENT in directory `path` names.
Status FindManifest(const std::string& path, std::string* file) {
  StoreContext context{leveldb::Options()};
  context.name = *file = path;
  bool exists = false;
  Status status = FindFile(context.env(), path, &exists);
  if (exists && !IsDirectory(context.env(), path)) return status;
  uint64_t number = 0;
  if (status.ok()) status = CheckIsStore(context);
  if (status.ok()) status = ReadCurrent(context, &number);
  if (status.ok()) *file = DescriptorFileName(path, number);
  return status;
}

}  // namespace

uint64_t TableBytesIn(const std::string& directory) {
  const auto is_table = [](const std::string& name) {
    const std::optional<ParsedFileName> parsed = ParseFileName(name);
    return parsed && parsed->kind == FileKind::kTable;
  };
  return TotalsOf(leveldb::Env::Default(), directory, is_table).bytes;
}

int RunStats(const Invocation& call) {
  InspectedStore store(OptionsOf(call));
  const Status status = Inspect(call.store, &store);
  if (!status.ok()) return Fail(status, call.json);
  const Json stats = StatsJson(store);
  const auto number = [&](const char* name) { return stats[name].dump(); };
  const auto bytes = [&](const char* name) { return BytesText(stats[name].get<uint64_t>()); };
  std::string text = number("tables") + " tables with " + bytes("table_bytes") + ", " +
                     number("logs") + " logs with " + bytes("log_bytes") + ", last sequence " +
                     number("last_sequence") + "\n";
  if (stats["lost_files"] > 0) {
    text += number("lost_files") + " files with " + bytes("lost_bytes") +
            " in lost/, set aside by an open or a repair\n";
  }
  text += "level  tables        size";
  for (const Json& level : stats["levels"]) {
    text += Format("\n%5d %7d %11s", level["level"].get<int>(), level["tables"].get<int>(),
                   BytesText(level["bytes"].get<uint64_t>()).c_str());
  }
  return PrintResult(call.json, stats, text);
}

int RunLevels(const Invocation& call) {
  InspectedStore store(OptionsOf(call));
  const Status status = Inspect(call.store, &store);
  if (!status.ok()) return Fail(status, call.json);
  ReadTableContents(store);
  const Version& version = *store.manifest.version;
  const auto spaces = SpaceByLevel(version);
  // Whether a deletion hides something depends on the order.
  const bool has_order = call.comparator_name.empty();
  const auto hidden = has_order ? HiddenByLevel(spaces) : std::array<uint64_t, kLevels>{};
  for (int level = 0; level < kLevels; ++level) {
    if (!call.json && version.TableCount(level) > 0)
      PrintLine(LevelText(version, level, spaces[level], hidden[level]));
    for (const TableRef& table : version.level(level)) {
      Json line = TableJson(table->description, level, call.coding);
      line["entries"] = table->contents.entries;
      line["deletions"] = table->contents.deletions;
      if (call.json) {
        PrintJson(line);
        continue;
      }
      PrintLine(Format("L%d %06llu %11s  ", level, static_cast<unsigned long long>(table->number()),
                       BytesText(table->file_bytes()).c_str()) +
                line["smallest"].get<std::string>() + " .. " + line["largest"].get<std::string>());
    }
  }
  return kDone;
}

int RunManifest(const Invocation& call) {
  std::string path;
  Status status = FindManifest(call.store, &path);
  std::unique_ptr<leveldb::SequentialFile> file;
  if (status.ok()) status = OpenForReading(leveldb::Env::Default(), path, &file);
  if (!status.ok()) return Fail(status, call.json);
  log::Reader reader(std::move(file), path);
  leveldb::Slice record;
  while (reader.ReadRecord(&record)) {
    VersionEdit edit;
    status = edit.DecodeFrom(record);
    if (!status.ok()) {
      const std::string where = "record at offset " + std::to_string(reader.LastRecordOffset());
      return Fail(Status::Corruption(path, where + ": " + status.ToString()), call.json);
    }
    if (call.json) {
      PrintJson(EditJson(edit, reader.LastRecordOffset(), call.coding));
    } else {
      PrintLine("--- offset " + std::to_string(reader.LastRecordOffset()) + "; " +
                edit.DebugString());
    }
  }
  return reader.status().ok() ? kDone : Fail(reader.status(), call.json);
}

}  // namespace lull::tools
