/* Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

   The interface declared here is LevelDB's; see NOTICE.

   The C API, for C programs and for bindings of other languages. A program compiled for LevelDB's
   library also runs with this one, and the reverse.

   Rules for all functions:

   - Types are opaque. Destroy what a _create function, leveldb_open or leveldb_create_... returns
     with the function of the matching name, never with free().
   - A key or value is a pointer and a length, and can contain zero bytes. A function that needs it
     after the call copies it.
   - A function that can fail has `errptr` as its last argument. *errptr must be NULL or point to
     memory from malloc(). Success leaves *errptr unchanged. Failure frees the old message and sets
     *errptr to a new one, which ends in a zero. The caller frees it, best with leveldb_free().
   - uint8_t is a boolean: 0 is false, any other value true.
   - Pointers must not be NULL unless a comment allows it.

   Threads can share a store and its snapshots, caches, comparators and filter policies. Only one
   thread at a time can use an iterator, a batch or an options object. */

#ifndef LULL_INCLUDE_LEVELDB_C_H_
#define LULL_INCLUDE_LEVELDB_C_H_

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "leveldb/export.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct leveldb_t leveldb_t;
typedef struct leveldb_cache_t leveldb_cache_t;
typedef struct leveldb_comparator_t leveldb_comparator_t;
typedef struct leveldb_env_t leveldb_env_t;
typedef struct leveldb_filelock_t leveldb_filelock_t;
typedef struct leveldb_filterpolicy_t leveldb_filterpolicy_t;
typedef struct leveldb_iterator_t leveldb_iterator_t;
typedef struct leveldb_logger_t leveldb_logger_t;
typedef struct leveldb_options_t leveldb_options_t;
typedef struct leveldb_randomfile_t leveldb_randomfile_t;
typedef struct leveldb_readoptions_t leveldb_readoptions_t;
typedef struct leveldb_seqfile_t leveldb_seqfile_t;
typedef struct leveldb_snapshot_t leveldb_snapshot_t;
typedef struct leveldb_writablefile_t leveldb_writablefile_t;
typedef struct leveldb_writebatch_t leveldb_writebatch_t;
typedef struct leveldb_writeoptions_t leveldb_writeoptions_t;

/* ---- The store ---- */

/* Returns NULL on failure. The objects set in `options` must outlive the store; `options` itself
   need not. */
LEVELDB_EXPORT leveldb_t* leveldb_open(const leveldb_options_t* options, const char* name,
                                       char** errptr);

/* Destroy all iterators and release all snapshots before. */
LEVELDB_EXPORT void leveldb_close(leveldb_t* db);

LEVELDB_EXPORT void leveldb_put(leveldb_t* db, const leveldb_writeoptions_t* options,
                                const char* key, size_t keylen, const char* val, size_t vallen,
                                char** errptr);

/* Succeeds if the key does not exist. */
LEVELDB_EXPORT void leveldb_delete(leveldb_t* db, const leveldb_writeoptions_t* options,
                                   const char* key, size_t keylen, char** errptr);

/* Applies the whole batch or nothing. The caller keeps the batch, unchanged. */
LEVELDB_EXPORT void leveldb_write(leveldb_t* db, const leveldb_writeoptions_t* options,
                                  leveldb_writebatch_t* batch, char** errptr);

/* Returns the value, allocated by malloc(), and its length in *vallen; not NULL for an empty value.
   Returns NULL and length 0 if the key does not exist (which sets no error) or on an error. */
LEVELDB_EXPORT char* leveldb_get(leveldb_t* db, const leveldb_readoptions_t* options,
                                 const char* key, size_t keylen, size_t* vallen, char** errptr);

LEVELDB_EXPORT leveldb_iterator_t* leveldb_create_iterator(leveldb_t* db,
                                                           const leveldb_readoptions_t* options);

LEVELDB_EXPORT const leveldb_snapshot_t* leveldb_create_snapshot(leveldb_t* db);

LEVELDB_EXPORT void leveldb_release_snapshot(leveldb_t* db, const leveldb_snapshot_t* snapshot);

/* Returns the property as a zero-terminated string from malloc(); NULL for an unknown name. */
LEVELDB_EXPORT char* leveldb_property_value(leveldb_t* db, const char* propname);

/* Sets sizes[i] to the approximate bytes, in tables and memtables, of the keys k with
   start i <= k < limit i. */
