/* Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

   usage: c_api DIRECTORY

   Calls every function of leveldb/c.h, as C99, and prints the results. The same program is
   built for the system's LevelDB and for Lull, and their outputs are compared. So it prints only
   what must be the same: the kind of an error, and whether a size is plausible. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "leveldb/c.h"

static leveldb_options_t* options;
static leveldb_readoptions_t* reading;
static leveldb_writeoptions_t* writing;
static char path[512];

/* Ends the program if it cannot continue. */
static void must(int condition, const char* what) {
  if (condition) return;
  printf("FAILED: %s\n", what);
  exit(1);
}

/* Prints the kind of an error (the text before the first colon) and frees the error. */
static void tell_error(const char* what, char** error) {
  if (*error == NULL) {
    printf("%s: OK\n", what);
    return;
  }
  must(strchr(*error, ':') != NULL, "an error says what and where");
  printf("%s: %.*s\n", what, (int)strcspn(*error, ":"), *error);
  leveldb_free(*error);
  *error = NULL;
}

static void tell_bytes(const char* what, const char* bytes, size_t length) {
  size_t i;
  printf("%s: ", what);
  for (i = 0; i < length; ++i) {
    if (bytes[i] >= ' ' && bytes[i] <= '~') {
      putchar(bytes[i]);
    } else {
      printf("\\x%02x", (unsigned char)bytes[i]);
    }
  }
  putchar('\n');
}

static void tell_get(leveldb_t* db, const char* key, size_t key_length) {
  char* error = NULL;
  size_t length = 99;
  char* const value = leveldb_get(db, reading, key, key_length, &length, &error);
  if (value == NULL) {
    printf("get %s: none, length %d\n", key, (int)length);
  } else {
    printf("get %s ", key);
    tell_bytes("", value, length);
  }
  must(error == NULL, "get has no error");
  leveldb_free(value);
}

static void tell_all(leveldb_t* db) {
  leveldb_iterator_t* const iter = leveldb_create_iterator(db, reading);
  char* error = NULL;
  size_t key_length = 0, value_length = 0;
  const char *key, *value;
  for (leveldb_iter_seek_to_first(iter); leveldb_iter_valid(iter); leveldb_iter_next(iter)) {
    key = leveldb_iter_key(iter, &key_length);
    value = leveldb_iter_value(iter, &value_length);
    tell_bytes("  key", key, key_length);
    tell_bytes("  value", value, value_length);
  }
  leveldb_iter_get_error(iter, &error);
  tell_error("end of iteration", &error);
  leveldb_iter_destroy(iter);
}

/* ---- objects made of C functions, which count their calls ---- */

struct counts {
  int destroyed, compared, named, created, matched;
};

static void on_destroy(void* state) { ++((struct counts*)state)->destroyed; }

/* Orders by length first: very different from the order of bytes. */
static int on_compare(void* state, const char* a, size_t a_length, const char* b, size_t b_length) {
  ++((struct counts*)state)->compared;
  if (a_length != b_length) return a_length < b_length ? -1 : 1;
  return memcmp(a, b, a_length);
}

static const char* comparator_name(void* state) {
  ++((struct counts*)state)->named;
  return "c_api.LengthFirst";
}

static char* on_create_filter(void* state, const char* const* keys, const size_t* lengths,
                              int count, size_t* filter_length) {
  char* const filter = malloc(256);
  int i;
  ++((struct counts*)state)->created;
  memset(filter, 0, 256);
  for (i = 0; i < count; ++i) filter[(unsigned char)keys[i][lengths[i] - 1]] = 1;
  *filter_length = 256;
  return filter;
}

static uint8_t on_key_may_match(void* state, const char* key, size_t length, const char* filter,
                                size_t filter_length) {
  ++((struct counts*)state)->matched;
  must(filter_length == 256, "the filter comes back as it was made");
  return (uint8_t)filter[(unsigned char)key[length - 1]];
}

static const char* filter_name(void* state) {
  ++((struct counts*)state)->named;
  return "c_api.LastByte";
}

static void on_put(void* state, const char* key, size_t key_length, const char* value,
                   size_t value_length) {
  printf("  %s ", (const char*)state);
  tell_bytes("put", key, key_length);
  tell_bytes("    value", value, value_length);
}

