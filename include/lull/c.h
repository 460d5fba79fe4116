/* Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

   The C face of what Lull adds to LevelDB; see lull/lull.h and lull/listener.h for what things
   mean. The rules of leveldb/c.h hold here too: what `errptr` does, who frees what, and that
   uint8_t stands for a truth value. Stores are leveldb_t, closed by leveldb_close. A string or a
   listener that is NULL is an error, told through `errptr`. */

#ifndef LULL_INCLUDE_LULL_C_H_
#define LULL_INCLUDE_LULL_C_H_

#include <stddef.h>
#include <stdint.h>

#include "leveldb/c.h"
#include "leveldb/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The store ---- */

/* As leveldb_open, with the scheduling of an option string such as "policy=lull;l0_stop=64", which
   may be empty; the environment variable LULL_OPTIONS is not read. NULL on failure. */
LEVELDB_EXPORT leveldb_t* lull_open(const leveldb_options_t* options, const char* scheduling,
                                    const char* name, char** errptr);

/* Changes options of an open store, as lull::SetOptions does; an option that cannot change is
   refused by name, and then nothing changes. */
LEVELDB_EXPORT void lull_set_options(leveldb_t* db, const char* scheduling, char** errptr);

/* Returns when everything written before the call is in table files, durably. */
LEVELDB_EXPORT void lull_flush(leveldb_t* db, char** errptr);

/* Returns when nothing is left to flush or compact. New writes prolong the wait. */
LEVELDB_EXPORT void lull_wait_for_idle(leveldb_t* db, char** errptr);

/* Makes a second store in the folder `dir`, as lull::CreateCheckpoint does: what was written before
   the call, and some of what is written meanwhile. `dir` must not exist, or be empty. */
LEVELDB_EXPORT void lull_create_checkpoint(leveldb_t* db, const char* dir, char** errptr);

/* Names for leveldb_property_value: JSON, Prometheus' text format, the option string in force. */
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

/* The structs below may grow at their ends in later versions. What they point to lives for the
   call; strings end in a zero. */

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

/* Functions that are NULL are not called. `struct_size` is sizeof(lull_callbacks_t) as the caller
   knows it: a library that knows more functions calls only those. */
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

/* A listener that hands `state` to the functions, which are copied; they obey the rules at the top
   of lull/listener.h. `destructor`, which may be NULL, is called with `state` once the listener is
   destroyed and no store calls it any more, on whichever thread that is. NULL, and nothing is
   called, when `callbacks` is NULL or its struct_size is less than the first version had. */
LEVELDB_EXPORT lull_listener_t* lull_listener_create(const lull_callbacks_t* callbacks, void* state,
                                                     void (*destructor)(void* state));

/* A store keeps what it needs of a listener: it may be destroyed before it is removed. */
LEVELDB_EXPORT void lull_listener_destroy(lull_listener_t* listener);

LEVELDB_EXPORT void lull_add_listener(leveldb_t* db, lull_listener_t* listener, char** errptr);

/* When this returns, no function of `listener` runs or will be called for `db`. */
LEVELDB_EXPORT void lull_remove_listener(leveldb_t* db, lull_listener_t* listener, char** errptr);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* LULL_INCLUDE_LULL_C_H_ */
