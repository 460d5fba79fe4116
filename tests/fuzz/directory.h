// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A store's directory as one fuzz input, and the rules for its files.
#pragma once

#include <map>
#include <set>
#include <string>

#include "leveldb/env.h"
#include "leveldb/options.h"
#include "leveldb/slice.h"

namespace lull::fuzz {

/// Contents by name; files of lost/ as "lost/NAME".
using Directory = std::map<std::string, std::string>;

/// A directory of arbitrary bytes. For each file: its kind, number, flags, length (2 bytes),
/// contents. A flag requests valid checksums in the contents.
Directory DecodeDirectory(const leveldb::Slice& bytes);

/// Bytes that decode to these files, without files that have names no store uses.
std::string EncodeDirectory(const Directory& directory);

void WriteDirectory(leveldb::Env* env, const std::string& name, const Directory& directory);
Directory ReadDirectory(leveldb::Env* env, const std::string& name);

/// The files of `before` that are neither in `after` with the same contents, nor under its lost/.
/// Ignores the store's log files for people, LOCK and CURRENT.
std::set<std::string> MissingFiles(const Directory& before, const Directory& after);

/// The files that an open may remove, according to the directory itself: files that the MANIFEST
/// does not need, and logs and tables that can be read to their end, because their contents are
/// kept elsewhere. `name` in options.env is the directory.
std::set<std::string> RemovableFiles(const leveldb::Options& options, const std::string& name);

}  // namespace lull::fuzz