static void on_deleted(void* state, const char* key, size_t key_length) {
  printf("  %s ", (const char*)state);
  tell_bytes("delete", key, key_length);
}

/* ---- the checks ---- */

static leveldb_t* open_store(const char* what) {
  char* error = NULL;
  leveldb_t* const db = leveldb_open(options, path, &error);
  tell_error(what, &error);
  return db;
}

static leveldb_t* check_open(void) {
  char* error = malloc(4);
  leveldb_t* db;
  memcpy(error, "old", 4);
  leveldb_options_set_create_if_missing(options, 0);
  db = leveldb_open(options, path, &error);
  must(db == NULL && strcmp(error, "old") != 0, "a failure replaces the message that was there");
  tell_error("open what is not there", &error);

  leveldb_options_set_create_if_missing(options, 1);
  db = open_store("create");
  must(open_store("open it twice") == NULL, "one store, one opener");
  error = malloc(4);
  memcpy(error, "old", 4);
  leveldb_put(db, writing, "x", 1, "y", 1, &error);
  must(error != NULL && strcmp(error, "old") == 0, "success leaves the message alone");
  leveldb_delete(db, writing, "x", 1, &error);
  leveldb_free(error);
  leveldb_close(db);

  leveldb_options_set_error_if_exists(options, 1);
  must(open_store("open as new what is there") == NULL, "error_if_exists");
  leveldb_options_set_error_if_exists(options, 0);
  db = open_store("open again");
  must(db != NULL, "the store opens");
  return db;
}

static void check_put_get_delete(leveldb_t* db) {
  char* error = NULL;
  leveldb_put(db, writing, "alpha", 5, "first", 5, &error);
  leveldb_put(db, writing, "empty", 5, "", 0, &error);
  leveldb_put(db, writing, "nul\0key", 7, "v\0l", 3, &error);
  tell_error("puts", &error);
  tell_get(db, "alpha", 5);
  tell_get(db, "empty", 5);
  tell_get(db, "nul\0key", 7);
  tell_get(db, "absent", 6);
  leveldb_delete(db, writing, "alpha", 5, &error);
  leveldb_delete(db, writing, "absent", 6, &error);
  tell_error("deletes", &error);
  tell_get(db, "alpha", 5);
}

static void check_batches(leveldb_t* db) {
  char* error = NULL;
  leveldb_writebatch_t* const batch = leveldb_writebatch_create();
  leveldb_writebatch_t* const more = leveldb_writebatch_create();
  leveldb_writebatch_put(batch, "gone", 4, "x", 1);
  leveldb_writebatch_clear(batch);
  leveldb_writebatch_put(batch, "bravo", 5, "second", 6);
  leveldb_writebatch_put(batch, "charlie", 7, "third", 5);
  leveldb_writebatch_delete(batch, "bravo", 5);
  leveldb_writebatch_put(more, "delta", 5, "fourth", 6);
  leveldb_writebatch_append(batch, more);
  leveldb_writebatch_iterate(batch, "batch", on_put, on_deleted);
  leveldb_write(db, writing, batch, &error);
  tell_error("write", &error);
  leveldb_writebatch_destroy(more);
  leveldb_writebatch_destroy(batch);
  tell_all(db);
}

static void check_iterators(leveldb_t* db) {
  leveldb_iterator_t* const iter = leveldb_create_iterator(db, reading);
  const char* key;
  size_t length = 0;
  must(!leveldb_iter_valid(iter), "a new iterator stands nowhere");
  leveldb_iter_seek(iter, "d", 1);
  key = leveldb_iter_key(iter, &length);
  tell_bytes("seek d", key, length);
  leveldb_iter_prev(iter);
  key = leveldb_iter_key(iter, &length);
  tell_bytes("prev", key, length);
  leveldb_iter_prev(iter);
  printf("before the first: %d\n", leveldb_iter_valid(iter));
  leveldb_iter_seek_to_last(iter);
  key = leveldb_iter_key(iter, &length);
  tell_bytes("last", key, length);
  leveldb_iter_next(iter);
  printf("after the last: %d\n", leveldb_iter_valid(iter));
  leveldb_iter_destroy(iter);
}

