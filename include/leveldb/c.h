/* Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

   The C face of the store, for programs in C and for bindings of other languages. Its functions
   and types are LevelDB's; a program compiled for either library runs with the other.

   What holds for all functions:

   - Types are opaque. What a _create function, leveldb_open or leveldb_create_... returns is
     destroyed by the function of the matching name, never by free().
   - Keys and values are a pointer and a length; they may hold zero bytes and are copied by whoever
     needs them longer than the call.
   - A function that can fail has `errptr` as its last argument. *errptr must be NULL or point to
     memory from malloc(). When the call succeeds, *errptr stays as it is; when it fails, the
     message there is freed and a new one takes its place, which ends in a zero and is the caller's
     to free, best by leveldb_free().
   - uint8_t stands for a truth value: 0 is false, anything else true.
   - Pointers must not be NULL except where it is said.

   Threads may share a store, its snapshots, caches, comparators and filter policies. An iterator, a
   batch and an options object belong to one thread at a time. */

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

/* NULL on failure. What `options` refers to must outlive the store; `options` itself need not. */
LEVELDB_EXPORT leveldb_t* leveldb_open(const leveldb_options_t* options, const char* name,
                                       char** errptr);

/* Iterators must be destroyed and snapshots released before. */
LEVELDB_EXPORT void leveldb_close(leveldb_t* db);

LEVELDB_EXPORT void leveldb_put(leveldb_t* db, const leveldb_writeoptions_t* options,
                                const char* key, size_t keylen, const char* val, size_t vallen,
                                char** errptr);

/* Deleting what is not there is no error. */
LEVELDB_EXPORT void leveldb_delete(leveldb_t* db, const leveldb_writeoptions_t* options,
                                   const char* key, size_t keylen, char** errptr);

/* All of the batch or nothing. The batch stays the caller's, unchanged. */
LEVELDB_EXPORT void leveldb_write(leveldb_t* db, const leveldb_writeoptions_t* options,
                                  leveldb_writebatch_t* batch, char** errptr);

/* The value, malloc()ed, with its length in *vallen; also an empty value gives a pointer. NULL and
   length 0 if there is no such key, which is no error, or on an error. */
LEVELDB_EXPORT char* leveldb_get(leveldb_t* db, const leveldb_readoptions_t* options,
                                 const char* key, size_t keylen, size_t* vallen, char** errptr);

LEVELDB_EXPORT leveldb_iterator_t* leveldb_create_iterator(leveldb_t* db,
                                                           const leveldb_readoptions_t* options);

LEVELDB_EXPORT const leveldb_snapshot_t* leveldb_create_snapshot(leveldb_t* db);

LEVELDB_EXPORT void leveldb_release_snapshot(leveldb_t* db, const leveldb_snapshot_t* snapshot);

/* The property's text, malloc()ed and ending in a zero; NULL for a name that is not known. */
LEVELDB_EXPORT char* leveldb_property_value(leveldb_t* db, const char* propname);

/* sizes[i] becomes about the bytes, in tables and memtables, of the keys from start i to before
   limit i. */
LEVELDB_EXPORT void leveldb_approximate_sizes(leveldb_t* db, int num_ranges,
                                              const char* const* range_start_key,
                                              const size_t* range_start_key_len,
                                              const char* const* range_limit_key,
                                              const size_t* range_limit_key_len, uint64_t* sizes);

/* A NULL start is before all keys, a NULL limit behind all keys. */
LEVELDB_EXPORT void leveldb_compact_range(leveldb_t* db, const char* start_key,
                                          size_t start_key_len, const char* limit_key,
                                          size_t limit_key_len);

/* ---- Stores that are not open ---- */

LEVELDB_EXPORT void leveldb_destroy_db(const leveldb_options_t* options, const char* name,
                                       char** errptr);

LEVELDB_EXPORT void leveldb_repair_db(const leveldb_options_t* options, const char* name,
                                      char** errptr);

