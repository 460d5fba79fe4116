// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/backup/data_files.h"

#include <vector>

namespace lull {

using leveldb::Status;

Status DataFiles::Load() {
  std::vector<DataName> names;
  const Status status = directory_.ListData(&names);
  for (const DataName& name : names) by_size_.emplace(name.sum.bytes, name);
  return status;
}

bool DataFiles::IsThere(const DataName& name) const {
  uint64_t bytes = 0;
  return directory_.env()->GetFileSize(directory_.DataPath(name), &bytes).ok() &&
         bytes == name.sum.bytes;
}

Status DataFiles::Find(const std::string& path, const FileSum& sum,
                       std::optional<DataName>* found) {
  found->reset();
  const auto [begin, end] = by_size_.equal_range(sum.bytes);
  for (auto candidate = begin; candidate != end; ++candidate) {
    const DataName& name = candidate->second;
    if (name.sum != sum) continue;
    bool same = false;
    const Status status = SameContent(directory_.env(), path, directory_.DataPath(name), &same);
    if (!status.ok() && !status.IsNotFound()) return status;
    if (!same) continue;
    *found = name;
    break;
  }
  return Status::OK();
}

Status DataFiles::Publish(const FileSum& sum, DataName* name, bool* is_new) {
  leveldb::Env* const env = directory_.env();
  const std::string temp = directory_.TempDataPath();
  std::optional<DataName> found;
  Status status = Find(temp, sum, &found);
  if (!status.ok()) return status;
  *is_new = !found;
  if (found) {
    *name = *found;
    return env->RemoveFile(temp);
  }
  *name = {sum, 0};
  while (env->FileExists(directory_.DataPath(*name))) ++name->twin;
  status = env->RenameFile(temp, directory_.DataPath(*name));
  if (status.ok()) by_size_.emplace(sum.bytes, *name);
  return status;
}

}  // namespace lull
