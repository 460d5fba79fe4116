// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The interface declared here is LevelDB's; see NOTICE.
//
// LEVELDB_EXPORT marks the symbols that the library exports. All others have hidden visibility and
// can change in any release.

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