LEVELDB_EXPORT void leveldb_approximate_sizes(leveldb_t* db, int num_ranges,
                                              const char* const* range_start_key,
                                              const size_t* range_start_key_len,
                                              const char* const* range_limit_key,
                                              const size_t* range_limit_key_len, uint64_t* sizes);

/* A NULL start is before all keys, a NULL limit after all keys. */
LEVELDB_EXPORT void leveldb_compact_range(leveldb_t* db, const char* start_key,
                                          size_t start_key_len, const char* limit_key,
                                          size_t limit_key_len);

/* ---- Stores that are not open ---- */

LEVELDB_EXPORT void leveldb_destroy_db(const leveldb_options_t* options, const char* name,
                                       char** errptr);

LEVELDB_EXPORT void leveldb_repair_db(const leveldb_options_t* options, const char* name,
                                      char** errptr);

/* ---- Iterators ----
   Keys and values point into the iterator and are valid until it moves. */

LEVELDB_EXPORT void leveldb_iter_destroy(leveldb_iterator_t*);
LEVELDB_EXPORT uint8_t leveldb_iter_valid(const leveldb_iterator_t*);
LEVELDB_EXPORT void leveldb_iter_seek_to_first(leveldb_iterator_t*);
LEVELDB_EXPORT void leveldb_iter_seek_to_last(leveldb_iterator_t*);
LEVELDB_EXPORT void leveldb_iter_seek(leveldb_iterator_t*, const char* k, size_t klen);
LEVELDB_EXPORT void leveldb_iter_next(leveldb_iterator_t*);
LEVELDB_EXPORT void leveldb_iter_prev(leveldb_iterator_t*);
LEVELDB_EXPORT const char* leveldb_iter_key(const leveldb_iterator_t*, size_t* klen);
LEVELDB_EXPORT const char* leveldb_iter_value(const leveldb_iterator_t*, size_t* vlen);
LEVELDB_EXPORT void leveldb_iter_get_error(const leveldb_iterator_t*, char** errptr);

/* ---- Write batches ---- */

LEVELDB_EXPORT leveldb_writebatch_t* leveldb_writebatch_create(void);
LEVELDB_EXPORT void leveldb_writebatch_destroy(leveldb_writebatch_t*);
LEVELDB_EXPORT void leveldb_writebatch_clear(leveldb_writebatch_t*);
LEVELDB_EXPORT void leveldb_writebatch_put(leveldb_writebatch_t*, const char* key, size_t klen,
                                           const char* val, size_t vlen);
LEVELDB_EXPORT void leveldb_writebatch_delete(leveldb_writebatch_t*, const char* key, size_t klen);

/* Calls put or deleted for each update, in order, with `state` as first argument. */
LEVELDB_EXPORT void leveldb_writebatch_iterate(
    const leveldb_writebatch_t*, void* state,
    void (*put)(void*, const char* k, size_t klen, const char* v, size_t vlen),
    void (*deleted)(void*, const char* k, size_t klen));

LEVELDB_EXPORT void leveldb_writebatch_append(leveldb_writebatch_t* destination,
                                              const leveldb_writebatch_t* source);

/* ---- Options ----
   The fields of leveldb::Options (leveldb/options.h), with the same defaults. The caller keeps the
   objects set here, which must outlive the stores opened with them. NULL restores the default
   filter policy (none), log and cache (the store's own). A store with a NULL comparator or env does
   not open. */

LEVELDB_EXPORT leveldb_options_t* leveldb_options_create(void);
LEVELDB_EXPORT void leveldb_options_destroy(leveldb_options_t*);
LEVELDB_EXPORT void leveldb_options_set_comparator(leveldb_options_t*, leveldb_comparator_t*);
LEVELDB_EXPORT void leveldb_options_set_filter_policy(leveldb_options_t*, leveldb_filterpolicy_t*);
LEVELDB_EXPORT void leveldb_options_set_create_if_missing(leveldb_options_t*, uint8_t);
LEVELDB_EXPORT void leveldb_options_set_error_if_exists(leveldb_options_t*, uint8_t);
LEVELDB_EXPORT void leveldb_options_set_paranoid_checks(leveldb_options_t*, uint8_t);
LEVELDB_EXPORT void leveldb_options_set_env(leveldb_options_t*, leveldb_env_t*);
LEVELDB_EXPORT void leveldb_options_set_info_log(leveldb_options_t*, leveldb_logger_t*);
LEVELDB_EXPORT void leveldb_options_set_write_buffer_size(leveldb_options_t*, size_t);
LEVELDB_EXPORT void leveldb_options_set_max_open_files(leveldb_options_t*, int);
LEVELDB_EXPORT void leveldb_options_set_cache(leveldb_options_t*, leveldb_cache_t*);
LEVELDB_EXPORT void leveldb_options_set_block_size(leveldb_options_t*, size_t);
LEVELDB_EXPORT void leveldb_options_set_block_restart_interval(leveldb_options_t*, int);
LEVELDB_EXPORT void leveldb_options_set_max_file_size(leveldb_options_t*, size_t);

