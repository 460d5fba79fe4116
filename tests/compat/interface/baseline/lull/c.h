/* Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
   The interface of version 0.1, without comments; see interface_test.py. */
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
LEVELDB_EXPORT const char* lull_version_string(void);
LEVELDB_EXPORT void lull_check_options(const char* scheduling, char** errptr);
LEVELDB_EXPORT leveldb_t* lull_open(const leveldb_options_t* options, const char* scheduling,
                                    const char* name, char** errptr);
LEVELDB_EXPORT leveldb_t* lull_open_read_only(const leveldb_options_t* options, const char* name,
                                              char** errptr);
LEVELDB_EXPORT void lull_set_options(leveldb_t* db, const char* scheduling, char** errptr);
LEVELDB_EXPORT void lull_flush(leveldb_t* db, char** errptr);
LEVELDB_EXPORT void lull_wait_for_idle(leveldb_t* db, char** errptr);
LEVELDB_EXPORT void lull_create_checkpoint(leveldb_t* db, const char* dir, char** errptr);
#define LULL_PROPERTY_STATS "lull.stats"
#define LULL_PROPERTY_METRICS "lull.metrics"
#define LULL_PROPERTY_OPTIONS "lull.options"
enum {
  lull_job_flush = 0,
  lull_job_l0_compaction = 1,
  lull_job_deep_compaction = 2,
  lull_job_manual_compaction = 3
};
enum { lull_job_running = 0, lull_job_done = 1, lull_job_failed = 2, lull_job_abandoned = 3 };
enum { lull_stall_memory = 0, lull_stall_l0 = 1, lull_stall_debt = 2, lull_stall_other = 3 };
enum { lull_stall_slowdown = 0, lull_stall_stop = 1 };
typedef struct lull_job_info_t {
  uint64_t id;
  int kind;
  int input_level;
  int output_level;
  uint8_t idle_priority;
  uint8_t trivial_move;
  uint64_t input_files;
  uint64_t input_bytes;
  uint64_t input_bytes_done;
  uint64_t output_files;
  uint64_t output_bytes;
  uint64_t at_us;
  uint64_t elapsed_us;
  uint64_t paused_us;
  uint32_t pauses;
  int outcome;
  const char* error;
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
LEVELDB_EXPORT lull_listener_t* lull_listener_create(const lull_callbacks_t* callbacks, void* state,
                                                     void (*destructor)(void* state));
LEVELDB_EXPORT void lull_listener_destroy(lull_listener_t* listener);
LEVELDB_EXPORT void lull_add_listener(leveldb_t* db, lull_listener_t* listener, char** errptr);
LEVELDB_EXPORT void lull_remove_listener(leveldb_t* db, lull_listener_t* listener, char** errptr);
#ifdef __cplusplus
}
#endif
#endif
