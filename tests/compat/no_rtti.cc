// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// usage: no_rtti DIRECTORY
//
// A program compiled with -fno-rtti -fno-exceptions, like stock itself and most of its users. It
// passes objects of its own classes to the library. Compiled with stock's headers too; with
// WITH_LULL it also calls functions that only Lull has.
#include <atomic>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

#include "leveldb/cache.h"
#include "leveldb/comparator.h"
#include "leveldb/db.h"
#include "leveldb/env.h"
#include "leveldb/filter_policy.h"
#include "leveldb/iterator.h"
#include "leveldb/write_batch.h"
#ifdef WITH_LULL
#include "lull/compaction_filter.h"
#include "lull/listener.h"
#include "lull/lull.h"
#endif

#if defined(__GXX_RTTI) || defined(__cpp_exceptions)
#error "compile this with -fno-rtti -fno-exceptions"
#endif

namespace {

using namespace leveldb;  // only here: most lines below name one of its classes

const int kKeys = 4000;

class OwnWritableFile final : public WritableFile {
 public:
  explicit OwnWritableFile(WritableFile* target) : target_(target) {}
  Status Append(const Slice& data) override { return target_->Append(data); }
  Status Close() override { return target_->Close(); }
  Status Flush() override { return target_->Flush(); }
  Status Sync() override { return target_->Sync(); }

 private:
  const std::unique_ptr<WritableFile> target_;
};

class OwnEnv final : public EnvWrapper {
 public:
  OwnEnv() : EnvWrapper(Env::Default()) {}
  Status NewWritableFile(const std::string& name, WritableFile** file) override {
    ++created;
    const Status status = target()->NewWritableFile(name, file);
    if (status.ok()) *file = new OwnWritableFile(*file);
    return status;
  }
  // An Env without the optional functions.
  Status NewAppendableFile(const std::string& name, WritableFile**) override {
    return Status::NotSupported("NewAppendableFile", name);
  }
  std::atomic<int> created{0};
};

class OwnComparator final : public Comparator {
 public:
  const char* Name() const override { return "no_rtti.Reverse"; }
  int Compare(const Slice& a, const Slice& b) const override { return b.compare(a); }
  void FindShortestSeparator(std::string*, const Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}
};

// Stores the first byte of each key of a block.
class OwnFilterPolicy final : public FilterPolicy {
 public:
  const char* Name() const override { return "no_rtti.FirstBytes"; }
  void CreateFilter(const Slice* keys, int n, std::string* filter) const override {
    for (int i = 0; i < n; ++i) filter->append(keys[i].data(), 1);
  }
  bool KeyMayMatch(const Slice& key, const Slice& filter) const override {
    return std::memchr(filter.data(), key[0], filter.size()) != nullptr;
  }
};

class OwnCache final : public Cache {
 public:
  Handle* Insert(const Slice& key, void* value, size_t charge,
                 void (*deleter)(const Slice&, void*)) override {
    return target_->Insert(key, value, charge, deleter);
  }
  Handle* Lookup(const Slice& key) override { return target_->Lookup(key); }
  void Release(Handle* handle) override { target_->Release(handle); }
  void* Value(Handle* handle) override { return target_->Value(handle); }
  void Erase(const Slice& key) override { target_->Erase(key); }
  uint64_t NewId() override { return target_->NewId(); }
  void Prune() override { target_->Prune(); }
  size_t TotalCharge() const override { return target_->TotalCharge(); }

 private:
  const std::unique_ptr<Cache> target_{NewLRUCache(64 << 10)};
};

class OwnLogger final : public Logger {
 public:
  void Logv(const char*, std::va_list) override { ++lines; }
  std::atomic<int> lines{0};
};

class OwnDB final : public DB {
 public:
  explicit OwnDB(DB* target) : target_(target) {}
  Status Put(const WriteOptions& options, const Slice& key, const Slice& value) override {
    return DB::Put(options, key, value);
  }
  Status Delete(const WriteOptions& options, const Slice& key) override {
    return DB::Delete(options, key);
  }
  Status Write(const WriteOptions& options, WriteBatch* batch) override {
    return target_->Write(options, batch);
  }
  Status Get(const ReadOptions& options, const Slice& key, std::string* value) override {
    return target_->Get(options, key, value);
  }
  Iterator* NewIterator(const ReadOptions& options) override {
    return target_->NewIterator(options);
  }
  const Snapshot* GetSnapshot() override { return target_->GetSnapshot(); }
  void ReleaseSnapshot(const Snapshot* snapshot) override { target_->ReleaseSnapshot(snapshot); }
  bool GetProperty(const Slice& property, std::string* value) override {
    return target_->GetProperty(property, value);
  }
  void GetApproximateSizes(const Range* ranges, int n, uint64_t* sizes) override {
    target_->GetApproximateSizes(ranges, n, sizes);
  }
  void CompactRange(const Slice* begin, const Slice* end) override {
    target_->CompactRange(begin, end);
  }

 private:
  DB* const target_;
};

class CountingHandler final : public WriteBatch::Handler {
 public:
  void Put(const Slice&, const Slice&) override { ++entries; }
  void Delete(const Slice&) override { ++entries; }
  int entries = 0;
};

std::string Key(int i) {
  char text[16];
  std::snprintf(text, sizeof text, "k%06d", i);
  return text;
}

void Say(const char* what, const Status& status) {
  std::printf("%s: %s\n", what, status.ToString().c_str());
}

// Objects passed to the library; outlives the stores.
struct Objects {
  OwnEnv env;
  OwnComparator comparator;
  OwnFilterPolicy filter;
  OwnCache cache;
  OwnLogger logger;