enum {
  leveldb_no_compression = 0,
  leveldb_snappy_compression = 1,
  /* LevelDB 1.23 cannot read tables that use it. */
  leveldb_zstd_compression = 2
};
LEVELDB_EXPORT void leveldb_options_set_compression(leveldb_options_t*, int);

/* ---- Comparators ----
   All functions receive `state` first. Many threads call them at once. `name` returns a
   zero-terminated string that lives as long as the comparator. */

LEVELDB_EXPORT leveldb_comparator_t* leveldb_comparator_create(
    void* state, void (*destructor)(void*),
    int (*compare)(void*, const char* a, size_t alen, const char* b, size_t blen),
    const char* (*name)(void*));
LEVELDB_EXPORT void leveldb_comparator_destroy(leveldb_comparator_t*);

/* ---- Filter policies ----
   The rules of comparators apply. `create_filter` sets *filter_length and returns memory from
   malloc(), which the library frees. */

LEVELDB_EXPORT leveldb_filterpolicy_t* leveldb_filterpolicy_create(
    void* state, void (*destructor)(void*),
    char* (*create_filter)(void*, const char* const* key_array, const size_t* key_length_array,
                           int num_keys, size_t* filter_length),
    uint8_t (*key_may_match)(void*, const char* key, size_t length, const char* filter,
                             size_t filter_length),
    const char* (*name)(void*));
LEVELDB_EXPORT void leveldb_filterpolicy_destroy(leveldb_filterpolicy_t*);

LEVELDB_EXPORT leveldb_filterpolicy_t* leveldb_filterpolicy_create_bloom(int bits_per_key);

/* ---- Read options ---- */

LEVELDB_EXPORT leveldb_readoptions_t* leveldb_readoptions_create(void);
LEVELDB_EXPORT void leveldb_readoptions_destroy(leveldb_readoptions_t*);
LEVELDB_EXPORT void leveldb_readoptions_set_verify_checksums(leveldb_readoptions_t*, uint8_t);
LEVELDB_EXPORT void leveldb_readoptions_set_fill_cache(leveldb_readoptions_t*, uint8_t);
/* NULL: the current state. */
LEVELDB_EXPORT void leveldb_readoptions_set_snapshot(leveldb_readoptions_t*,
                                                     const leveldb_snapshot_t*);

/* ---- Write options ---- */

LEVELDB_EXPORT leveldb_writeoptions_t* leveldb_writeoptions_create(void);
LEVELDB_EXPORT void leveldb_writeoptions_destroy(leveldb_writeoptions_t*);
LEVELDB_EXPORT void leveldb_writeoptions_set_sync(leveldb_writeoptions_t*, uint8_t);

/* ---- Caches, the Env, and the rest ---- */

LEVELDB_EXPORT leveldb_cache_t* leveldb_cache_create_lru(size_t capacity);
LEVELDB_EXPORT void leveldb_cache_destroy(leveldb_cache_t* cache);

LEVELDB_EXPORT leveldb_env_t* leveldb_create_default_env(void);
LEVELDB_EXPORT void leveldb_env_destroy(leveldb_env_t*);

/* Returns a path from malloc(); NULL if the directory neither exists nor can be created. */
LEVELDB_EXPORT char* leveldb_env_get_test_directory(leveldb_env_t*);

/* Calls free() of the C library that this library uses. NULL is allowed. */
LEVELDB_EXPORT void leveldb_free(void* ptr);

/* The LevelDB release that defines this interface: 1 and 23. */
LEVELDB_EXPORT int leveldb_major_version(void);
LEVELDB_EXPORT int leveldb_minor_version(void);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* LULL_INCLUDE_LEVELDB_C_H_ */
