// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// get, scan, put and delete.
#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <string>

#include "db/base/context.h"
#include "db/base/dbformat.h"
#include "db/base/named_comparator.h"
#include "db/read/readable.h"
#include "db/tools/commands.h"
#include "db/tools/store_facts.h"
#include "leveldb/db.h"
#include "leveldb/filter_policy.h"
#include "lull/lull.h"

namespace lull::tools {
namespace {

using leveldb::Slice;
using leveldb::Status;

Status Unreadable(const std::string& text) {
  return Status::InvalidArgument(
      text, "cannot decode it; use \\\\ for a backslash and \\xNN for other bytes, or --hex");
}

/// Decodes an option, if given.
Status DecodeOption(const Invocation& call, const std::optional<std::string>& typed,
                    std::optional<std::string>* bytes) {
  if (!typed) return Status::OK();
  *bytes = Decode(*typed, call.coding);
  return *bytes ? Status::OK() : Unreadable(*typed);
}

/// Restricts the bounds of a scan to keys that begin with `prefix`.
void KeepPrefix(const std::string& prefix, KeyBounds* bounds) {
  const auto [begin, end] = KeyBounds::OfPrefix(prefix);
  if (!bounds->begin || *bounds->begin < *begin) bounds->begin = begin;
  if (end && (!bounds->end || *end < *bounds->end)) bounds->end = end;
}

/// With --keep-going, damage goes to `*damage`, and the store has the entries before it.
Status OpenToRead(const Invocation& call, std::unique_ptr<leveldb::DB>* db, Status* damage) {
  leveldb::DB* raw = nullptr;
  Status status = OpenReadOnly(StrictOptions(), call.store, &raw);
  if (status.IsCorruption() && call.keep_going) {
    *damage = status;
    status = OpenReadOnly(leveldb::Options(), call.store, &raw);
  }
  db->reset(raw);
  return status;
}

/// Deletes the key if `typed_value` is null.
int Write(const Invocation& call, const std::string* typed_value) {
  const std::optional<std::string> key = Decode(call.key, call.coding);
  const std::optional<std::string> value = Decode(typed_value ? *typed_value : "", call.coding);
  if (!key || !value) return Fail(Unreadable(key ? *typed_value : call.key), call.json);
  std::unique_ptr<leveldb::DB> db;
  Status status = OpenToWrite(call, &db);
  leveldb::WriteOptions write;
  write.sync = call.sync;
  if (status.ok()) status = typed_value ? db->Put(write, *key, *value) : db->Delete(write, *key);
  return status.ok() ? kDone : Fail(status, call.json);
}

}  // namespace

bool PrintEntry(const Invocation& call, const Slice& key, const Slice& value) {
  const std::string key_text = Encode(key, call.coding);
  if (!call.json)
    return PrintLine(call.keys_only ? key_text : key_text + "\t" + Encode(value, call.coding));
  Json line{{"key", key_text}};
  if (!call.keys_only) line["value"] = Encode(value, call.coding);
  return PrintJson(line);
}

leveldb::Options OptionsOf(const Invocation& call) {
  leveldb::Options options = StrictOptions();
  if (call.comparator_name.empty()) return options;
  static const NamedComparator comparator(call.comparator_name);
  options.comparator = &comparator;
  return options;
}

void KeepTableFormat(const Invocation& call, leveldb::Options* options) {
  StoreFacts facts = FindStoreFacts(*options, call.store);
  const auto* const name = std::ranges::find(kCodecNames, call.compression);
  program_codec = name == std::end(kCodecNames) ? facts.codec : kCodecs[name - kCodecNames];
  if (call.bloom_bits) facts.bloom_bits = *call.bloom_bits;
  options->block_size = facts.block_bytes;
  options->max_file_size = facts.table_bytes;
  if (facts.bloom_bits == 0) return;
  static const leveldb::FilterPolicy* const filter =
      leveldb::NewBloomFilterPolicy(facts.bloom_bits);
  options->filter_policy = filter;
}

leveldb::Status OpenToWrite(const Invocation& call, std::unique_ptr<leveldb::DB>* db) {
  leveldb::Options options = StrictOptions();
  options.create_if_missing = call.create;
  KeepTableFormat(call, &options);
  leveldb::DB* raw = nullptr;
  const Status status = leveldb::DB::Open(options, call.store, &raw);
  db->reset(raw);
  return status;
}

int RunGet(const Invocation& call) {
  const std::optional<std::string> key = Decode(call.key, call.coding);
  if (!key) return Fail(Unreadable(call.key), call.json);
  std::unique_ptr<leveldb::DB> db;
  Status damage;
  Status status = OpenToRead(call, &db, &damage);
  std::string value;
  if (status.ok()) {
    leveldb::ReadOptions read;
    read.verify_checksums = true;
    status = db->Get(read, *key, &value);
    if (status.IsNotFound()) {
      Fail(Status::NotFound(call.store, "no key " + call.key), call.json);
      return kNotFound;
    }
  }
  if (!status.ok()) return Fail(status, call.json);
  if (call.json) {
    PrintEntry(call, *key, value);
  } else if (call.raw) {
    PrintBytes(value);
  } else {
    PrintLine(Encode(value, call.coding));
  }
  return kDone;
}

int RunScan(const Invocation& call) {
  KeyBounds bounds;
  Status status = DecodeOption(call, call.from, &bounds.begin);
  if (status.ok()) status = DecodeOption(call, call.to, &bounds.end);
  std::optional<std::string> prefix;
  if (status.ok()) status = DecodeOption(call, call.prefix, &prefix);
  if (status.ok() && !call.comparator_name.empty()) {
    if (!call.from && !call.to && !call.reverse) return ScanStored(call, prefix.value_or(""));
    status = Status::InvalidArgument("--comparator-name",
                                     "without the order, --from, --to and --reverse mean nothing");
  }
  if (prefix) KeepPrefix(*prefix, &bounds);
  std::unique_ptr<leveldb::DB> db;
  Status damage;
  if (status.ok()) status = OpenToRead(call, &db, &damage);
  if (!status.ok()) return Fail(status, call.json);
  leveldb::ReadOptions read;
  read.verify_checksums = true;
  read.fill_cache = false;
  const auto entry = Readables::Get().Find(db.get())->NewIterator(read, bounds);
  uint64_t printed = 0;
  call.reverse ? entry->SeekToLast() : entry->SeekToFirst();
  // An iterator continues after damage, and could then return an old value as the current one.
  while (entry->Valid() && (entry->status().ok() || call.keep_going) && printed < call.limit) {
    if (!PrintEntry(call, entry->key(), entry->value())) break;
    ++printed;
    call.reverse ? entry->Prev() : entry->Next();
  }
  if (damage.ok()) damage = entry->status();
  return damage.ok() ? kDone : Fail(damage, call.json);
}

int RunPut(const Invocation& call) { return Write(call, &call.value); }
int RunDelete(const Invocation& call) { return Write(call, nullptr); }

}  // namespace lull::tools
