// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// leveldb/c.h on top of the C++ interface. Every function is a plain translation. That header has
// the rules for C callers: who frees what, and what NULL means.
#include "leveldb/c.h"

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "db/api/c_types.h"

using leveldb::Slice;
using leveldb::Status;

namespace lull::c {

char* MallocedCopy(std::string_view bytes) {
  auto* const copy = static_cast<char*>(std::malloc(bytes.size() + 1));
  if (copy == nullptr) std::abort();
  // The source may be a null pointer when there is nothing to copy.
  if (!bytes.empty()) std::memcpy(copy, bytes.data(), bytes.size());
  copy[bytes.size()] = '\0';
  return copy;
}

bool KeepError(const Status& status, char** errptr) {
  if (status.ok()) return true;
  std::free(*errptr);
  *errptr = MallocedCopy(status.ToString());
  return false;
}

namespace {

const char* BytesOf(const Slice& slice, size_t* size) {
  *size = slice.size();
  return slice.data();
}

/// The object of a handle; nullptr for a null handle.
template <class Handle>
auto RepOrNull(const Handle* handle) {
  return handle == nullptr ? nullptr : &*handle->rep;
}

class CComparator final : public leveldb::Comparator {
 public:
  using CompareFunction = int (*)(void*, const char*, size_t, const char*, size_t);

  CComparator(void* state, CState::Destructor destructor, CompareFunction compare,
              CState::NameFunction name)
      : state_(state, destructor, name), compare_(compare) {}

  const char* Name() const override { return state_.name(); }
  int Compare(const Slice& a, const Slice& b) const override {
    return compare_(state_.get(), a.data(), a.size(), b.data(), b.size());
  }
  // C programs cannot provide shorter keys, so index entries are whole keys.
  void FindShortestSeparator(std::string*, const Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}

 private:
  const CState state_;
  const CompareFunction compare_;
};

class CFilterPolicy final : public leveldb::FilterPolicy {
 public:
  using CreateFunction = char* (*)(void*, const char* const*, const size_t*, int, size_t*);
  using MatchFunction = uint8_t (*)(void*, const char*, size_t, const char*, size_t);

  CFilterPolicy(void* state, CState::Destructor destructor, CreateFunction create,
                MatchFunction match, CState::NameFunction name)
      : state_(state, destructor, name), create_(create), match_(match) {}

  const char* Name() const override { return state_.name(); }

  void CreateFilter(const Slice* keys, int n, std::string* dst) const override {
    std::vector<const char*> starts;
    std::vector<size_t> sizes;
    for (const Slice* key = keys; key != keys + n; ++key) {
      starts.push_back(key->data());
      sizes.push_back(key->size());
    }
    size_t filter_bytes = 0;
    const std::unique_ptr<char, void (*)(void*)> filter(
        create_(state_.get(), starts.data(), sizes.data(), n, &filter_bytes), std::free);
    if (filter != nullptr) dst->append(filter.get(), filter_bytes);
  }

  bool KeyMayMatch(const Slice& key, const Slice& filter) const override {
    return match_(state_.get(), key.data(), key.size(), filter.data(), filter.size()) != 0;
  }

 private:
  const CState state_;
  const CreateFunction create_;
  const MatchFunction match_;
};

/// Passes the updates of a batch to two C functions.
class CBatchReader final : public leveldb::WriteBatch::Handler {
 public:
  using PutFunction = void (*)(void*, const char*, size_t, const char*, size_t);
  using DeleteFunction = void (*)(void*, const char*, size_t);

  CBatchReader(void* state, PutFunction put, DeleteFunction deleted)
      : state_(state), put_(put), deleted_(deleted) {}

  void Put(const Slice& key, const Slice& value) override {
    put_(state_, key.data(), key.size(), value.data(), value.size());
  }
  void Delete(const Slice& key) override { deleted_(state_, key.data(), key.size()); }

 private:
  void* const state_;
  const PutFunction put_;
  const DeleteFunction deleted_;
};

}  // namespace
}  // namespace lull::c

