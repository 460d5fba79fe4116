// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/recovery/copy_file.h"

#include <memory>

#include "leveldb/env.h"
#include "util/env_extension.h"

namespace lull {
namespace {

leveldb::Status CopyBytes(leveldb::Env* env, const std::string& from, uint64_t bytes,
                          leveldb::WritableFile* out) {
  constexpr size_t kPieceBytes = 256 << 10;
  leveldb::SequentialFile* raw = nullptr;
  leveldb::Status status = env->NewSequentialFile(from, &raw);
  if (!status.ok()) return status;
  const std::unique_ptr<leveldb::SequentialFile> in(raw);
  const auto scratch = std::make_unique_for_overwrite<char[]>(kPieceBytes);
  uint64_t copied = 0;
  leveldb::Slice piece;
  do {
    status = in->Read(kPieceBytes, &piece, scratch.get());
    if (status.ok()) status = out->Append(piece);
    copied += piece.size();
  } while (status.ok() && !piece.empty());
  if (!status.ok() || copied == bytes) return status;
  return leveldb::Status::Corruption(
      from, "has " + std::to_string(copied) + " bytes, not " + std::to_string(bytes));
}

leveldb::Status Copy(const StoreContext& context, const std::string& from, const std::string& to,
                     uint64_t bytes) {
  leveldb::WritableFile* raw = nullptr;
  leveldb::Status status = leveldb::Status::NotSupported(to);
  if (context.extension != nullptr)
    status = context.extension->NewTableFile(to, TableWriterKind::kCompaction, &raw);
  if (status.IsNotSupportedError()) status = context.env()->NewWritableFile(to, &raw);
  if (!status.ok()) return status;
  const std::unique_ptr<leveldb::WritableFile> out(raw);
  status = CopyBytes(context.env(), from, bytes, out.get());
  if (status.ok()) status = out->Sync();
  if (status.ok()) status = out->Close();
  return status;
}

}  // namespace

leveldb::Status LinkOrCopy(const StoreContext& context, const std::string& from,
                           const std::string& to, uint64_t bytes) {
  leveldb::Status status = leveldb::Status::NotSupported(to);
  if (context.extension != nullptr) status = context.extension->LinkFile(from, to);
  return status.IsNotSupportedError() ? Copy(context, from, to, bytes) : status;
}

}  // namespace lull
