// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// RepairDB: makes a store that cannot be opened usable again, from everything that is still
// readable.
//
//  1. Reads every table to its end, with checksums. If an intact part cannot be read, since it has
//     another order or an unsupported format, refuses and changes nothing.
//  2. If CURRENT's MANIFEST is intact and all tables that it lists exist, keeps the levels. Where
//     tables are damaged, and the logs and tables that they replaced still exist, goes back to
//     those. Rewrites the readable entries of a damaged table in its old place. Turns WALs into L0
//     tables. Adds unlisted tables that are newer than the MANIFEST.
//  3. Otherwise it is unknown which table's entries are newer. Merges all tables and WALs by
//     sequence into one sorted run. Leaves out tables that some readable MANIFEST lists as
//     compacted away, so that deleted entries stay deleted.
//  4. Gives every file that the result does not need a second name in lost/. Then a new MANIFEST
//     and CURRENT install the result in one step, and the first names are removed. Repair removes
//     no other file.
//
// An intact store is not changed, so a second run changes nothing. Runs on the calling thread.

#include <algorithm>
#include <memory>
#include <utility>

#include "db/base/filename.h"
#include "db/recovery/lost_files.h"
#include "db/recovery/manifest_evidence.h"
#include "db/recovery/repair_evidence.h"
#include "db/recovery/salvage.h"
#include "db/version/foreign_store.h"
#include "db/version/manifest.h"
#include "leveldb/db.h"
#include "util/file_util.h"
#include "util/logging.h"

namespace lull {
namespace {

using leveldb::Status;

// The minimum of Options::max_file_size, as when a store is opened.
constexpr size_t kTableBytesMaxMin = 1 << 20;

class Repairer {
 public:
  Repairer(const std::string& name, const leveldb::Options& options, const WorkProgress& progress)
      : context_(options), progress_(progress) {
    context_.name = name;
    context_.layout.table_bytes_max = std::max(options.max_file_size, kTableBytesMaxMin);
    context_.extension = ExtensionOf(options.env);
  }

  /// REQUIRES: the LOCK is held.
  Status Run();

 private:
  void Note(const std::string& message);
  void Advance(uint64_t bytes) const;
  Status CheckCurrentOpens() const;
  Status ChooseCurrent();
  Status ScanTables();
  Status GoBack();
  bool ListingIsUsable();
  bool IsWhole(uint64_t number) const {
    const auto scan = scans_.find(number);
    return scan != scans_.end() && scan->second.whole();
  }
  DirectoryFiles FilesBesideListing() const;

  Status KeepLevels();
  Status KeepLevel(int level);
  Status AddNewest(uint64_t wal_number_min);
  Status ReadWals(uint64_t number_min, WalSalvage* wals);
  std::vector<TableScan> Unlisted() const;
  bool IsNews(const TableScan& scan) const;
  std::vector<TableScan> UnlistedNewest() const;
  bool NewerThanAllListed(const TableScan& scan) const;
  TableOutputs* NewOutputs(int level);

  Status Rebuild();
  int LevelFor(uint64_t bytes) const;

  bool NothingToDo() const;
  Status BuildVersion();
  Status Install();
  std::vector<std::string> TheRest() const;

  StoreContext context_;
  const WorkProgress& progress_;
  uint64_t work_bytes_ = 0;  // to read and write, as far as known
  DirectoryListing directory_;
  TableHistory history_;
  ManifestState listed_;  // valid only if ListingIsUsable()
  Status listing_damage_;
  uint64_t log_number_ = UINT64_MAX;  // after GoBack, the first WAL that it needs
  std::map<uint64_t, TableScan> scans_;

