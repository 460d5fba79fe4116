// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

package main

/*
#cgo LDFLAGS: -ldl
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>

typedef void (*create_checkpoint)(void* db, const char* dir, char** error);

// LevelDB's library lacks this function, so the program must not need it to start.
static create_checkpoint find_checkpoint(void) {
  return (create_checkpoint)dlsym(RTLD_DEFAULT, "lull_create_checkpoint");
}

static int can_checkpoint(void) { return find_checkpoint() != NULL; }

static void checkpoint(void* db, const char* dir, char** error) {
  find_checkpoint()(db, dir, error);
}
*/
import "C"

import (
	"fmt"
	"unsafe"

	"github.com/jmhodges/levigo"
)

// hasCheckpoints returns whether the process runs on Lull.
func hasCheckpoints() bool {
	return C.can_checkpoint() != 0
}

// createCheckpoint copies an open store, mostly by links to its tables.
func createCheckpoint(db *levigo.DB, folder string) error {
	name := C.CString(folder)
	defer C.free(unsafe.Pointer(name))
	var message *C.char
	C.checkpoint(unsafe.Pointer(db.Ldb), name, &message)
	if message == nil {
		return nil
	}
	defer C.free(unsafe.Pointer(message))
	return fmt.Errorf("checkpoint %s: %s", folder, C.GoString(message))
}
