// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include "util/env_extension.h"

#include <algorithm>
#include <cerrno>
#include <initializer_list>
#include <system_error>

#include "util/file_util.h"
#include "util/registry.h"

namespace lull {
namespace {

using Extensions = Registry<leveldb::Env, EnvExtension>;

/// A Status does not store errno, so compare the system's message at the end of its text.
bool EndsWithErrorOf(const leveldb::Status& status, std::initializer_list<int> errors) {
  if (!status.IsIOError()) return false;
  const std::string text = status.ToString();
  return std::any_of(errors.begin(), errors.end(), [&](int error) {
    return text.ends_with(std::generic_category().message(error));
  });
}

}  // namespace

EnvExtension::EnvExtension(leveldb::Env* env) : env_(env) { Extensions::Get().Add(env_, this); }
EnvExtension::~EnvExtension() { Extensions::Get().Remove(env_); }

bool EnvExtension::IsNoFile(const std::string& name) { return IsDirectory(env_, name); }

std::optional<uint64_t> PlausibleFreeBytes(uint64_t blocks, uint64_t free_blocks,
                                           uint64_t block_bytes) {
  if (blocks == 0 || free_blocks > blocks || block_bytes == 0) return std::nullopt;
  if (free_blocks > UINT64_MAX / block_bytes) return std::nullopt;
  return free_blocks * block_bytes;
}

leveldb::Status LockIsGone(const std::string& name) {
  return leveldb::Status::IOError(
      name,
      "was removed or replaced while a store was open, perhaps with its directory, so others "
      "do not see this store; open it again");
}

bool IsOutOfResources(const leveldb::Status& status) {
#if defined(EDQUOT)  // not on Windows
  if (EndsWithErrorOf(status, {EDQUOT})) return true;
#endif
  return EndsWithErrorOf(status, {EMFILE, ENFILE, ENOSPC, ENOMEM, EFBIG});
}

bool IsOutOfDescriptors(const leveldb::Status& status) {
  return EndsWithErrorOf(status, {EMFILE, ENFILE});
}

EnvExtension* ExtensionOf(leveldb::Env* env) { return Extensions::Get().Find(env); }

}  // namespace lull
