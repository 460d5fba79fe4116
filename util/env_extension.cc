// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include "util/env_extension.h"

namespace lull {

leveldb::Status EnvExtension::NewLogFile(const std::string& name, uint64_t /*capacity_bytes*/,
                                         LogFileMode /*mode*/, leveldb::WritableFile** result) {
  *result = nullptr;
  return leveldb::Status::NotSupported("NewLogFile", name);
}

leveldb::Status EnvExtension::ReuseLogFile(const std::string& old_name,
                                           const std::string& /*new_name*/,
                                           const LogBlocks& /*blocks*/,
                                           leveldb::WritableFile** result) {
  *result = nullptr;
  return leveldb::Status::NotSupported("ReuseLogFile", old_name);
}

leveldb::Status EnvExtension::NewCompactionInput(const std::string& name,
                                                 leveldb::RandomAccessFile** result) {
  *result = nullptr;
  return leveldb::Status::NotSupported("NewCompactionInput", name);
}

leveldb::Status EnvExtension::NewTableFile(const std::string& name,
                                           leveldb::WritableFile** result) {
  *result = nullptr;
  return leveldb::Status::NotSupported("NewTableFile", name);
}

leveldb::Status EnvExtension::NewManifestFile(const std::string& name,
                                              leveldb::WritableFile** result) {
  *result = nullptr;
  return leveldb::Status::NotSupported("NewManifestFile", name);
}

leveldb::Status EnvExtension::LinkFile(const std::string& from, const std::string& /*to*/) {
  return leveldb::Status::NotSupported("LinkFile", from);
}

EnvExtension* ExtensionOf(leveldb::Env* env) { return dynamic_cast<EnvExtension*>(env); }

}  // namespace lull
