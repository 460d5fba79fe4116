// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/recovery/live_store.h"

#include <cstdint>
#include <string>

#include "db/base/filename.h"
#include "db/recovery/recovery.h"

namespace lull {
namespace {

using leveldb::Status;

// To defeat all of them, a writer would have to install an edit during each attempt.
constexpr int kAttemptsMax = 20;

/// The name and length of the MANIFEST.
struct ManifestMark {
  std::string current;
  uint64_t bytes = 0;
  bool operator==(const ManifestMark&) const = default;
};

Status MarkManifest(const StoreContext& context, ManifestMark* mark) {
  const Status status =
      leveldb::ReadFileToString(context.env(), CurrentFileName(context.name), &mark->current);
  if (!status.ok()) return status;
  const std::string manifest = mark->current.substr(0, mark->current.find('\n'));
  return context.env()->GetFileSize(context.name + "/" + manifest, &mark->bytes);
}

}  // namespace

Status CheckIsStore(const StoreContext& context) {
  bool exists = false;
  const Status status = FindStore(context, &exists);
  return status.ok() && !exists ? Status::InvalidArgument(context.name, "contains no store")
                                : status;
}

Status LoadUnchanged(const StoreContext& context, const std::function<Status()>& load) {
  Status status = CheckIsStore(context);
  if (!status.ok()) return status;
  for (int attempt = 0; attempt < kAttemptsMax; ++attempt) {
    ManifestMark before, after;
    const Status first = MarkManifest(context, &before);
    status = load();
    const Status last = MarkManifest(context, &after);
    // An error counts only if nothing changed meanwhile, since it can be about a deleted file. (A
    // writer that closes deletes its unused prepared WALs without a MANIFEST edit.)
    if (first.ok() == last.ok() && before == after && !status.IsNotFound()) return status;
  }
  return status.ok() ? Status::IOError(context.name, "changes faster than it can be read") : status;
}

}  // namespace lull