/* ---- Iterators ----
   Keys and values point into the iterator and are good until it moves. */

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
   As the fields of leveldb::Options (leveldb/options.h), with the same defaults. Objects handed
   over remain the caller's and must outlive the stores opened with them. NULL takes back what was
   set: no filter policy, no log of one's own, a cache of the store's own; a store does not open
   with a comparator or an env of NULL. */

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
  /* LevelDB 1.23 cannot read tables that use this one. */
  leveldb_zstd_compression = 2
};
LEVELDB_EXPORT void leveldb_options_set_compression(leveldb_options_t*, int);

/* ---- Comparators ----
   All functions get `state` first and are called from many threads at once. `name` returns a text
   that ends in a zero and lives as long as the comparator. */

LEVELDB_EXPORT leveldb_comparator_t* leveldb_comparator_create(
    void* state, void (*destructor)(void*),
    int (*compare)(void*, const char* a, size_t alen, const char* b, size_t blen),
    const char* (*name)(void*));
LEVELDB_EXPORT void leveldb_comparator_destroy(leveldb_comparator_t*);

/* ---- Filter policies ----
   As for comparators. `create_filter` returns malloc()ed memory, which the library frees, and sets
   *filter_length. */

LEVELDB_EXPORT leveldb_filterpolicy_t* leveldb_filterpolicy_create(
    void* state, void (*destructor)(void*),
    char* (*create_filter)(void*, const char* const* key_array, const size_t* key_length_array,
                           int num_keys, size_t* filter_length),
    uint8_t (*key_may_match)(void*, const char* key, size_t length, const char* filter,
                             size_t filter_length),
    const char* (*name)(void*));
LEVELDB_EXPORT void leveldb_filterpolicy_destroy(leveldb_filterpolicy_t*);

LEVELDB_EXPORT leveldb_filterpolicy_t* leveldb_filterpolicy_create_bloom(int bits_per_key);

/* ---- How to read ---- */

LEVELDB_EXPORT leveldb_readoptions_t* leveldb_readoptions_create(void);
LEVELDB_EXPORT void leveldb_readoptions_destroy(leveldb_readoptions_t*);
LEVELDB_EXPORT void leveldb_readoptions_set_verify_checksums(leveldb_readoptions_t*, uint8_t);
LEVELDB_EXPORT void leveldb_readoptions_set_fill_cache(leveldb_readoptions_t*, uint8_t);
/* NULL: the present state. */
LEVELDB_EXPORT void leveldb_readoptions_set_snapshot(leveldb_readoptions_t*,
                                                     const leveldb_snapshot_t*);

/* ---- How to write ---- */

LEVELDB_EXPORT leveldb_writeoptions_t* leveldb_writeoptions_create(void);
LEVELDB_EXPORT void leveldb_writeoptions_destroy(leveldb_writeoptions_t*);
LEVELDB_EXPORT void leveldb_writeoptions_set_sync(leveldb_writeoptions_t*, uint8_t);

/* ---- Caches, the Env, and the rest ---- */

LEVELDB_EXPORT leveldb_cache_t* leveldb_cache_create_lru(size_t capacity);
LEVELDB_EXPORT void leveldb_cache_destroy(leveldb_cache_t* cache);

LEVELDB_EXPORT leveldb_env_t* leveldb_create_default_env(void);
LEVELDB_EXPORT void leveldb_env_destroy(leveldb_env_t*);

/* A path, malloc()ed; NULL if there is no such directory and none can be made. */
LEVELDB_EXPORT char* leveldb_env_get_test_directory(leveldb_env_t*);

/* free(), of the C library that this library uses. NULL is allowed. */
LEVELDB_EXPORT void leveldb_free(void* ptr);

/* The LevelDB release whose interface this is: 1 and 23. */
LEVELDB_EXPORT int leveldb_major_version(void);
LEVELDB_EXPORT int leveldb_minor_version(void);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* LULL_INCLUDE_LEVELDB_C_H_ */
