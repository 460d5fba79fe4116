/* Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

   The C interface of what Lull adds to LevelDB: every function of lull/lull.h and lull/listener.h,
   which have the details. The rules of leveldb/c.h apply: `errptr`, ownership, and uint8_t for
   booleans. Stores are leveldb_t; close them with leveldb_close. A string or listener that is NULL
   is reported through `errptr`. Any thread can call every function here. */

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

/* The version of the library, as LULL_VERSION_STRING. The string lives forever. */
LEVELDB_EXPORT const char* lull_version_string(void);

/* An error if lull_open would refuse the option string. */
LEVELDB_EXPORT void lull_check_options(const char* scheduling, char** errptr);

/* Like leveldb_open, with an option string such as "policy=lull;l0_stop=64", which can be empty.
   The environment variable LULL_OPTIONS is not read. NULL on failure. */
LEVELDB_EXPORT leveldb_t* lull_open(const leveldb_options_t* options, const char* scheduling,
                                    const char* name, char** errptr);

/* Opens the store for reading in its present state, without its lock, even while another process
   writes to it. Writes fail. NULL on failure. */
LEVELDB_EXPORT leveldb_t* lull_open_read_only(const leveldb_options_t* options, const char* name,
                                              char** errptr);

/* Changes options of an open store: those that docs/options.md lists as live. On an error nothing
   changes. */
LEVELDB_EXPORT void lull_set_options(leveldb_t* db, const char* scheduling, char** errptr);

/* Blocks until everything written before the call is durable in table files. */
LEVELDB_EXPORT void lull_flush(leveldb_t* db, char** errptr);

/* Blocks until nothing is left to flush or compact. New writes prolong the wait. */
LEVELDB_EXPORT void lull_wait_for_idle(leveldb_t* db, char** errptr);

/* Makes a copy of the store in the directory `dir`, which must be empty or not exist. It has
   everything written before the call, and some of what is written during it. */
LEVELDB_EXPORT void lull_create_checkpoint(leveldb_t* db, const char* dir, char** errptr);

/* Names for leveldb_property_value: JSON, the Prometheus text format, the option string in force.
 */
#define LULL_PROPERTY_STATS "lull.stats"
#define LULL_PROPERTY_METRICS "lull.metrics"
#define LULL_PROPERTY_OPTIONS "lull.options"

/* ---- Listening ---- */

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
   the call; strings end in a zero. */

typedef struct lull_job_info_t {
  uint64_t id;
  int kind;
  int input_level; /* -1: memory */
  int output_level;
  uint8_t idle_priority;
  uint8_t trivial_move;
  uint64_t input_files;
  uint64_t input_bytes;
  uint64_t input_bytes_done;
  uint64_t output_files;
  uint64_t output_bytes;
  uint64_t at_us; /* since 1970 */
  uint64_t elapsed_us;
  uint64_t paused_us;
  uint32_t pauses;
  int outcome;
  const char* error; /* of a failed job; otherwise NULL */
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

/* Set `struct_size` to sizeof(lull_callbacks_t): the library calls only the functions that both it
   and the caller know. Functions that are NULL are not called. */
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

/* Makes a listener that passes `state` to the functions, which it copies. They must obey the rules
   in lull/listener.h. `destructor`, which can be NULL, is called with `state` after the listener is
   destroyed and the last store has stopped calling it, on any thread. Returns NULL if `callbacks`
   is NULL or its struct_size is smaller than in version 0.1; then `destructor` is not called. */
LEVELDB_EXPORT lull_listener_t* lull_listener_create(const lull_callbacks_t* callbacks, void* state,
                                                     void (*destructor)(void* state));

/* A listener can be destroyed before it is removed from a store, which then continues to call it.
 */
LEVELDB_EXPORT void lull_listener_destroy(lull_listener_t* listener);

LEVELDB_EXPORT void lull_add_listener(leveldb_t* db, lull_listener_t* listener, char** errptr);

/* After this returns, no function of `listener` runs or will run for `db`. */
LEVELDB_EXPORT void lull_remove_listener(leveldb_t* db, lull_listener_t* listener, char** errptr);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* LULL_INCLUDE_LULL_C_H_ */