  // The result.
  std::vector<TableMeta> tables_;
  std::vector<std::unique_ptr<TableOutputs>> outputs_;
  std::vector<std::unique_ptr<WalSalvage>> wal_tables_;  // those in the result
  CompactPointers pointers_;
  SequenceNumber last_sequence_ = 0;
  VersionRef version_;
  bool lossy_ = false;    // something could not be read
  bool changed_ = false;  // the result differs from the listing
};

void Repairer::Note(const std::string& message) {
  if (context_.options.info_log == nullptr) {
    leveldb::Logger* logger = nullptr;
    const std::string log = InfoLogFileName(context_.name);
    if (context_.env()->FileExists(log)) {
      context_.env()->RenameFile(log, OldInfoLogFileName(context_.name));
    }
    context_.env()->NewLogger(log, &logger);
    context_.own_logger.reset(logger);
    context_.options.info_log = logger;
  }
  Log(context_.logger(), "Repair: %s", message.c_str());
}

void Repairer::Advance(uint64_t bytes) const {
  if (progress_) progress_(work_bytes_, bytes);
}

Status Repairer::Run() {
  Status status = ListDirectory(&context_, &directory_);
  if (!status.ok()) return status;
  if (directory_.empty()) return Status::IOError(context_.name, "contains no store");
  DropUnfinishedRepairs(context_, &directory_);
  status = CheckNotForeign(context_.env(), context_.name);
  if (status.ok()) status = CheckCurrentOpens();
  if (status.ok()) status = history_.Read(&context_, directory_);
  if (!status.ok()) return status;
  last_sequence_ = history_.last_sequence();
  status = ScanTables();  // can refuse, so nothing is changed before it
  if (status.ok()) status = ChooseCurrent();
  if (status.ok() && listing_damage_.ok()) status = GoBack();
  if (status.ok()) status = context_.CheckFileNumbers();
  if (!status.ok()) return status;

  bool keep_levels = ListingIsUsable();
  if (keep_levels) {
    status = KeepLevels();
    if (!status.ok()) return status;
    if (NothingToDo()) return Status::OK();
    status = BuildVersion();
    keep_levels = status.ok();
    if (!keep_levels) Note("the levels cannot be kept: " + status.ToString());
  }
  if (!keep_levels) {
    status = Rebuild();
    if (status.ok()) status = BuildVersion();
  }
  return status.ok() ? Install() : status;
}

// A CURRENT without permission to read it, for example, is not damaged.
Status Repairer::CheckCurrentOpens() const {
  if (directory_.current.empty()) return Status::OK();
  std::unique_ptr<leveldb::SequentialFile> file;
  const Status status = OpenForReading(context_.env(), CurrentFileName(context_.name), &file);
  return status.IsNotFound() ? Status::OK() : status;
}

// If only CURRENT is lost, creates one that names the latest MANIFEST.
Status Repairer::ChooseCurrent() {
  listing_damage_ = ReadManifest(&context_, DescribedTable, &listed_);
  if (listing_damage_.ok() || listing_damage_.IsInvalidArgument()) return listing_damage_;
  Note(listing_damage_.ToString());

  const std::string current = CurrentFileName(context_.name);
  const bool has_manifest = !directory_.manifests.empty();
  lossy_ = true;  // the latest MANIFEST that is left can be an old one
  uint64_t named = 0;
  const bool is_old = has_manifest && ReadCurrent(context_, &named).ok() &&
                      named > directory_.manifests.rbegin()->first;
  std::string text;
  if (!directory_.in_the_way.empty()) {
    const Status status = MoveToLost(context_, directory_.in_the_way);
    if (!status.ok()) return status;
  } else if (leveldb::ReadFileToString(context_.env(), current, &text).ok()) {
    if (has_manifest && text == directory_.manifests.rbegin()->second + "\n") return Status::OK();
    Note("setting aside " + directory_.current);
    const Status status = KeepUnderLost(context_, {directory_.current});
    if (!status.ok()) return status;
  }
  if (!has_manifest || is_old) return Status::OK();
  // A temporary file can have the name that SetCurrentFile uses. It would then be overwritten, and
  // so would its hard link in lost/.
  Status status = KeepUnderLost(context_, directory_.temps);
  for (const std::string& file : std::exchange(directory_.temps, {})) {
    if (status.ok()) status = context_.env()->RemoveFile(context_.name + "/" + file);
  }
  if (status.ok())
    status = SetCurrentFile(context_.env(), context_.name, directory_.manifests.rbegin()->first);
  if (!status.ok()) return status;
  changed_ = true;
  listed_ = ManifestState();
  listing_damage_ = ReadManifest(&context_, DescribedTable, &listed_);
  return Status::OK();
}

Status Repairer::ScanTables() {
  for (const auto& [number, name] : directory_.tables) {
    uint64_t bytes = 0;  // if unknown, the scan says why
    context_.env()->GetFileSize(context_.name + "/" + name, &bytes);
    work_bytes_ += bytes;
  }
  for (const auto& [number, name] : directory_.tables) {
    TableScan& scan = scans_[number];
    const Status status = ScanTable(context_, number, context_.name + "/" + name, &scan);
    if (!status.ok()) return status;
    if (!scan.refusal.ok()) return scan.refusal;
    if (!scan.whole()) {
      Note(scan.damage.ToString() + "; entries that can be read: " + std::to_string(scan.entries));
    }
    last_sequence_ = std::max(last_sequence_, scan.largest_sequence);
    Advance(scan.file_bytes);
  }
  return Status::OK();
}

// The entries of a WAL go to the top level, so they must be newer than all tables.
Status Repairer::GoBack() {
  const auto records = history_.LeastDamaged(listed_.manifest_number, directory_.wals,
                                             [this](uint64_t number) { return IsWhole(number); });
  if (!records) return Status::OK();
  ManifestState earlier = listed_;
  const Status status = ReadEarlier(&context_, DescribedTable, *records, &earlier);
  if (!status.ok()) return status;
  SequenceNumber newest = 0;
  for (const uint64_t number : earlier.version->TableNumbers())
    if (scans_.contains(number)) newest = std::max(newest, scans_.at(number).largest_sequence);
  for (const auto& [number, name] : directory_.wals) {
    if (listed_.NeedsLog(number) || !earlier.NeedsLog(number)) continue;
    if (FirstSequence(context_, context_.name + "/" + name) <= newest) return Status::OK();
  }
  Note("going back to the first " + std::to_string(*records) +
       " records of the MANIFEST: later ones name damaged tables whose origins still exist");
  lossy_ = changed_ = true;
  log_number_ = earlier.log_number;
  listed_ = std::move(earlier);
  return status;
}

bool Repairer::ListingIsUsable() {
  if (!listing_damage_.ok()) {
    Note("levels are lost: " + listing_damage_.ToString());
    return false;
  }
  for (const uint64_t number : listed_.version->TableNumbers()) {
    if (scans_.contains(number)) continue;
    Note("levels are lost: table " + std::to_string(number) + " is missing");
    return false;
  }
  for (const TableScan& scan : Unlisted()) {
    if (!IsNews(scan) || NewerThanAllListed(scan)) continue;
    Note("levels are lost: table " + std::to_string(scan.number) + " is newer than the MANIFEST");
    return false;
  }
  return true;
}

TableOutputs* Repairer::NewOutputs(int level) {
  outputs_.push_back(std::make_unique<TableOutputs>(&context_, level));
  return outputs_.back().get();
}

DirectoryFiles Repairer::FilesBesideListing() const {
  DirectoryFiles files;
  for (const auto& [number, name] : directory_.wals) {
    if (listed_.NeedsLog(number)) files.wals.push_back(number);
  }
  const std::set<uint64_t> listed = listed_.version->TableNumbers();
  for (const auto& [number, name] : directory_.tables) {
    if (!listed.contains(number)) files.tables.push_back(name);
  }
  return files;
}

Status Repairer::KeepLevels() {
  const Status refusal = CheckManifestIsCurrent(context_, listed_, FilesBesideListing());
  if (!refusal.ok()) Note(refusal.ToString());
  if (listed_.is_torn) Note(listed_.end.ToString());
  // Tables named only by a lost record are not listed.
  if (!refusal.ok() || listed_.is_torn) lossy_ = changed_ = true;
  pointers_ = listed_.compact_pointers;
  for (int level = kLevels - 1; level >= 0; --level) {
    const Status status = KeepLevel(level);
    if (!status.ok()) return status;
  }
  return AddNewest(listed_.log_number);
}

Status Repairer::KeepLevel(int level) {
  std::vector<TableRef> tables = listed_.version->level(level);
  if (level == 0) std::reverse(tables.begin(), tables.end());  // oldest first
  bool rewrite = false;
  for (const TableRef& table : tables) {
    const TableScan& scan = scans_.at(table->number());
    if (scan.entries == 0) {
      changed_ = lossy_ = true;
      continue;
    }
    // In L0 a higher number means newer entries. If a table gets a new number, all newer ones must
    // get new numbers too.
    rewrite = !scan.whole() || (rewrite && level == 0);
    if (!rewrite) {
      tables_.push_back(scan.Describe(level));
      TableMeta listed = table->description;
      listed.level = level;
      changed_ = changed_ || !(tables_.back() == listed);
      continue;
    }
    changed_ = true;
    lossy_ = lossy_ || !scan.whole();
    TableOutputs* outputs = NewOutputs(level);
    const auto entries = NewSalvageIterator(context_, {scan});
    Status status;
    for (entries->SeekToFirst(); status.ok() && entries->Valid(); entries->Next()) {
      status = outputs->Add(entries->key(), entries->value());
    }
    if (status.ok()) status = entries->status();
    if (status.ok()) status = outputs->FinishTable();
    if (!status.ok()) return status;
    tables_.push_back(outputs->finished()[0]);
  }
  return Status::OK();
}

Status Repairer::ReadWals(uint64_t number_min, WalSalvage* wals) {
  for (const auto& [number, name] : directory_.wals) {
    const bool previous = listed_.prev_log_number != 0 && number == listed_.prev_log_number;
    if (number < number_min && !previous) continue;
    const Status status = wals->Add(context_.name + "/" + name);
    if (!status.ok()) return status;
  }
  const Status status = wals->WriteTable();
  if (!status.ok()) return status;
  for (const Status& damage : wals->damage()) {
    Note(damage.ToString());
    lossy_ = changed_ = true;
  }
  for (const TableScan& table : wals->tables()) {
    last_sequence_ = std::max(last_sequence_, table.largest_sequence);
  }
  return status;
}

bool Repairer::NewerThanAllListed(const TableScan& scan) const {
  const KeyOrder& order = context_.order;
  for (const uint64_t number : listed_.version->TableNumbers()) {
    const TableScan& other = scans_.at(number);
    if (other.entries == 0) continue;
    const bool apart = order.CompareUser(UserKeyOf(other.largest), UserKeyOf(scan.smallest)) < 0 ||
                       order.CompareUser(UserKeyOf(scan.largest), UserKeyOf(other.smallest)) < 0;
    if (!apart && other.largest_sequence >= scan.smallest_sequence) return false;
  }
  return true;
}

// Tables that the MANIFEST does not list, and that no record of one replaced.
std::vector<TableScan> Repairer::Unlisted() const {
  std::vector<TableScan> unlisted;
  const std::set<uint64_t> listed = listed_.version->TableNumbers();
  const std::set<uint64_t> superseded = history_.Superseded(
      [&](uint64_t number) { return listed.contains(number) && IsWhole(number); });
  for (const auto& [number, scan] : scans_) {
    if (scan.entries > 0 && !listed.contains(number) && !superseded.contains(number))
      unlisted.push_back(scan);
  }
  return unlisted;
}

// Whether the table has entries that the MANIFEST cannot know.
bool Repairer::IsNews(const TableScan& scan) const {
  return scan.largest_sequence > listed_.last_sequence;
}

// Unlisted tables that can be the last copy of their entries. If everything else is readable, the
// entries of the other ones are duplicates: a flush's are in its WAL, a compaction's in its inputs.
// A table can be added on top only if its entries are newer than all others in its key range.
std::vector<TableScan> Repairer::UnlistedNewest() const {
  std::vector<TableScan> newest = Unlisted();
  std::erase_if(newest, [this](const TableScan& scan) {
    return !(lossy_ || IsNews(scan)) || !NewerThanAllListed(scan);
  });
  return newest;
}

Status Repairer::AddNewest(uint64_t wal_number_min) {
  auto wals = std::make_unique<WalSalvage>(&context_);
  Status status = ReadWals(wal_number_min, wals.get());
  if (!status.ok()) return status;
  std::vector<TableScan> newest = UnlistedNewest();
  if (newest.empty() && wals->tables().empty()) return Status::OK();
  changed_ = true;
  if (newest.empty() && wals->tables().size() == 1) {
    tables_.push_back(wals->tables()[0].Describe(0));
    wal_tables_.push_back(std::move(wals));
    return status;
  }
  // Several tables can hold versions of one key, and their file numbers do not show which is newer.
  // Merge them into one run.
  newest.insert(newest.end(), wals->tables().begin(), wals->tables().end());
  TableOutputs* outputs = NewOutputs(0);
  status =
      MergeTables(context_, std::move(newest), DropRule(context_.order, kMaxSequence, nullptr, 0),
                  outputs, [this](uint64_t bytes) { Advance(bytes); });
  if (!status.ok()) return status;
  for (const TableMeta& table : outputs->finished()) tables_.push_back(table);
  return status;
}

int Repairer::LevelFor(uint64_t bytes) const {
  const auto targets = LevelTargets(context_.layout);
  int level = 1;
  while (targets[level] < bytes) ++level;  // the deepest level's target is unlimited
  return level;
}

Status Repairer::Rebuild() {
  tables_.clear();
  outputs_.clear();
  wal_tables_.clear();
  pointers_ = CompactPointers();
  changed_ = true;
  listed_ = ManifestState();

  const std::set<uint64_t> superseded =
      history_.Superseded([this](uint64_t number) { return IsWhole(number); });
  std::vector<TableScan> inputs;
  uint64_t bytes = 0;
  const auto use = [&](const TableScan& scan) {
    inputs.push_back(scan);
    bytes += scan.file_bytes;
  };
  for (const auto& [number, scan] : scans_) {
    if (scan.entries > 0 && !superseded.contains(number)) use(scan);
  }
  WalSalvage wals(&context_);
  Status status = ReadWals(std::min(history_.log_number(), log_number_), &wals);
  if (!status.ok()) return status;
  for (const TableScan& scan : wals.tables()) use(scan);

  work_bytes_ += bytes;
  const int level = LevelFor(bytes);
  Note("merging " + std::to_string(inputs.size()) + " tables into level " + std::to_string(level));
  TableOutputs* outputs = NewOutputs(level);
  const auto nothing_below = std::make_shared<const Version>(context_.order);
  status = MergeTables(context_, std::move(inputs),
                       DropRule(context_.order, kMaxSequence, nothing_below, level), outputs,
                       [this](uint64_t bytes) { Advance(bytes); });
  tables_ = outputs->finished();
  return status;
}

// Leftover files count as work: temporary files, duplicate tables, old MANIFESTs and unlisted
// tables must go to lost/.
bool Repairer::NothingToDo() const {
  return !changed_ && directory_.temps.empty() && directory_.twins.empty() &&
         directory_.manifests.size() == 1 && directory_.tables.size() == tables_.size();
}

Status Repairer::BuildVersion() {
  VersionEdit edit;
  edit.new_tables = tables_;
  VersionBuilder builder(std::make_shared<const Version>(context_.order), DescribedTable);
  const Status status = builder.Apply(edit);
  return status.ok() ? builder.Build(&version_) : status;
}

Status Repairer::Install() {
  for (auto& outputs : outputs_) outputs->Keep();
  for (auto& wals : wal_tables_) wals->Keep();
  VersionEdit edit;
  edit.last_sequence = last_sequence_;
  // Above all existing WALs, so that none is needed.
  edit.log_number = edit.prev_log_number = context_.NewFileNumber();
  const uint64_t number = context_.NewFileNumber();
  std::unique_ptr<ManifestWriter> writer;
  Status status = ManifestWriter::Create(context_, number, *version_, pointers_, edit, &writer);
  // After CURRENT names the new MANIFEST, an open would delete all files that it does not need.
  const std::vector<std::string> rest = TheRest();
  for (const std::string& file : rest) Note("setting aside " + file);
  if (status.ok()) status = KeepUnderLost(context_, rest);
  if (status.ok()) status = SetCurrentFile(context_.env(), context_.name, number);
  for (const std::string& file : rest) {
    const std::string path = context_.name + "/" + file;
    if (status.ok() && context_.env()->FileExists(path)) status = context_.env()->RemoveFile(path);
  }
  return status.ok() && !rest.empty() ? SyncNamesIn(context_.env(), context_.name) : status;
}

// The files that the new MANIFEST does not need.
std::vector<std::string> Repairer::TheRest() const {
  std::set<uint64_t> needed;
  for (const TableMeta& table : tables_) needed.insert(table.number);
  std::vector<std::string> rest = directory_.temps;
  rest.insert(rest.end(), directory_.twins.begin(), directory_.twins.end());
  for (const auto& [number, name] : directory_.tables) {
    if (!needed.contains(number)) rest.push_back(name);
  }
  for (const auto& [number, name] : directory_.wals) rest.push_back(name);
  for (const auto& [number, name] : directory_.manifests) rest.push_back(name);
  return rest;
}

}  // namespace

Status Repair(const std::string& name, const leveldb::Options& options,
              const WorkProgress& progress) {
  if (options.env == nullptr) return Status::InvalidArgument(name, "Options::env is null");
  if (options.comparator == nullptr)
    return Status::InvalidArgument(name, "Options::comparator is null");
  if (options.block_restart_interval < 1) {
    return Status::InvalidArgument(name, "Options::block_restart_interval is less than 1");
  }
  leveldb::FileLock* lock = nullptr;
  Status status = options.env->LockFile(LockFileName(name), &lock);
  if (!status.ok()) return status;
  status = Repairer(name, options, progress).Run();
  const Status unlocked = options.env->UnlockFile(lock);
  return status.ok() ? unlocked : status;
}

}  // namespace lull

namespace leveldb {

Status RepairDB(const std::string& dbname, const Options& options) {
  return lull::Repair(dbname, options, lull::WorkProgress());
}

}  // namespace leveldb
