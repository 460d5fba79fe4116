// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The commands of the program lull. Each does its work, prints the result, and returns the exit
// code of the program.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "db/tools/output.h"
#include "leveldb/db.h"
#include "leveldb/options.h"
#include "leveldb/status.h"

namespace lull::tools {

class TopStores;

/// The parsed command line. Keys and values are still encoded; see output.h.
struct Invocation {
  bool json = false;
  Coding coding = Coding::kText;
  std::string store;  ///< directory of the store; for manifest, also a MANIFEST file
  std::string key;
  std::string value;
  std::optional<std::string> from;  ///< first key
  std::optional<std::string> to;    ///< end of the scan, excluded
  std::optional<std::string> prefix;
  uint64_t limit = UINT64_MAX;
  bool reverse = false;
  bool keys_only = false;
  bool keep_going = false;
  bool raw = false;  ///< get: the bytes of the value
  bool sync = false;
  bool create = false;
  bool from_lost = false;
  bool dry_run = false;
  std::string comparator_name;       ///< of a store whose order is unknown; empty: bytewise order
  std::vector<std::string> options;  ///< names of scheduling options; empty: all
  std::string target;                ///< directory of a checkpoint or of a restored store
  std::string backups;               ///< directory of backups
  uint64_t backup_id = 0;            ///< 0: see lull/backup.h
  uint64_t keep = 0;                 ///< number of backups
  std::vector<std::string> paths;    ///< of top and export: stats files, stores or directories
  bool once = false;
  std::string listen = "127.0.0.1:9464";
  uint64_t process = 0;  ///< of which
  uint64_t bench_entries = 1'000'000;
  uint64_t bench_value_bytes = 100;
  std::string compression;        ///< of new tables: see kCodecNames; empty: as the store's
  std::optional<int> bloom_bits;  ///< of new tables; nullopt: as the store's
};

/// The options of all commands that open a store: a damaged log is an error, not the end of the
/// store.
inline leveldb::Options StrictOptions() {
  leveldb::Options options;
  options.paranoid_checks = true;
  return options;
}

/// StrictOptions with the comparator of the store, for commands that need no order.
leveldb::Options OptionsOf(const Invocation& call);

/// Sets how tables are written: as the store's own (store_facts.h), unless the call says otherwise.
/// Every command that can write a table calls it, or OpenToWrite.
void KeepTableFormat(const Invocation& call, leveldb::Options* options);
leveldb::Status OpenToWrite(const Invocation& call, std::unique_ptr<leveldb::DB>* db);

// Need no store. options.cc, which.cc
int RunOptions(const Invocation& call);
std::string OptionNamesText();  ///< for --help
int RunWhich(const Invocation& call);

// Read files without opening the store; another process can have it open. inspect.cc, check.cc
int RunStats(const Invocation& call);
int RunLevels(const Invocation& call);
int RunManifest(const Invocation& call);
/// What `check` finds, as its JSON line. Fails only if nothing could be checked.
leveldb::Status Examine(const Invocation& call, Json* report);
void PrintFindings(const Json& report);
int RunCheck(const Invocation& call);

// Read a store's files, or none; another process can have it open. backup.cc
int RunBackupCreate(const Invocation& call);
int RunBackupList(const Invocation& call);
int RunBackupVerify(const Invocation& call);
int RunBackupRestore(const Invocation& call);
int RunBackupPrune(const Invocation& call);

// Open the store read-only; another process can have it open. entries.cc
int RunGet(const Invocation& call);
int RunScan(const Invocation& call);
int ScanStored(const Invocation& call, const std::string& prefix);  // stored_scan.cc
/// Returns as PrintLine.
bool PrintEntry(const Invocation& call, const leveldb::Slice& key, const leveldb::Slice& value);

// Read the stats files that stores keep up to date. top.cc, export.cc
int RunTop(const Invocation& call);
leveldb::Status RunTopScreen(TopStores* stores);  // until the user quits. top_screen.cc
int RunExport(const Invocation& call);

// Need exclusive access to the store. entries.cc, restore.cc, work.cc
int RunPut(const Invocation& call);
int RunDelete(const Invocation& call);
int RunRepair(const Invocation& call);
int RunRestore(const Invocation& call);
int RunCompact(const Invocation& call);
int RunCheckpoint(const Invocation& call);
int RunBench(const Invocation& call);

}  // namespace lull::tools