  Options options() {
    Options options;
    options.env = &env;
    options.comparator = &comparator;
    options.filter_policy = &filter;
    options.block_cache = &cache;
    options.info_log = &logger;
    options.create_if_missing = true;
    options.write_buffer_size = 64 << 10;  // several flushes
    return options;
  }
};

void Fill(DB* db) {
  Status status;
  for (int i = 0; i < kKeys && status.ok(); ++i)
    status = db->Put(WriteOptions(), Key(i), std::string(100, static_cast<char>('a' + i % 26)));
  for (int i = 0; i < kKeys && status.ok(); i += 4) status = db->Delete(WriteOptions(), Key(i));
  WriteBatch batch;
  batch.Put("last", "of all");
  CountingHandler handler;
  batch.Iterate(&handler);
  WriteOptions sync;
  sync.sync = true;
  if (status.ok()) status = db->Write(sync, &batch);
  Say("fill", status);
  std::printf("handled %d\n", handler.entries);
}

void Read(DB* db) {
  std::string value;
  Say("get", db->Get(ReadOptions(), Key(1), &value));
  std::printf("%s\n", value.c_str());
  Say("get deleted", db->Get(ReadOptions(), Key(4), &value));
  Say("get absent", db->Get(ReadOptions(), "zzz", &value));
  int forward = 0;
  int backward = 0;
  const std::unique_ptr<Iterator> entry(db->NewIterator(ReadOptions()));
  for (entry->SeekToFirst(); entry->Valid(); entry->Next()) ++forward;
  for (entry->SeekToLast(); entry->Valid(); entry->Prev()) ++backward;
  std::printf("entries %d %d\n", forward, backward);
  Say("iterator", entry->status());
}

std::unique_ptr<DB> Opened(const Options& options, const std::string& path) {
  DB* db = nullptr;
  Say("open", DB::Open(options, path, &db));
  return std::unique_ptr<DB>(db);
}

int failures = 0;

#ifdef WITH_LULL
// The lines above must be the same for each library, so these steps print only errors.
void Expect(bool holds, const char* what, const Status& status) {
  if (holds) return;
  std::printf("unexpected: %s: %s\n", what, status.ToString().c_str());
  ++failures;
}

class OwnListener final : public lull::EventListener {};

class KeepsAll final : public lull::CompactionFilter {
 public:
  const char* Name() const override { return "no_rtti.KeepsAll"; }
  lull::FilterDecision Filter(const lull::FilterContext&, const Slice&,
                              const Slice&) const override {
    return lull::FilterDecision::kKeep;
  }
};

template <class Check>
void CallAll(DB* db, const std::string& copy, Check check) {
  check("Flush", lull::Flush(db));
  check("WaitForIdle", lull::WaitForIdle(db));
  check("SetOptions", lull::SetOptions(db, "policy=lull"));
  check("CreateCheckpoint", lull::CreateCheckpoint(db, copy));
  const std::shared_ptr<lull::EventListener> listener = std::make_shared<OwnListener>();
  check("AddListener", lull::AddListener(db, listener));
  check("RemoveListener", lull::RemoveListener(db, listener));
  check("SetCompactionFilter", lull::SetCompactionFilter(db, std::make_shared<KeepsAll>()));
}

void UseLull(DB* db, DB* own, const Options& options, const std::string& path) {
  const std::string copy = path + ".copy";
  const auto refuses = [](const char* what, const Status& status) {
    Expect(status.IsInvalidArgument() && status.ToString().find(what) != std::string::npos, what,
           status);
  };
  CallAll(own, copy, refuses);
  CallAll(nullptr, copy, refuses);
  CallAll(db, copy,
          [](const char* what, const Status& status) { Expect(status.ok(), what, status); });
  DB* reader = nullptr;
  Status status = lull::OpenReadOnly(options, copy, &reader);
  Expect(status.ok(), "OpenReadOnly", status);
  if (status.ok()) CallAll(reader, copy + ".copy", refuses);
  std::string value;
  if (status.ok()) status = reader->Get(ReadOptions(), "last", &value);
  Expect(value == "of all", "Get from the checkpoint", status);
  delete reader;
  status = DestroyDB(copy, options);
  Expect(status.ok(), "DestroyDB of the checkpoint", status);
}
#endif

int Run(const std::string& path) {
  Objects objects;
  const Options options = objects.options();
  {
    const std::unique_ptr<DB> db = Opened(options, path);
    if (db == nullptr) return 1;
    OwnDB own(db.get());
    Fill(&own);
    Read(&own);
#ifdef WITH_LULL
    UseLull(db.get(), &own, options, path);
#endif
    own.CompactRange(nullptr, nullptr);
    Read(&own);
  }
  for (const bool repair : {false, true}) {
    if (repair) Say("repair", RepairDB(path, options));
    const std::unique_ptr<DB> db = Opened(options, path);
    if (db == nullptr) return 1;
    Read(db.get());
  }
  Say("destroy", DestroyDB(path, options));
  std::printf("env used %d, logger used %d\n", objects.env.created > 0, objects.logger.lines > 0);
  return failures;
}

}  // namespace

int main(int argc, char** argv) { return argc == 2 ? Run(argv[1]) : 2; }