static void check_snapshots(leveldb_t* db) {
  char* error = NULL;
  const leveldb_snapshot_t* const before = leveldb_create_snapshot(db);
  leveldb_put(db, writing, "delta", 5, "newer", 5, &error);
  leveldb_readoptions_set_snapshot(reading, before);
  tell_get(db, "delta", 5);
  leveldb_readoptions_set_snapshot(reading, NULL);
  tell_get(db, "delta", 5);
  leveldb_release_snapshot(db, before);
  tell_error("with a snapshot", &error);
}

static void check_sizes_and_properties(leveldb_t* db) {
  const char* starts[] = {"k", "z"};
  const char* limits[] = {"l", "zz"};
  const size_t start_lengths[] = {1, 1};
  const size_t limit_lengths[] = {1, 2};
  uint64_t sizes[2] = {99, 99};
  char key[32], value[100], *error = NULL, *text;
  int i;
  for (i = 0; i < 20000; ++i) {
    const int length = sprintf(key, "k%06d", i);
    memset(value, 'a' + i % 26, sizeof value);
    leveldb_put(db, writing, key, (size_t)length, value, sizeof value, &error);
  }
  tell_error("many puts", &error);
  leveldb_compact_range(db, "k", 1, "l", 1);
  leveldb_compact_range(db, NULL, 0, NULL, 0);
  leveldb_approximate_sizes(db, 2, starts, start_lengths, limits, limit_lengths, sizes);
  printf("size of k to l is plausible: %d; of z to zz: %d\n",
         sizes[0] > 50000 && sizes[0] < 4000000, (int)sizes[1]);
  text = leveldb_property_value(db, "leveldb.num-files-at-level0");
  printf("tables in level 0: %s\n", text);
  leveldb_free(text);
  text = leveldb_property_value(db, "leveldb.stats");
  printf("stats: %.50s\n", text + strspn(text, " \n"));
  leveldb_free(text);
  must(leveldb_property_value(db, "nonsense") == NULL, "an unknown property is NULL");
  for (i = 0; i < 20000; ++i) {
    const int length = sprintf(key, "k%06d", i);
    leveldb_delete(db, writing, key, (size_t)length, &error);
  }
  tell_error("many deletes", &error);
}

static void check_repair_and_destroy(void) {
  char* error = NULL;
  leveldb_t* db;
  leveldb_repair_db(options, path, &error);
  tell_error("repair", &error);
  db = open_store("open what was repaired");
  tell_all(db);
  leveldb_destroy_db(options, path, &error);
  tell_error("destroy while open", &error);
  leveldb_close(db);
  leveldb_destroy_db(options, path, &error);
  tell_error("destroy", &error);
  leveldb_options_set_create_if_missing(options, 0);
  must(open_store("open what was destroyed") == NULL, "it is gone");
  leveldb_options_set_create_if_missing(options, 1);
}

static void check_comparator(void) {
  struct counts counts = {0, 0, 0, 0, 0};
  leveldb_comparator_t* const comparator =
      leveldb_comparator_create(&counts, on_destroy, on_compare, comparator_name);
  char* error = NULL;
  leveldb_t* db;
  leveldb_options_set_comparator(options, comparator);
  db = open_store("open with a comparator");
  leveldb_put(db, writing, "zz", 2, "two", 3, &error);
  leveldb_put(db, writing, "a", 1, "one", 3, &error);
  leveldb_put(db, writing, "bbb", 3, "three", 5, &error);
  leveldb_compact_range(db, NULL, 0, NULL, 0);
  tell_all(db);
  leveldb_close(db);
  printf("compared: %d, named: %d, destroyed: %d\n", counts.compared > 0, counts.named > 0,
         counts.destroyed);
  {
    leveldb_options_t* const other = leveldb_options_create();
    db = leveldb_open(other, path, &error);
    must(db == NULL, "another comparator is an error");
    tell_error("open with another comparator", &error);
    leveldb_options_destroy(other);
  }
  leveldb_destroy_db(options, path, &error);
  tell_error("destroy", &error);
  {
    leveldb_options_t* const fresh = leveldb_options_create();
    leveldb_options_destroy(options);
    options = fresh;
    leveldb_options_set_create_if_missing(options, 1);
  }
  leveldb_comparator_destroy(comparator);
  printf("destroyed: %d\n", counts.destroyed);
}

