// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "tests/support/open_store.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include "db/base/scheduling_options.h"

#ifdef LULL_BUILD
#include "db/store/store.h"
#include "lull/compaction_filter.h"
#include "lull/lull.h"
#include "tests/support/table_files.h"
#include "tests/support/workload.h"
#endif

namespace lull::testing {

using leveldb::Status;

#ifdef LULL_BUILD

namespace {

/// Removes "name=123;" from the text.
std::optional<uint64_t> TakeNumber(std::string* text, const std::string& pair) {
  const size_t at = text->find(pair);
  if (at == std::string::npos) return std::nullopt;
  const uint64_t number = std::stoull(text->substr(at + pair.size()));
  const size_t end = text->find(';', at);
  text->erase(at, end == std::string::npos ? end : end + 1 - at);
  return number;
}

class Expiry final : public CompactionFilter {
 public:
  explicit Expiry(std::function<bool(std::string_view value)> drops) : drops_(std::move(drops)) {}
  const char* Name() const override { return "tests.expiry"; }
  FilterDecision Filter(const FilterContext&, const leveldb::Slice&,
                        const leveldb::Slice& value) const override {
    return drops_({value.data(), value.size()}) ? FilterDecision::kDrop : FilterDecision::kKeep;
  }

 private:
  const std::function<bool(std::string_view value)> drops_;
};

Status SetSomeOptions(leveldb::DB* db, uint64_t draw) {
  constexpr uint64_t kPersistSeconds[] = {0, 1, 2, 30, 100'000};
  constexpr uint64_t kSpacePercents[] = {0, 200, 300};
  return lull::SetOptions(db,
                          "delete_persist_seconds=" + std::to_string(kPersistSeconds[draw % 5]) +
                              ";space_percent_max=" + std::to_string(kSpacePercents[draw / 5 % 3]));
}

}  // namespace

Status OpenStore(const leveldb::Options& options, const std::string& scheduling,
                 const std::string& name, leveldb::DB** db) {
  std::string text = scheduling;
  lull::StorePace pace;
  if (const auto bytes = TakeNumber(&text, "manifest_bytes_min=")) pace.manifest_bytes_min = *bytes;
  if (const auto millis = TakeNumber(&text, "retry_ms=")) pace.retry_nanos = *millis * 1'000'000;
  if (const auto bytes = TakeNumber(&text, "index_bytes_max=")) pace.index_bytes_max = *bytes;
  lull::OptionValues parsed;
  Status s = lull::ParseOptions(text, &parsed);
  if (!s.ok()) return s;
  return lull::Store::Open(options, parsed, name, db, lull::MakePolicy, pace);
}

Status FilterStore(leveldb::DB* db, bool on) {
  return SetCompactionFilter(db, on ? std::make_shared<Expiry>(Expires) : nullptr);
}

Status FilterStoreBy(leveldb::DB* db, std::function<bool(std::string_view value)> drops) {
  return SetCompactionFilter(db, std::make_shared<Expiry>(std::move(drops)));
}

Status RemoveRange(leveldb::DB* db, const leveldb::Slice* begin, const leveldb::Slice* end,
                   bool files_only) {
  return files_only ? lull::DeleteFilesInRange(db, begin, end) : lull::DeleteRange(db, begin, end);
}

Status IngestInto(leveldb::DB* db, const leveldb::Options& options, const std::string& prefix,
                  const WriteOps& ops) {
  const leveldb::Comparator& order = *options.comparator;
  TableEntries entries;
  for (const WriteOp& op : ops) entries.emplace_back(op.key, *op.value);
  std::stable_sort(entries.begin(), entries.end(), [&](const auto& a, const auto& b) {
    return order.Compare(a.first, b.first) < 0;
  });
  // Of equal keys, the last one counts.
  const auto last = std::unique(
      entries.rbegin(), entries.rend(),
      [&](const auto& a, const auto& b) { return order.Compare(a.first, b.first) == 0; });
  entries.erase(entries.begin(), last.base());
  const auto middle = entries.begin() + static_cast<std::ptrdiff_t>(entries.size() / 2);
  std::vector<std::string> paths;
  Status status;
  for (const TableEntries& half :
       {TableEntries(entries.begin(), middle), TableEntries(middle, entries.end())}) {
    if (half.empty() || !status.ok()) continue;
    paths.push_back(prefix + std::to_string(paths.size()));
    status = BuildTable(options, paths.back(), half);
  }
  if (status.ok()) status = lull::IngestTables(db, {paths.rbegin(), paths.rend()});
  for (const std::string& path : paths) options.env->RemoveFile(path);
  return status;
}

Status FlushStore(leveldb::DB* db) { return lull::Flush(db); }
Status WaitForIdleStore(leveldb::DB* db) { return lull::WaitForIdle(db); }
Status CheckpointStore(leveldb::DB* db, const std::string& directory) {
  return lull::CreateCheckpoint(db, directory);
}

#else

Status OpenStore(const leveldb::Options& options, const std::string&, const std::string& name,
                 leveldb::DB** db) {
  return leveldb::DB::Open(options, name, db);
}

Status IngestInto(leveldb::DB*, const leveldb::Options&, const std::string& prefix,
                  const WriteOps&) {
  return Status::NotSupported(prefix, "LevelDB ingests no tables");
}

Status FlushStore(leveldb::DB* db) {
  db->CompactRange(nullptr, nullptr);
  return Status::OK();
}

Status WaitForIdleStore(leveldb::DB*) { return Status::OK(); }

Status FilterStore(leveldb::DB*, bool) { return Status::OK(); }
Status FilterStoreBy(leveldb::DB*, std::function<bool(std::string_view)>) { return Status::OK(); }
Status RemoveRange(leveldb::DB*, const leveldb::Slice*, const leveldb::Slice*, bool) {
  return Status::NotSupported("LevelDB removes no ranges");
}

Status CheckpointStore(leveldb::DB*, const std::string& directory) {
  return Status::NotSupported(directory, "LevelDB makes no checkpoints");
}

#endif

Status RemoveRange(leveldb::DB* db, const KeySpan& span, bool files_only) {
  const leveldb::Slice begin(span.begin), end(span.end);
  return RemoveRange(db, span.begin.empty() ? nullptr : &begin, span.end.empty() ? nullptr : &end,
                     files_only);
}

bool IsIngestible(const WriteOps& ops) {
  return !ops.empty() && std::all_of(ops.begin(), ops.end(),
                                     [](const WriteOp& op) { return op.value.has_value(); });
}

Hooks StoreHooks(const std::string& scheduling) {
  std::vector<std::string> turns;
  std::istringstream texts(scheduling);
  for (std::string text; std::getline(texts, text, '|');) turns.push_back(text);
  if (turns.empty()) turns.emplace_back();
  Hooks hooks;
  hooks.open = [turns, opens = size_t{0}](const leveldb::Options& options, const std::string& name,
                                          leveldb::DB** db) mutable {
    return OpenStore(options, turns[opens++ % turns.size()], name, db);
  };
#ifdef LULL_BUILD
  hooks.set_options = SetSomeOptions;
#endif
  hooks.calls_extensions = true;
  return hooks;
}

}  // namespace lull::testing
