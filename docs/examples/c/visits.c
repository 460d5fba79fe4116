/* Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

   Adds a visit to a store and prints all visits, with LevelDB's C interface and lull_open.

   usage: visits STORE */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "leveldb/c.h"
#include "lull/c.h"

/* Prints an error and ends the program. */
static void check(char* error) {
  if (error == NULL) return;
  fprintf(stderr, "visits: %s\n", error);
  leveldb_free(error);
  exit(1);
}

static int read_count(leveldb_t* db) {
  char text[16] = "";
  char* error = NULL;
  size_t length = 0;
  leveldb_readoptions_t* options = leveldb_readoptions_create();
  /* NULL without an error: there is no such key. */
  char* value = leveldb_get(db, options, "count", strlen("count"), &length, &error);
  leveldb_readoptions_destroy(options);
  check(error);
  if (value != NULL && length < sizeof(text)) memcpy(text, value, length);
  leveldb_free(value);
  return atoi(text);
}

static void add_visit(leveldb_t* db) {
  char key[32];
  char text[16];
  char* error = NULL;
  const int count = read_count(db) + 1;
  leveldb_writebatch_t* batch = leveldb_writebatch_create();
  leveldb_writeoptions_t* durably = leveldb_writeoptions_create();
  leveldb_writeoptions_set_sync(durably, 1);
  snprintf(key, sizeof(key), "visit/%06d", count);
  snprintf(text, sizeof(text), "%d", count);
  leveldb_writebatch_put(batch, "count", strlen("count"), text, strlen(text));
  leveldb_writebatch_put(batch, key, strlen(key), "C", strlen("C"));
  leveldb_write(db, durably, batch, &error);
  leveldb_writeoptions_destroy(durably);
  leveldb_writebatch_destroy(batch);
  check(error);
}

static void print_visits(leveldb_t* db) {
  static const char prefix[] = "visit/";
  const size_t prefix_length = sizeof(prefix) - 1;
  char* error = NULL;
  leveldb_readoptions_t* options = leveldb_readoptions_create();
  leveldb_iterator_t* entry = leveldb_create_iterator(db, options);
  for (leveldb_iter_seek(entry, prefix, prefix_length); leveldb_iter_valid(entry);
       leveldb_iter_next(entry)) {
    size_t key_length;
    size_t value_length;
    const char* key = leveldb_iter_key(entry, &key_length);
    const char* value = leveldb_iter_value(entry, &value_length);
    if (key_length < prefix_length || memcmp(key, prefix, prefix_length) != 0) break;
    printf("%.*s %.*s\n", (int)key_length, key, (int)value_length, value);
  }
  leveldb_iter_get_error(entry, &error);
  leveldb_iter_destroy(entry);
  leveldb_readoptions_destroy(options);
  check(error);
}

int main(int argc, char** argv) {
  char* error = NULL;
  leveldb_options_t* options;
  leveldb_t* db;
  if (argc != 2) {
    fprintf(stderr, "usage: visits STORE\n");
    return 2;
  }
  options = leveldb_options_create();
  leveldb_options_set_create_if_missing(options, 1);
  db = lull_open(options, "policy=lull;compaction_threads=1", argv[1], &error);
  leveldb_options_destroy(options);
  check(error);
  printf("on Lull\n");
  add_visit(db);
  print_visits(db);
  leveldb_close(db);
  return 0;
}
