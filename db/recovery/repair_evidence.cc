// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include "db/recovery/repair_evidence.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "db/base/filename.h"
#include "db/version/manifest.h"
#include "db/wal/log_format.h"
#include "db/wal/log_reader.h"
#include "util/file_util.h"

namespace lull {

using leveldb::Slice;
using leveldb::Status;

namespace {

/// Where the name of the comparator begins in a MANIFEST: after the header of the first record, the
/// tag and the length.
constexpr size_t kComparatorOffset = log::kHeaderBytes + 2;

/// Whether a MANIFEST whose first record is damaged names another comparator than `ours`. A name
/// with a few wrong bytes still counts as ours, and so does the beginning of a file that was cut
/// off. What is hardly text, or has neither the record's type nor the tag before it, is no name.
bool NamesOther(const std::string& manifest, const std::string& ours) {
  constexpr ptrdiff_t kTextBytes = 6;
  if (manifest.size() < kComparatorOffset + static_cast<size_t>(kTextBytes)) return false;
  constexpr char kComparatorTag = 1;
  const auto type = static_cast<log::FragmentType>(manifest[log::kHeaderBytes - 1]);
  if (type != log::FragmentType::kFull && type != log::FragmentType::kFirst &&
      manifest[log::kHeaderBytes] != kComparatorTag)
    return false;
  const std::string there = manifest.substr(kComparatorOffset, ours.size());
  size_t equal = 0;
  for (size_t i = 0; i < there.size(); ++i) equal += there[i] == ours[i];
  const auto is_text = [](char c) { return c > ' ' && c <= '~'; };
  const auto length = static_cast<unsigned char>(manifest[kComparatorOffset - 1]);
  const auto end =
      there.begin() + std::min(std::max<ptrdiff_t>(length, kTextBytes), std::ssize(there));
  const ptrdiff_t text_bytes = std::count_if(there.begin(), end, is_text);
  return equal < there.size() / 2 && text_bytes >= end - there.begin() - 1;
}

/// Whether the MANIFEST can be a repair's: one record, which needs no log. One that replaced a long
/// MANIFEST can look so too; then that one has the same contents.
bool CanBeOfRepair(const StoreContext& context, const std::string& name) {
  const std::string path = context.name + "/" + name;
  std::unique_ptr<leveldb::SequentialFile> file;
  if (!OpenForReading(context.env(), path, &file).ok()) return false;
  log::Reader reader(std::move(file), path);
  Slice record;
  VersionEdit edit;
  return reader.ReadRecord(&record) && edit.DecodeFrom(record).ok() && edit.log_number &&
         *edit.log_number != 0 && edit.log_number == edit.prev_log_number &&
         !reader.ReadRecord(&record);
}

}  // namespace

void DropUnfinishedRepairs(const StoreContext& context, DirectoryListing* listing) {
  uint64_t named = 0;
  if (!ReadCurrent(context, &named).ok()) named = 0;
  while (listing->manifests.size() > 1) {
    const auto last = std::prev(listing->manifests.end());
    if (last->first == named || !CanBeOfRepair(context, last->second)) return;
    listing->temps.push_back(last->second);
    listing->manifests.erase(last);
  }
}

Status ListDirectory(StoreContext* context, DirectoryListing* listing) {
  std::vector<std::string> names;
  Status status = context->env()->GetChildren(context->name, &names);
  if (!status.ok()) return status;
  for (const std::string& name : names) {
    const std::optional<ParsedFileName> parsed = ParseFileName(name);
    if (!parsed) continue;
    context->MarkFileNumberUsed(parsed->number);  // no file can get a directory's name either
    if (IsNoFile(context->env(), context->name + "/" + name)) {
      if (parsed->kind == FileKind::kCurrent) listing->in_the_way = name;
      continue;
    }
    switch (parsed->kind) {
      case FileKind::kTable: {
        std::string& known = listing->tables[parsed->number];
        if (known.empty()) {
          known = name;
        } else {  // ".ldb" sorts before ".sst"
          listing->twins.push_back(std::max(known, name));
          known = std::min(known, name);
        }
        break;
      }
      case FileKind::kLog:
        listing->wals.emplace(parsed->number, name);
        break;
      case FileKind::kDescriptor:
        listing->manifests.emplace(parsed->number, name);
        break;
      case FileKind::kTemp:
        listing->temps.push_back(name);
        break;
      case FileKind::kCurrent:
        listing->current = name;
        break;
      case FileKind::kLock:
      case FileKind::kInfoLog:
        break;
    }
  }
  std::vector<std::string> set_aside;
  if (context->env()->GetChildren(LostDirectoryName(context->name), &set_aside).ok()) {
    for (const std::string& name : set_aside) {
      if (const auto parsed = ParseFileName(name)) context->MarkFileNumberUsed(parsed->number);
    }
  }
  return status;
}

Status TableHistory::Read(StoreContext* context, const DirectoryListing& listing) {
  std::string other;  // a MANIFEST that seems to name another comparator
  for (const auto& [number, name] : listing.manifests) {
    const std::string path = context->name + "/" + name;
    std::string bytes;
    if (leveldb::ReadFileToString(context->env(), path, &bytes).ok() &&
        NamesOther(bytes, context->options.comparator->Name()))
      other = path;
    std::unique_ptr<leveldb::SequentialFile> file;
    Status status = OpenForReading(context->env(), path, &file);
    if (!status.ok()) return status;
    log::Reader reader(std::move(file), path);
    Slice record;
    while (reader.ReadRecord(&record)) {
      VersionEdit edit;
      status = edit.DecodeFrom(record);
      if (status.IsNotSupportedError()) return Status::NotSupported(path, status.ToString());
      if (!status.ok()) break;
      status = Take(context, number, edit);
      if (!status.ok()) return status;
    }
  }
  if (knows_comparator_ || other.empty()) return Status::OK();
  return Status::InvalidArgument(
      other, std::string("is damaged and seems to name another comparator than ") +
                 context->options.comparator->Name() +
                 "; repair with the comparator that wrote the store, or move the file away");
}

Status TableHistory::Take(StoreContext* context, uint64_t manifest, const VersionEdit& edit) {
  const char* const comparator = context->options.comparator->Name();
  if (edit.comparator && *edit.comparator != comparator) {
    return Status::InvalidArgument(
        context->name,
        "was written with comparator " + *edit.comparator + ", is repaired with " + comparator);
  }
  knows_comparator_ = knows_comparator_ || edit.comparator.has_value();
  if (edit.log_number) log_number_ = std::max(log_number_, *edit.log_number);
  if (edit.last_sequence) last_sequence_ = std::max(last_sequence_, *edit.last_sequence);
  Change change;
  change.manifest = manifest;
  change.log_number = edit.log_number.value_or(0);
  std::set<uint64_t> added;
  for (const TableMeta& table : edit.new_tables) added.insert(table.number);
  for (const auto& [level, number] : edit.deleted_tables) {
    if (added.erase(number) == 0) change.removed.push_back(number);  // otherwise the table moved
  }
  change.added.assign(added.begin(), added.end());
  changes_.push_back(std::move(change));
  return Status::OK();
}

std::set<uint64_t> TableHistory::Superseded(const std::function<bool(uint64_t)>& whole) const {
  std::set<uint64_t> superseded;
  // From the last change to the first, so that a change's successors are already classified.
  for (auto change = changes_.rbegin(); change != changes_.rend(); ++change) {
    const bool replaced =
        std::all_of(change->added.begin(), change->added.end(),
                    [&](uint64_t number) { return superseded.contains(number) || whole(number); });
    if (replaced) superseded.insert(change->removed.begin(), change->removed.end());
  }
  return superseded;
}

std::optional<uint64_t> TableHistory::LeastDamaged(
    uint64_t manifest, const std::map<uint64_t, std::string>& wals,
    const std::function<bool(uint64_t)>& whole) const {
  std::set<uint64_t> damaged;
  uint64_t log_number = 0, record = 0, best = 0;
  size_t fewest = 0;
  for (const Change& change : changes_) {
    if (change.manifest != manifest) continue;
    ++record;
    // Other changes are not undone: an ingestion has added entries, and a removal has removed some.
    bool keeps_contents = change.removed.empty() == change.added.empty();
    if (change.log_number > log_number) {
      const auto flushed = log_number == 0 ? wals.begin() : wals.find(log_number);
      keeps_contents =
          change.removed.empty() && flushed != wals.end() && flushed->first < change.log_number;
      log_number = change.log_number;
    }
    for (const uint64_t number : change.removed) damaged.erase(number);
    for (const uint64_t number : change.added) {
      if (!whole(number)) damaged.insert(number);
    }
    if (best == 0 || !keeps_contents || damaged.size() <= fewest) {
      best = record;
      fewest = damaged.size();
    }
  }
  return best < record ? std::optional(best) : std::nullopt;
}

}  // namespace lull
