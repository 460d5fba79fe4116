// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A store's folder as one input, and what may become of its files.
#pragma once

#include <map>
#include <set>
#include <string>

#include "leveldb/env.h"
#include "leveldb/options.h"
#include "leveldb/slice.h"

namespace lull::fuzz {

/// Contents by name; files of lost/ as "lost/NAME".
using Folder = std::map<std::string, std::string>;

/// A folder of any bytes. For each file: its kind, its number, flags, length (2 bytes), contents.
/// Where a flag says so the contents get right checksums.
Folder DecodeFolder(const leveldb::Slice& bytes);

/// Bytes that decode to these files; those with other names than a store's are left out.
std::string EncodeFolder(const Folder& folder);

void WriteFolder(leveldb::Env* env, const std::string& name, const Folder& folder);
Folder ReadFolder(leveldb::Env* env, const std::string& name);

/// The files of `before` that are neither in `after`, with the same contents, nor under its lost/.
/// What the store writes for people, its LOCK and CURRENT do not count.
std::set<std::string> MissingFiles(const Folder& before, const Folder& after);

/// The files that an open may remove, by what the folder itself says: what the MANIFEST does not
/// need, and logs and tables that can be read to their end, since their contents live on elsewhere.
/// `name` in options.env holds the folder.
std::set<std::string> RemovableFiles(const leveldb::Options& options, const std::string& name);

}  // namespace lull::fuzz