using namespace lull::c;

extern "C" {

// ---- The store ----

leveldb_t* leveldb_open(const leveldb_options_t* options, const char* name, char** errptr) {
  leveldb::DB* db = nullptr;
  const bool opened = KeepError(leveldb::DB::Open(options->rep, name, &db), errptr);
  return opened ? new leveldb_t{db} : nullptr;
}

void leveldb_close(leveldb_t* db) {
  delete db->rep;
  delete db;
}

void leveldb_put(leveldb_t* db, const leveldb_writeoptions_t* options, const char* key,
                 size_t key_bytes, const char* value, size_t value_bytes, char** errptr) {
  KeepError(db->rep->Put(options->rep, {key, key_bytes}, {value, value_bytes}), errptr);
}

void leveldb_delete(leveldb_t* db, const leveldb_writeoptions_t* options, const char* key,
                    size_t key_bytes, char** errptr) {
  KeepError(db->rep->Delete(options->rep, {key, key_bytes}), errptr);
}

void leveldb_write(leveldb_t* db, const leveldb_writeoptions_t* options,
                   leveldb_writebatch_t* batch, char** errptr) {
  KeepError(db->rep->Write(options->rep, &batch->rep), errptr);
}

char* leveldb_get(leveldb_t* db, const leveldb_readoptions_t* options, const char* key,
                  size_t key_bytes, size_t* value_bytes, char** errptr) {
  *value_bytes = 0;
  std::string value;
  const Status status = db->rep->Get(options->rep, {key, key_bytes}, &value);
  if (status.IsNotFound() || !KeepError(status, errptr)) return nullptr;
  *value_bytes = value.size();
  return MallocedCopy(value);
}

leveldb_iterator_t* leveldb_create_iterator(leveldb_t* db, const leveldb_readoptions_t* options) {
  return new leveldb_iterator_t{
      std::unique_ptr<leveldb::Iterator>(db->rep->NewIterator(options->rep))};
}

const leveldb_snapshot_t* leveldb_create_snapshot(leveldb_t* db) {
  return new leveldb_snapshot_t{db->rep->GetSnapshot()};
}

char* leveldb_property_value(leveldb_t* db, const char* propname) {
  std::string value;
  return db->rep->GetProperty(propname, &value) ? MallocedCopy(value) : nullptr;
}

void leveldb_release_snapshot(leveldb_t* db, const leveldb_snapshot_t* snapshot) {
  db->rep->ReleaseSnapshot(snapshot->rep);
  delete snapshot;
}

void leveldb_approximate_sizes(leveldb_t* db, int ranges_count, const char* const* starts,
                               const size_t* start_bytes, const char* const* limits,
                               const size_t* limit_bytes, uint64_t* sizes) {
  std::vector<leveldb::Range> ranges;
  for (int i = 0; i < ranges_count; ++i) {
    ranges.emplace_back(Slice(starts[i], start_bytes[i]), Slice(limits[i], limit_bytes[i]));
  }
  db->rep->GetApproximateSizes(ranges.data(), ranges_count, sizes);
}

void leveldb_compact_range(leveldb_t* db, const char* first, size_t first_bytes, const char* last,
                           size_t last_bytes) {
  db->rep->CompactRange(NullIfUnset({first, first_bytes}), NullIfUnset({last, last_bytes}));
}

// ---- Stores that are not open ----

void leveldb_destroy_db(const leveldb_options_t* options, const char* name, char** errptr) {
  KeepError(leveldb::DestroyDB(name, options->rep), errptr);
}

void leveldb_repair_db(const leveldb_options_t* options, const char* name, char** errptr) {
  KeepError(leveldb::RepairDB(name, options->rep), errptr);
}

// ---- Iterators ----

void leveldb_iter_destroy(leveldb_iterator_t* iter) { delete iter; }

uint8_t leveldb_iter_valid(const leveldb_iterator_t* iter) { return iter->rep->Valid() ? 1 : 0; }

const char* leveldb_iter_key(const leveldb_iterator_t* iter, size_t* key_bytes) {
  return BytesOf(iter->rep->key(), key_bytes);
}

const char* leveldb_iter_value(const leveldb_iterator_t* iter, size_t* value_bytes) {
  return BytesOf(iter->rep->value(), value_bytes);
}

void leveldb_iter_get_error(const leveldb_iterator_t* iter, char** errptr) {
  KeepError(iter->rep->status(), errptr);
}

void leveldb_iter_next(leveldb_iterator_t* iter) { iter->rep->Next(); }

void leveldb_iter_seek_to_first(leveldb_iterator_t* iter) { iter->rep->SeekToFirst(); }

void leveldb_iter_seek(leveldb_iterator_t* iter, const char* key, size_t key_bytes) {
  iter->rep->Seek({key, key_bytes});
}

void leveldb_iter_seek_to_last(leveldb_iterator_t* iter) { iter->rep->SeekToLast(); }

void leveldb_iter_prev(leveldb_iterator_t* iter) { iter->rep->Prev(); }

// ---- Write batches ----

leveldb_writebatch_t* leveldb_writebatch_create(void) { return new leveldb_writebatch_t; }

void leveldb_writebatch_destroy(leveldb_writebatch_t* batch) { delete batch; }

void leveldb_writebatch_delete(leveldb_writebatch_t* batch, const char* key, size_t key_bytes) {
  batch->rep.Delete({key, key_bytes});
}

void leveldb_writebatch_put(leveldb_writebatch_t* batch, const char* key, size_t key_bytes,
                            const char* value, size_t value_bytes) {
  batch->rep.Put({key, key_bytes}, {value, value_bytes});
}

void leveldb_writebatch_iterate(const leveldb_writebatch_t* batch, void* state,
                                CBatchReader::PutFunction put,
                                CBatchReader::DeleteFunction deleted) {
  CBatchReader reader(state, put, deleted);
  // C callers cannot create a malformed batch, so there is no error to return.
  (void)batch->rep.Iterate(&reader);
}

void leveldb_writebatch_append(leveldb_writebatch_t* destination,
                               const leveldb_writebatch_t* source) {
  destination->rep.Append(source->rep);
}

void leveldb_writebatch_clear(leveldb_writebatch_t* batch) { batch->rep.Clear(); }

// ---- Options ----

leveldb_options_t* leveldb_options_create(void) { return new leveldb_options_t; }

void leveldb_options_destroy(leveldb_options_t* options) { delete options; }

void leveldb_options_set_comparator(leveldb_options_t* options, leveldb_comparator_t* comparator) {
  options->rep.comparator = RepOrNull(comparator);
}

void leveldb_options_set_filter_policy(leveldb_options_t* options, leveldb_filterpolicy_t* policy) {
  options->rep.filter_policy = RepOrNull(policy);
}

void leveldb_options_set_create_if_missing(leveldb_options_t* options, uint8_t on) {
  options->rep.create_if_missing = on != 0;
}

void leveldb_options_set_error_if_exists(leveldb_options_t* options, uint8_t on) {
  options->rep.error_if_exists = on != 0;
}

void leveldb_options_set_paranoid_checks(leveldb_options_t* options, uint8_t on) {
  options->rep.paranoid_checks = on != 0;
}

void leveldb_options_set_env(leveldb_options_t* options, leveldb_env_t* env) {
  options->rep.env = RepOrNull(env);
}

void leveldb_options_set_info_log(leveldb_options_t* options, leveldb_logger_t* logger) {
  options->rep.info_log = RepOrNull(logger);
}

void leveldb_options_set_write_buffer_size(leveldb_options_t* options, size_t bytes) {
  options->rep.write_buffer_size = bytes;
}

void leveldb_options_set_max_open_files(leveldb_options_t* options, int files) {
  options->rep.max_open_files = files;
}

void leveldb_options_set_cache(leveldb_options_t* options, leveldb_cache_t* cache) {
  options->rep.block_cache = RepOrNull(cache);
}

void leveldb_options_set_block_size(leveldb_options_t* options, size_t bytes) {
  options->rep.block_size = bytes;
}

void leveldb_options_set_block_restart_interval(leveldb_options_t* options, int entries) {
  options->rep.block_restart_interval = entries;
}

void leveldb_options_set_max_file_size(leveldb_options_t* options, size_t bytes) {
  options->rep.max_file_size = bytes;
}

// The open refuses numbers that are not in the enum.
void leveldb_options_set_compression(leveldb_options_t* options, int type) {
  options->rep.compression = static_cast<leveldb::CompressionType>(type);
}

// ---- Comparators and filter policies ----

leveldb_comparator_t* leveldb_comparator_create(void* state, CState::Destructor destructor,
                                                CComparator::CompareFunction compare,
                                                CState::NameFunction name) {
  return new leveldb_comparator_t{std::make_unique<CComparator>(state, destructor, compare, name)};
}

void leveldb_comparator_destroy(leveldb_comparator_t* comparator) { delete comparator; }

leveldb_filterpolicy_t* leveldb_filterpolicy_create(void* state, CState::Destructor destructor,
                                                    CFilterPolicy::CreateFunction create_filter,
                                                    CFilterPolicy::MatchFunction key_may_match,
                                                    CState::NameFunction name) {
  return new leveldb_filterpolicy_t{
      std::make_unique<CFilterPolicy>(state, destructor, create_filter, key_may_match, name)};
}

leveldb_filterpolicy_t* leveldb_filterpolicy_create_bloom(int bits_per_key) {
  return new leveldb_filterpolicy_t{
      std::unique_ptr<const leveldb::FilterPolicy>(leveldb::NewBloomFilterPolicy(bits_per_key))};
}

void leveldb_filterpolicy_destroy(leveldb_filterpolicy_t* policy) { delete policy; }

// ---- How to read and write ----

leveldb_readoptions_t* leveldb_readoptions_create(void) { return new leveldb_readoptions_t; }

void leveldb_readoptions_destroy(leveldb_readoptions_t* options) { delete options; }

void leveldb_readoptions_set_verify_checksums(leveldb_readoptions_t* options, uint8_t on) {
  options->rep.verify_checksums = on != 0;
}

void leveldb_readoptions_set_fill_cache(leveldb_readoptions_t* options, uint8_t on) {
  options->rep.fill_cache = on != 0;
}

void leveldb_readoptions_set_snapshot(leveldb_readoptions_t* options,
                                      const leveldb_snapshot_t* snapshot) {
  options->rep.snapshot = RepOrNull(snapshot);
}

leveldb_writeoptions_t* leveldb_writeoptions_create(void) { return new leveldb_writeoptions_t; }

void leveldb_writeoptions_destroy(leveldb_writeoptions_t* options) { delete options; }

void leveldb_writeoptions_set_sync(leveldb_writeoptions_t* options, uint8_t on) {
  options->rep.sync = on != 0;
}

// ---- Caches, the Env, and the rest ----

leveldb_cache_t* leveldb_cache_create_lru(size_t capacity) {
  return new leveldb_cache_t{std::unique_ptr<leveldb::Cache>(leveldb::NewLRUCache(capacity))};
}

void leveldb_cache_destroy(leveldb_cache_t* cache) { delete cache; }

leveldb_env_t* leveldb_create_default_env(void) {
  return new leveldb_env_t{leveldb::Env::Default()};
}

void leveldb_env_destroy(leveldb_env_t* env) { delete env; }

char* leveldb_env_get_test_directory(leveldb_env_t* env) {
  std::string path;
  return env->rep->GetTestDirectory(&path).ok() ? MallocedCopy(path) : nullptr;
}

void leveldb_free(void* ptr) { std::free(ptr); }

int leveldb_major_version(void) { return leveldb::kMajorVersion; }

int leveldb_minor_version(void) { return leveldb::kMinorVersion; }

}  // extern "C"
