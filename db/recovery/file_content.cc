// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/recovery/file_content.h"

#include <algorithm>
#include <cstring>
#include <functional>

#include "util/crc32c.h"
#include "util/env_extension.h"
#include "util/file_util.h"

namespace lull {
namespace {

using leveldb::Slice;
using leveldb::Status;

constexpr size_t kPieceBytes = 256 << 10;

Status ForEachPiece(leveldb::SequentialFile* file,
                    const std::function<Status(const Slice& piece)>& use) {
  const auto scratch = std::make_unique_for_overwrite<char[]>(kPieceBytes);
  for (;;) {
    Slice piece;
    Status status = file->Read(kPieceBytes, &piece, scratch.get());
    if (!status.ok() || piece.empty()) return status;
    status = use(piece);
    if (!status.ok()) return status;
  }
}

/// Reads a file in pieces of the same size, so that two files can be compared.
class PieceReader {
 public:
  Status Open(leveldb::Env* env, const std::string& path) {
    return OpenForReading(env, path, &file_);
  }

  /// Sets `piece()` to the next kPieceBytes, or less at the end of the file.
  Status Next() {
    filled_ = 0;
    Slice part;
    do {
      const Status status = file_->Read(kPieceBytes - filled_, &part, scratch_.get());
      if (!status.ok()) return status;
      std::memcpy(buffer_.get() + filled_, part.data(), part.size());
      filled_ += part.size();
    } while (!part.empty() && filled_ < kPieceBytes);
    return Status::OK();
  }
  Slice piece() const { return Slice(buffer_.get(), filled_); }

 private:
  std::unique_ptr<leveldb::SequentialFile> file_;
  const std::unique_ptr<char[]> scratch_ = std::make_unique_for_overwrite<char[]>(kPieceBytes);
  const std::unique_ptr<char[]> buffer_ = std::make_unique_for_overwrite<char[]>(kPieceBytes);
  size_t filled_ = 0;
};

void Extend(FileSum* sum, const Slice& piece) {
  sum->bytes += piece.size();
  sum->crc = crc32c::Extend(sum->crc, piece.data(), piece.size());
}

}  // namespace

Status SumFile(leveldb::Env* env, const std::string& path, FileSum* sum) {
  *sum = {};
  std::unique_ptr<leveldb::SequentialFile> file;
  const Status status = OpenForReading(env, path, &file);
  if (!status.ok()) return status;
  return ForEachPiece(file.get(), [sum](const Slice& piece) {
    Extend(sum, piece);
    return Status::OK();
  });
}

Status SameContent(leveldb::Env* env, const std::string& a, const std::string& b, bool* same) {
  *same = false;
  PieceReader first, second;
  Status status = first.Open(env, a);
  if (status.ok()) status = second.Open(env, b);
  while (status.ok()) {
    status = first.Next();
    if (status.ok()) status = second.Next();
    if (!status.ok() || first.piece() != second.piece()) return status;
    if (first.piece().size() < kPieceBytes) {
      *same = true;
      return status;
    }
  }
  return status;
}

Status NewDataFile(leveldb::Env* env, const std::string& path,
                   std::unique_ptr<leveldb::WritableFile>* file) {
  leveldb::WritableFile* raw = nullptr;
  EnvExtension* const extension = ExtensionOf(env);
  Status status = Status::NotSupported(path);
  if (extension != nullptr)
    status = extension->NewTableFile(path, TableWriterKind::kCompaction, &raw);
  if (status.IsNotSupportedError()) status = env->NewWritableFile(path, &raw);
  file->reset(raw);
  return status;
}

Status CopyContent(leveldb::Env* env, leveldb::SequentialFile* from, const std::string& to,
                   FileSum* sum) {
  *sum = {};
  std::unique_ptr<leveldb::WritableFile> file;
  Status status = NewDataFile(env, to, &file);
  if (!status.ok()) return status;
  status = ForEachPiece(from, [&](const Slice& piece) {
    Extend(sum, piece);
    return file->Append(piece);
  });
  if (status.ok()) status = file->Sync();
  if (status.ok()) status = file->Close();
  file.reset();
  if (!status.ok()) env->RemoveFile(to);
  return status;
}

Status LinkOrCopy(const StoreContext& context, const std::string& from, const std::string& to,
                  uint64_t bytes) {
  Status status = Status::NotSupported(to);
  if (context.extension != nullptr) status = context.extension->LinkFile(from, to);
  if (!status.IsNotSupportedError()) return status;
  std::unique_ptr<leveldb::SequentialFile> file;
  FileSum sum;
  status = OpenForReading(context.env(), from, &file);
  if (status.ok()) status = CopyContent(context.env(), file.get(), to, &sum);
  if (!status.ok() || sum.bytes == bytes) return status;
  return Status::Corruption(
      from, "has " + std::to_string(sum.bytes) + " bytes, not " + std::to_string(bytes));
}

}  // namespace lull
