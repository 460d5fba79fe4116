/* Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

   The C interface to Lull's additions to LevelDB: every function of lull/lull.h, lull/backup.h,
   lull/listener.h and lull/compaction_filter.h, which have the details. The rules of leveldb/c.h
   apply: `errptr`, ownership, and uint8_t for booleans. A store is a leveldb_t; close it with
   leveldb_close. A string or listener that is NULL is an error in `*errptr`. Any thread can call
   every function here. */

#ifndef LULL_INCLUDE_LULL_C_H_
#define LULL_INCLUDE_LULL_C_H_

#include <stddef.h>
#include <stdint.h>

#include "leveldb/c.h"
#include "leveldb/export.h"
#include "lull/version.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The store ---- */

/* The version of the library, equal to its LULL_VERSION_STRING. The string is static. */
LEVELDB_EXPORT const char* lull_version_string(void);

/* Sets `*errptr` if lull_open would refuse the option string. */
LEVELDB_EXPORT void lull_check_options(const char* scheduling, char** errptr);

/* Like leveldb_open, with an option string such as "policy=lull;l0_stop=64", which can be empty.
   Ignores the environment variable LULL_OPTIONS. Returns NULL on failure. */
LEVELDB_EXPORT leveldb_t* lull_open(const leveldb_options_t* options, const char* scheduling,
                                    const char* name, char** errptr);

/* Opens the store for reading, in its present state and without its LOCK, even while another
   process writes to it. Writes fail. Returns NULL on failure. */
LEVELDB_EXPORT leveldb_t* lull_open_read_only(const leveldb_options_t* options, const char* name,
                                              char** errptr);

/* Makes a store from lull_open_read_only show its present state. After an error it shows the old
   one. Does nothing to other stores. */
LEVELDB_EXPORT void lull_refresh(leveldb_t* db, char** errptr);

/* Changes options of an open store: those that docs/options.md lists as live. On an error nothing
   changes. */
LEVELDB_EXPORT void lull_set_options(leveldb_t* db, const char* scheduling, char** errptr);

/* Blocks until every write acknowledged before the call is durable in table files. */
LEVELDB_EXPORT void lull_flush(leveldb_t* db, char** errptr);

/* Blocks until no immutable memtable waits for its flush, no compaction is due or runs, and all
   obsolete files are deleted, except those that iterators need. Does not flush the active memtable.
   New writes prolong the wait. */
LEVELDB_EXPORT void lull_wait_for_idle(leveldb_t* db, char** errptr);

/* Copies the store to the directory `dir`, which must be empty or not exist. The copy contains
   every batch acknowledged before the call, and the first ones, possibly none, of those written
   during it. */
LEVELDB_EXPORT void lull_create_checkpoint(leveldb_t* db, const char* dir, char** errptr);

/* As leveldb_write, but gives up if the write could not begin within `wait_us_max` microseconds.
   Then nothing was written, returns 1 and sets *errptr; *cause, which can be NULL, is set as in
   lull_stall_info_t, and *room_us, which can be NULL, to the microseconds until room is expected
   (0: unknown). Otherwise returns 0. More is in lull/write.h. */
LEVELDB_EXPORT uint8_t lull_try_write(leveldb_t* db, const leveldb_writeoptions_t* options,
                                      leveldb_writebatch_t* batch, uint64_t wait_us_max, int* cause,
                                      uint64_t* room_us, char** errptr);

/* Whether the store has the key; 0 also after an error. As leveldb_get, but copies no value. */
LEVELDB_EXPORT uint8_t lull_exists(leveldb_t* db, const leveldb_readoptions_t* options,
                                   const char* key, size_t key_len, char** errptr);

/* Reads `count` keys, all as of one moment. Sets each values[i] to what leveldb_get would return
   for keys[i], NULL if it is absent, value_lens[i] to its length, and errors[i] to NULL or a
   message. Free values and messages with leveldb_free. */
LEVELDB_EXPORT void lull_multi_get(leveldb_t* db, const leveldb_readoptions_t* options,
                                   size_t count, const char* const* keys, const size_t* key_lens,
                                   char** values, size_t* value_lens, char** errors);

/* An iterator over the keys from `begin` to just before `end`, which are copied; a NULL pointer
   means no bound. More is in lull/read.h. Destroy it with leveldb_iter_destroy. */
LEVELDB_EXPORT leveldb_iterator_t* lull_new_iterator(leveldb_t* db,
                                                     const leveldb_readoptions_t* options,
                                                     const char* begin, size_t begin_len,
                                                     const char* end, size_t end_len);

/* The same over the keys that begin with `prefix`. */
LEVELDB_EXPORT leveldb_iterator_t* lull_new_prefix_iterator(leveldb_t* db,
                                                            const leveldb_readoptions_t* options,
                                                            const char* prefix, size_t prefix_len);

/* Deletes all keys from `begin` to just before `end`. A NULL pointer means no bound. On success the
   deletion and all earlier writes are on stable storage. Iterators and snapshots keep what they
   see. */
