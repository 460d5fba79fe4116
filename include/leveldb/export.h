// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Marks what the library shows to the outside. Everything else is compiled with hidden visibility,
// so the names without this mark can be changed freely.

#ifndef LULL_INCLUDE_LEVELDB_EXPORT_H_
#define LULL_INCLUDE_LEVELDB_EXPORT_H_

#if !defined(LEVELDB_EXPORT)
#if defined(__GNUC__) || defined(__clang__)
#define LEVELDB_EXPORT __attribute__((visibility("default")))
#else
#define LEVELDB_EXPORT
#endif
#endif  // !defined(LEVELDB_EXPORT)

#endif  // LULL_INCLUDE_LEVELDB_EXPORT_H_
