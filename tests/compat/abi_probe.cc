// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// usage: abi_probe DIRECTORY
//
// Prints what a compiled program takes from LevelDB's headers (sizes, offsets, enum values, vtable
// slots) and what it assumes about the library (type information, the layout of data that inline
// functions read). C++11, because it is compiled with stock's headers too.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <typeinfo>

#include "leveldb/cache.h"
#include "leveldb/comparator.h"
#include "leveldb/db.h"
#include "leveldb/dumpfile.h"
#include "leveldb/env.h"
#include "leveldb/filter_policy.h"
#include "leveldb/helpers/memenv.h"
#include "leveldb/iterator.h"
#include "leveldb/options.h"
#include "leveldb/slice.h"
#include "leveldb/status.h"
#include "leveldb/table.h"
#include "leveldb/table_builder.h"
#include "leveldb/write_batch.h"

namespace {

using namespace leveldb;  // only here: every line below names one of its classes

#define SIZE(type) std::printf("%-18s size %zu align %zu\n", #type, sizeof(type), alignof(type))
#define FIELD(type, field) \
  std::printf("%s::%s at %zu size %zu\n", #type, #field, offsetof(type, field), sizeof(type::field))
#define VALUE(name) std::printf("%s = %d\n", #name, static_cast<int>(name))
#define SLOT(type, method) std::printf("%s::%s slot %zu\n", #type, #method, SlotOf(&type::method))

// The slot of a virtual function in its class's vtable. A pointer to a virtual member function is 1
// + 8 * slot in the Itanium ABI, or on Arm 8 * slot with the mark in the second word.
template <class Method>
size_t SlotOf(Method method) {
  std::uintptr_t words[2];
  static_assert(sizeof method == sizeof words, "a pointer to a member function has two words");
  std::memcpy(words, &method, sizeof words);
  return words[0] / sizeof(void*);
}

void PrintSizes() {
  SIZE(Cache);
  SIZE(Comparator);
  SIZE(DB);
  SIZE(Env);
  SIZE(EnvWrapper);
  SIZE(FileLock);
  SIZE(FilterPolicy);
  SIZE(Iterator);
  SIZE(Logger);
  SIZE(Options);
  SIZE(RandomAccessFile);
  SIZE(Range);
  SIZE(ReadOptions);
  SIZE(SequentialFile);
  SIZE(Slice);
  SIZE(Snapshot);
  SIZE(Status);
  SIZE(Table);
  SIZE(TableBuilder);
  SIZE(WritableFile);
  SIZE(WriteBatch);
  SIZE(WriteBatch::Handler);
  SIZE(WriteOptions);
}

void PrintFields() {
  FIELD(Options, comparator);
  FIELD(Options, create_if_missing);
  FIELD(Options, error_if_exists);
  FIELD(Options, paranoid_checks);
  FIELD(Options, env);
  FIELD(Options, info_log);
  FIELD(Options, write_buffer_size);
  FIELD(Options, max_open_files);
  FIELD(Options, block_cache);
  FIELD(Options, block_size);
  FIELD(Options, block_restart_interval);
  FIELD(Options, max_file_size);
  FIELD(Options, compression);
  FIELD(Options, reuse_logs);
  FIELD(Options, filter_policy);
  FIELD(ReadOptions, verify_checksums);
  FIELD(ReadOptions, fill_cache);
  FIELD(ReadOptions, snapshot);
  FIELD(WriteOptions, sync);
  FIELD(Range, start);
  FIELD(Range, limit);
  VALUE(kMajorVersion);
  VALUE(kMinorVersion);
  VALUE(kNoCompression);
  VALUE(kSnappyCompression);
}

void PrintStoreSlots() {
  SLOT(DB, Put);
  SLOT(DB, Delete);
  SLOT(DB, Write);
  SLOT(DB, Get);
  SLOT(DB, NewIterator);
  SLOT(DB, GetSnapshot);
  SLOT(DB, ReleaseSnapshot);
  SLOT(DB, GetProperty);
  SLOT(DB, GetApproximateSizes);
  SLOT(DB, CompactRange);
  SLOT(Iterator, Valid);
  SLOT(Iterator, SeekToFirst);
  SLOT(Iterator, SeekToLast);
  SLOT(Iterator, Seek);
  SLOT(Iterator, Next);
  SLOT(Iterator, Prev);
  SLOT(Iterator, key);
  SLOT(Iterator, value);
  SLOT(Iterator, status);
  SLOT(WriteBatch::Handler, Put);
  SLOT(WriteBatch::Handler, Delete);
}

void PrintPluginSlots() {
  SLOT(Comparator, Compare);
  SLOT(Comparator, Name);
  SLOT(Comparator, FindShortestSeparator);
  SLOT(Comparator, FindShortSuccessor);
  SLOT(FilterPolicy, Name);
  SLOT(FilterPolicy, CreateFilter);
  SLOT(FilterPolicy, KeyMayMatch);
  SLOT(Cache, Insert);
  SLOT(Cache, Lookup);
  SLOT(Cache, Release);
  SLOT(Cache, Value);
  SLOT(Cache, Erase);
  SLOT(Cache, NewId);
  SLOT(Cache, Prune);
  SLOT(Cache, TotalCharge);
  SLOT(Logger, Logv);
  SLOT(SequentialFile, Read);
  SLOT(SequentialFile, Skip);
  SLOT(RandomAccessFile, Read);
  SLOT(WritableFile, Append);
  SLOT(WritableFile, Close);
  SLOT(WritableFile, Flush);
  SLOT(WritableFile, Sync);
}

void PrintEnvSlots() {
  SLOT(Env, NewSequentialFile);
  SLOT(Env, NewRandomAccessFile);
  SLOT(Env, NewWritableFile);
  SLOT(Env, NewAppendableFile);
  SLOT(Env, FileExists);
  SLOT(Env, GetChildren);
  SLOT(Env, RemoveFile);
  SLOT(Env, DeleteFile);
  SLOT(Env, CreateDir);
  SLOT(Env, RemoveDir);
  SLOT(Env, DeleteDir);
  SLOT(Env, GetFileSize);
  SLOT(Env, RenameFile);
  SLOT(Env, LockFile);
  SLOT(Env, UnlockFile);
  SLOT(Env, Schedule);
  SLOT(Env, StartThread);
  SLOT(Env, GetTestDirectory);
  SLOT(Env, NewLogger);
  SLOT(Env, NowMicros);
  SLOT(Env, SleepForMicroseconds);
}

// A program's own subclasses: their vtables and type information refer to the library's.
class Reverse final : public Comparator {
 public:
  const char* Name() const override { return "abi_probe.Reverse"; }
  int Compare(const Slice& a, const Slice& b) const override { return b.compare(a); }
  void FindShortestSeparator(std::string*, const Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}
};

class CountingEnv final : public EnvWrapper {
 public:
  explicit CountingEnv(Env* target) : EnvWrapper(target) {}
  Status NewWritableFile(const std::string& name, WritableFile** file) override {
    ++written;
    return target()->NewWritableFile(name, file);
  }
  int written = 0;
};

class CountingHandler final : public WriteBatch::Handler {
 public:
  void Put(const Slice& key, const Slice& value) override {
    std::printf("put %s %s\n", key.ToString().c_str(), value.ToString().c_str());
  }
  void Delete(const Slice& key) override { std::printf("delete %s\n", key.ToString().c_str()); }
};

class SilentLogger final : public Logger {
 public:
  void Logv(const char*, std::va_list) override {}
};

const char* KindOf(const Status& status) {
  if (status.ok()) return "OK";
  if (status.IsNotFound()) return "NotFound";
  if (status.IsCorruption()) return "Corruption";
  if (status.IsIOError()) return "IOError";
  if (status.IsNotSupportedError()) return "NotSupported";
  return status.IsInvalidArgument() ? "InvalidArgument" : "?";
}

void PrintStatuses() {
  const Status statuses[] = {Status::OK(),
                             Status::NotFound("what", "why"),
                             Status::Corruption("what", "why"),
                             Status::NotSupported("what"),
                             Status::InvalidArgument("what", ""),
                             Status::IOError(Slice("w\0t", 3), "why")};
  for (const Status& status : statuses) {
    Status copy(status);
    Status assigned = Status::IOError("old");
    assigned = copy;
    Status moved(std::move(copy));
    std::printf("%s %zu %s\n", KindOf(moved), assigned.ToString().size(),
                assigned.ToString().c_str());
    // The data that inline functions in programs read: length, kind, message.
    const char* state;
    std::memcpy(&state, &moved, sizeof state);
    if (state == nullptr) continue;
    std::uint32_t length;
    std::memcpy(&length, state, sizeof length);
    std::printf("  length %u kind %d message %.*s\n", length, state[4], static_cast<int>(length),
                state + 5);
  }
}

void PrintTypes(DB* db, Env* env) {
  const std::unique_ptr<Iterator> iterator(db->NewIterator(ReadOptions()));
  const std::unique_ptr<Cache> cache(NewLRUCache(100));
  const std::unique_ptr<const FilterPolicy> filter(NewBloomFilterPolicy(10));
  Env& env_ref = *env;
  std::printf("types: %d %d\n", dynamic_cast<EnvWrapper*>(env) != nullptr,
              dynamic_cast<CountingEnv*>(&env_ref) != nullptr);
  std::printf("%s %s %s %s %s %s\n", typeid(DB).name(), typeid(Env).name(),
              typeid(Comparator).name(), typeid(Cache).name(), typeid(FilterPolicy).name(),
              typeid(Logger).name());
  std::printf("%s %s\n", BytewiseComparator()->Name(), filter->Name());
  std::printf("charge %zu\n", cache->TotalCharge());
}

int Run(const std::string& path) {
  Reverse reverse;
  SilentLogger logger;
  const std::unique_ptr<Env> memory(NewMemEnv(Env::Default()));
  CountingEnv env(memory.get());
  Options options;
  options.comparator = &reverse;
  options.env = &env;
  options.info_log = &logger;
  options.create_if_missing = true;
  DB* raw = nullptr;
  Status status = DB::Open(options, path, &raw);
  std::printf("open %s\n", KindOf(status));
  if (!status.ok()) return 1;
  const std::unique_ptr<DB> db(raw);
  PrintTypes(db.get(), &env);

  WriteBatch batch;
  batch.Put("a", "1");
  batch.Put("b", "2");
  batch.Delete("c");
  CountingHandler handler;
  std::printf("iterate %s, %zu bytes\n", KindOf(batch.Iterate(&handler)), batch.ApproximateSize());
  std::printf("write %s\n", KindOf(db->Write(WriteOptions(), &batch)));
  std::string value;
  std::printf("get %s %s\n", KindOf(db->Get(ReadOptions(), "b", &value)), value.c_str());
  std::printf("get %s\n", KindOf(db->Get(ReadOptions(), "c", &value)));
  db->CompactRange(nullptr, nullptr);
  int cleanups = 0;
  {
    const std::unique_ptr<Iterator> entry(db->NewIterator(ReadOptions()));
    for (int i = 0; i < 3; ++i) {
      entry->RegisterCleanup([](void* count, void*) { ++*static_cast<int*>(count); }, &cleanups,
                             nullptr);
    }
    for (entry->SeekToFirst(); entry->Valid(); entry->Next()) {
      std::printf("entry %s %s\n", entry->key().ToString().c_str(),
                  entry->value().ToString().c_str());
    }
  }
  std::printf("cleanups %d, env used: %d\n", cleanups, env.written > 0);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  PrintSizes();
  PrintFields();
  PrintStoreSlots();
  PrintPluginSlots();
  PrintEnvSlots();
  PrintStatuses();
  return Run(argv[1]);
}
