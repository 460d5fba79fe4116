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
#include <initializer_list>
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

// Each prints the text of its arguments, then a number or two for each argument.
#define SIZES(...) PrintSizes<__VA_ARGS__>(#__VA_ARGS__)
#define FIELDS(...) PrintFields(#__VA_ARGS__, __VA_ARGS__)
#define VALUE(name) Print(#name, {static_cast<size_t>(name)})
#define SLOTS(...) PrintSlots(#__VA_ARGS__, __VA_ARGS__)

void Print(const char* names, std::initializer_list<size_t> numbers) {
  std::printf("%s:", names);
  for (const size_t number : numbers) std::printf(" %zu", number);
  std::printf("\n");
}

template <class... Types>
void PrintSizes(const char* names) {
  Print(names, {sizeof(Types)...});
  Print("  alignment", {alignof(Types)...});
}

// A pointer to a data member is its offset in the Itanium ABI.
template <class Class, class Field>
size_t OffsetOf(Field Class::*field) {
  std::ptrdiff_t offset;
  static_assert(sizeof field == sizeof offset, "a pointer to a data member is one word");
  std::memcpy(&offset, &field, sizeof offset);
  return static_cast<size_t>(offset);
}

template <class Class, class Field>
constexpr size_t SizeOf(Field Class::*) {
  return sizeof(Field);
}

template <class... Fields>
void PrintFields(const char* names, Fields... fields) {
  Print(names, {OffsetOf(fields)...});
  Print("  sizes", {SizeOf(fields)...});
}

// The slot of a virtual function in its class's vtable. A pointer to a virtual member function is 1
// + 8 * slot in the Itanium ABI, or on Arm 8 * slot with the mark in the second word.
template <class Method>
size_t SlotOf(Method method) {
  std::uintptr_t words[2];
  static_assert(sizeof method == sizeof words, "a pointer to a member function has two words");
  std::memcpy(words, &method, sizeof words);
  return words[0] / sizeof(void*);
}

template <class... Methods>
void PrintSlots(const char* names, Methods... methods) {
  Print(names, {SlotOf(methods)...});
}

void PrintData() {
  SIZES(Cache, Comparator, DB, Env, EnvWrapper, FileLock, FilterPolicy, Iterator, Logger, Options,
        RandomAccessFile, Range, ReadOptions, SequentialFile, Slice, Snapshot, Status, Table,
        TableBuilder, WritableFile, WriteBatch, WriteBatch::Handler, WriteOptions);
  FIELDS(&Options::comparator, &Options::create_if_missing, &Options::error_if_exists,
         &Options::paranoid_checks, &Options::env, &Options::info_log, &Options::write_buffer_size,
         &Options::max_open_files, &Options::block_cache, &Options::block_size,
         &Options::block_restart_interval, &Options::max_file_size, &Options::compression,
         &Options::reuse_logs, &Options::filter_policy);
  FIELDS(&ReadOptions::verify_checksums, &ReadOptions::fill_cache, &ReadOptions::snapshot,
         &WriteOptions::sync, &Range::start, &Range::limit);
  VALUE(kMajorVersion);
  VALUE(kMinorVersion);
  VALUE(kNoCompression);
  VALUE(kSnappyCompression);
  const Options options;
  VALUE(options.comparator == BytewiseComparator());
  VALUE(options.env == Env::Default());
  VALUE(options.compression);
  VALUE(options.write_buffer_size);
  VALUE(options.create_if_missing);
}

void PrintVtables() {
  SLOTS(&DB::Put, &DB::Delete, &DB::Write, &DB::Get, &DB::NewIterator, &DB::GetSnapshot,
        &DB::ReleaseSnapshot, &DB::GetProperty, &DB::GetApproximateSizes, &DB::CompactRange);
  SLOTS(&Iterator::Valid, &Iterator::SeekToFirst, &Iterator::SeekToLast, &Iterator::Seek,
        &Iterator::Next, &Iterator::Prev, &Iterator::key, &Iterator::value, &Iterator::status);
  SLOTS(&WriteBatch::Handler::Put, &WriteBatch::Handler::Delete);
  SLOTS(&Comparator::Compare, &Comparator::Name, &Comparator::FindShortestSeparator,
        &Comparator::FindShortSuccessor);
  SLOTS(&FilterPolicy::Name, &FilterPolicy::CreateFilter, &FilterPolicy::KeyMayMatch);
  SLOTS(&Cache::Insert, &Cache::Lookup, &Cache::Release, &Cache::Value, &Cache::Erase,
        &Cache::NewId, &Cache::Prune, &Cache::TotalCharge);
  SLOTS(&Logger::Logv, &SequentialFile::Read, &SequentialFile::Skip, &RandomAccessFile::Read,
        &WritableFile::Append, &WritableFile::Close, &WritableFile::Flush, &WritableFile::Sync);
  SLOTS(&Env::NewSequentialFile, &Env::NewRandomAccessFile, &Env::NewWritableFile,
        &Env::NewAppendableFile, &Env::FileExists, &Env::GetChildren, &Env::RemoveFile,
        &Env::DeleteFile, &Env::CreateDir, &Env::RemoveDir, &Env::DeleteDir, &Env::GetFileSize,
        &Env::RenameFile, &Env::LockFile, &Env::UnlockFile, &Env::Schedule, &Env::StartThread,
        &Env::GetTestDirectory, &Env::NewLogger, &Env::NowMicros, &Env::SleepForMicroseconds);
}

// A program's own subclass: its vtable and type information refer to the library's. no_rtti.cc uses
// the library with one of each.
class OwnEnv final : public EnvWrapper {
 public:
  explicit OwnEnv(Env* target) : EnvWrapper(target) {}
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
              dynamic_cast<OwnEnv*>(&env_ref) != nullptr);
  std::printf("%s %s %s %s %s %s\n", typeid(DB).name(), typeid(Env).name(),
              typeid(Comparator).name(), typeid(Cache).name(), typeid(FilterPolicy).name(),
              typeid(Logger).name());
  std::printf("%s %s\n", BytewiseComparator()->Name(), filter->Name());
  std::printf("charge %zu\n", cache->TotalCharge());
}

int Run(const std::string& path) {
  const std::unique_ptr<Env> memory(NewMemEnv(Env::Default()));
  OwnEnv env(memory.get());
  Options options;
  options.env = &env;
  options.create_if_missing = true;
  DB* raw = nullptr;
  const Status status = DB::Open(options, path, &raw);
  std::printf("open %s\n", KindOf(status));
  if (!status.ok()) return 1;
  const std::unique_ptr<DB> db(raw);
  PrintTypes(db.get(), &env);

  WriteBatch batch;
  batch.Put("a", "1");
  batch.Delete("c");
  std::printf("write %s, %zu bytes\n", KindOf(db->Write(WriteOptions(), &batch)),
              batch.ApproximateSize());
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
  std::printf("cleanups %d\n", cleanups);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  PrintData();
  PrintVtables();
  PrintStatuses();
  return Run(argv[1]);
}