LEVELDB_EXPORT void lull_delete_range(leveldb_t* db, const char* begin, size_t begin_len,
                                      const char* end, size_t end_len, char** errptr);

/* Frees disk space at once: removes the tables that contain only keys from `begin` to just before
   `end`; other entries of the range stay. A NULL pointer means no bound. `bytes` and `bytes_left`,
   which can be NULL, get the size of the removed tables and of those that stay and can have keys
   of the range. */
LEVELDB_EXPORT void lull_delete_files_in_range(leveldb_t* db, const char* begin, size_t begin_len,
                                               const char* end, size_t end_len, uint64_t* bytes,
                                               uint64_t* bytes_left, char** errptr);

/* Adds the entries of the `count` table files `paths`, as one write of all of them. They have the
   keys and values that clients would write, and their ranges do not overlap. On success the entries
   and all earlier writes are on stable storage; on an error nothing changes. */
LEVELDB_EXPORT void lull_ingest_tables(leveldb_t* db, const char* const* paths, size_t count,
                                       char** errptr);

/* Names for leveldb_property_value: statistics as JSON, the same in the Prometheus text format,
   where disk space is as JSON, and the current option string. */
#define LULL_PROPERTY_STATS "lull.stats"
#define LULL_PROPERTY_METRICS "lull.metrics"
#define LULL_PROPERTY_SPACE "lull.space"
#define LULL_PROPERTY_OPTIONS "lull.options"

/* ---- Backups ---- */

/* Directories of backups; lull/backup.h has the details. Functions without a store use the Env that
   leveldb_create_default_env returns. */

typedef struct lull_backup_info_t {
  uint64_t id;
  uint64_t unix_seconds;
  uint64_t files;
  uint64_t bytes;
  uint64_t new_files;
  uint64_t new_bytes;
} lull_backup_info_t;

/* Adds a backup of the store to the directory `dir`, which is created if its parent exists. The
   backup contains every batch acknowledged before the call. On success describes it in `*info`,
   which can be NULL. */
LEVELDB_EXPORT void lull_create_backup(leveldb_t* db, const char* dir, lull_backup_info_t* info,
                                       char** errptr);

/* Returns the backups in `dir`, oldest first, to free with leveldb_free, and sets `*count`. Returns
   NULL if the directory has no backup. If some cannot be read, returns the others and sets
   `*errptr`. */
LEVELDB_EXPORT lull_backup_info_t* lull_list_backups(const char* dir, size_t* count, char** errptr);

/* Reads all files of a backup and verifies their checksums; `id` 0: of all backups. */
LEVELDB_EXPORT void lull_verify_backup(const char* dir, uint64_t id, char** errptr);

/* Writes the store as of a backup to the directory `target`, which must be empty or not exist; `id`
   0: the newest backup. */
LEVELDB_EXPORT void lull_restore_backup(const char* dir, uint64_t id, const char* target,
                                        char** errptr);

/* Removes all but the newest `keep` backups, and the tables that only those needed. */
LEVELDB_EXPORT void lull_prune_backups(const char* dir, uint64_t keep, char** errptr);

/* ---- Listening ---- */

/* Values of, in this order: lull_job_info_t.kind, lull_job_info_t.outcome, lull_stall_info_t.cause,
   lull_stall_info_t.kind. lull/listener.h describes these values and all fields. */
enum {
  lull_job_flush = 0,
  lull_job_l0_compaction = 1,
  lull_job_deep_compaction = 2,
  lull_job_manual_compaction = 3
};

enum { lull_job_running = 0, lull_job_done = 1, lull_job_failed = 2, lull_job_abandoned = 3 };

enum { lull_stall_memory = 0, lull_stall_l0 = 1, lull_stall_debt = 2, lull_stall_other = 3 };

enum { lull_stall_slowdown = 0, lull_stall_stop = 1 };

/* Later versions can add members at the end of the structs below. Pointers in them are valid during
   the call. Strings end in a zero. Names end in the unit: _us is microseconds. */

typedef struct lull_job_info_t {
  uint64_t id;
  int kind;
  int input_level; /* -1: memtables */
  int output_level;
  uint8_t idle_priority;
  uint8_t trivial_move;
  uint64_t input_files;
  uint64_t input_bytes;
  uint64_t input_bytes_done;
  uint64_t output_files;
  uint64_t output_bytes;
  uint64_t at_us; /* time of the event, since 1970 */
  uint64_t elapsed_us;
  uint64_t paused_us;
  uint32_t pauses;
  int outcome;
  const char* error; /* if the job failed; otherwise NULL */
} lull_job_info_t;

typedef struct lull_stall_info_t {
  uint64_t id;
  int kind;
  int cause;
  uint64_t at_us;
  uint64_t elapsed_us;
  uint64_t held_us;
  uint64_t held_writes;
} lull_stall_info_t;

typedef struct lull_options_info_t {
  uint64_t at_us;
  const char* policy;
  const char* options;
} lull_options_info_t;

typedef struct lull_refused_info_t {
  uint64_t at_us;
  const char* what;
  const char* error;
} lull_refused_info_t;