static void check_filter(const char* what, leveldb_filterpolicy_t* policy, struct counts* counts) {
  char* error = NULL;
  leveldb_t* db;
  leveldb_options_set_filter_policy(options, policy);
  db = open_store(what);
  leveldb_put(db, writing, "foo", 3, "bar", 3, &error);
  leveldb_put(db, writing, "zoo", 3, "keeper", 6, &error);
  leveldb_compact_range(db, NULL, 0, NULL, 0);
  tell_get(db, "foo", 3);
  tell_get(db, "god", 3);
  tell_error(what, &error);
  leveldb_close(db);
  leveldb_options_set_filter_policy(options, NULL);
  leveldb_filterpolicy_destroy(policy);
  if (counts != NULL) {
    printf("created: %d, matched: %d, named: %d, destroyed: %d\n", counts->created > 0,
           counts->matched > 0, counts->named > 0, counts->destroyed);
  }
  leveldb_destroy_db(options, path, &error);
  tell_error("destroy", &error);
}

static void check_compression(void) {
  char* error = NULL;
  int type;
  for (type = leveldb_no_compression; type <= leveldb_snappy_compression; ++type) {
    leveldb_t* db;
    leveldb_options_set_compression(options, type);
    db = open_store("open with a compression");
    leveldb_put(db, writing, "foo", 3, "bar", 3, &error);
    leveldb_compact_range(db, NULL, 0, NULL, 0);
    tell_get(db, "foo", 3);
    leveldb_close(db);
  }
  tell_error("compressions", &error);
}

int main(int argc, char** argv) {
  struct counts counts = {0, 0, 0, 0, 0};
  leveldb_cache_t* const cache = leveldb_cache_create_lru(100000);
  leveldb_env_t* const env = leveldb_create_default_env();
  char* text;
  leveldb_t* db;
  must(argc == 2, "usage: c_api DIRECTORY");
  snprintf(path, sizeof path, "%s", argv[1]);
  printf("version %d.%d\n", leveldb_major_version(), leveldb_minor_version());
  text = leveldb_env_get_test_directory(env);
  must(text != NULL && strlen(text) > 0, "there is a directory for tests");
  leveldb_free(text);

  options = leveldb_options_create();
  leveldb_options_set_cache(options, cache);
  leveldb_options_set_env(options, env);
  leveldb_options_set_info_log(options, NULL);
  leveldb_options_set_paranoid_checks(options, 1);
  leveldb_options_set_write_buffer_size(options, 100000);
  leveldb_options_set_max_open_files(options, 100);
  leveldb_options_set_block_size(options, 1024);
  leveldb_options_set_block_restart_interval(options, 8);
  leveldb_options_set_max_file_size(options, 3 << 20);
  reading = leveldb_readoptions_create();
  leveldb_readoptions_set_verify_checksums(reading, 1);
  leveldb_readoptions_set_fill_cache(reading, 0);
  writing = leveldb_writeoptions_create();

  db = check_open();
  check_put_get_delete(db);
  leveldb_writeoptions_set_sync(writing, 1);
  check_batches(db);
  leveldb_writeoptions_set_sync(writing, 0);
  check_iterators(db);
  check_snapshots(db);
  check_sizes_and_properties(db);
  leveldb_close(db);
  check_repair_and_destroy();
  check_comparator();
  check_filter("a Bloom filter", leveldb_filterpolicy_create_bloom(10), NULL);
  check_filter("a filter of ours",
               leveldb_filterpolicy_create(&counts, on_destroy, on_create_filter, on_key_may_match,
                                           filter_name),
               &counts);
  check_compression();

  leveldb_writeoptions_destroy(writing);
  leveldb_readoptions_destroy(reading);
  leveldb_options_destroy(options);
  leveldb_cache_destroy(cache);
  leveldb_env_destroy(env);
  printf("end\n");
  return 0;
}