/* Functions for the events; one that is NULL is not called. Set `struct_size` to
   sizeof(lull_callbacks_t): a library of another version then calls only the functions that both
   know. */
typedef struct lull_callbacks_t {
  size_t struct_size;
  void (*job_begin)(void* state, const lull_job_info_t* job);
  void (*job_pause)(void* state, const lull_job_info_t* job);
  void (*job_resume)(void* state, const lull_job_info_t* job);
  void (*job_end)(void* state, const lull_job_info_t* job);
  void (*stall_begin)(void* state, const lull_stall_info_t* stall);
  void (*stall_end)(void* state, const lull_stall_info_t* stall);
  void (*options_change)(void* state, const lull_options_info_t* options);
  void (*writes_refused)(void* state, const lull_refused_info_t* refused);
} lull_callbacks_t;

typedef struct lull_listener_t lull_listener_t;

/* Creates a listener, which the caller destroys with lull_listener_destroy. Copies `callbacks`.
   Their functions receive `state` and must obey the rules in lull/listener.h. `destructor`, which
   can be NULL, is called once with `state`, on any thread, after the listener is destroyed and the
   last store has stopped calling it. Returns NULL if `callbacks` is NULL or its struct_size is
   smaller than in version 0.1; then `destructor` is not called. */
LEVELDB_EXPORT lull_listener_t* lull_listener_create(const lull_callbacks_t* callbacks, void* state,
                                                     void (*destructor)(void* state));

/* Destroys the caller's reference. A store that the listener is registered with continues to call
   it until lull_remove_listener or leveldb_close. */
LEVELDB_EXPORT void lull_listener_destroy(lull_listener_t* listener);

/* Registers the listener with the store. Fails if the store already has it. */
LEVELDB_EXPORT void lull_add_listener(leveldb_t* db, lull_listener_t* listener, char** errptr);

/* Unregisters the listener. After the return, none of its functions runs or starts for `db`. */
LEVELDB_EXPORT void lull_remove_listener(leveldb_t* db, lull_listener_t* listener, char** errptr);

/* ---- Compaction filters ---- */

/* What is known about an entry besides its key and value: as FilterContext. Later versions can add
   members at the end. */
typedef struct lull_filter_context_t {
  int output_level;
  uint8_t snapshot_may_see;
} lull_filter_context_t;

typedef struct lull_compaction_filter_t lull_compaction_filter_t;

/* Creates a filter, which the caller destroys with lull_compaction_filter_destroy. `filter` returns
   1 to drop an entry and 0 to keep it; background threads call it, several at once. `name` is
   called once for each lull_set_compaction_filter. Both receive `state`. `destructor`, which can be
   NULL, is called once with `state`, on any thread, after the filter is destroyed and the last
   store has released it. Returns NULL if `filter` or `name` is NULL; then `destructor` is not
   called. */
LEVELDB_EXPORT lull_compaction_filter_t* lull_compaction_filter_create(
    void* state, void (*destructor)(void* state),
    uint8_t (*filter)(void* state, const lull_filter_context_t* context, const char* key,
                      size_t key_length, const char* value, size_t value_length),
    const char* (*name)(void* state));

/* Destroys the caller's reference. A store continues to use the filter until another is set, or the
   store is closed. */
LEVELDB_EXPORT void lull_compaction_filter_destroy(lull_compaction_filter_t* filter);

/* Sets the filter of compactions that begin from now on; NULL: none. Running ones keep the filter
   with which they began. */
LEVELDB_EXPORT void lull_set_compaction_filter(leveldb_t* db, lull_compaction_filter_t* filter,
                                               char** errptr);

/* ---- Where calls spend their time ---- */

/* Measures the calls that the creating thread makes until the profile is destroyed, on any thread
   and in any order. More is in lull/call_profile.h. */
typedef struct lull_call_profile_t lull_call_profile_t;

/* Values of lull::CallPart. */
enum {
  lull_part_delay = 0,
  lull_part_queue = 1,
  lull_part_room = 2,
  lull_part_new_log = 3,
  lull_part_log_append = 4,
  lull_part_log_sync = 5,
  lull_part_memtable_add = 6,
  lull_part_memtable_find = 7,
  lull_part_table_open = 8,
  lull_part_block_read = 9,
  lull_part_block_decode = 10
};

LEVELDB_EXPORT lull_call_profile_t* lull_call_profile_create(void);
LEVELDB_EXPORT void lull_call_profile_destroy(lull_call_profile_t* profile);
LEVELDB_EXPORT void lull_call_profile_clear(lull_call_profile_t* profile);

/* How often the calls came to a part, and how long they spent there; 0 for an unknown part. */
LEVELDB_EXPORT uint64_t lull_call_profile_count(const lull_call_profile_t* profile, int part);
LEVELDB_EXPORT uint64_t lull_call_profile_nanos(const lull_call_profile_t* profile, int part);

/* The parts that occurred, as text. Free it with leveldb_free. */
LEVELDB_EXPORT char* lull_call_profile_text(const lull_call_profile_t* profile);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* LULL_INCLUDE_LULL_C_H_ */
