// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/wal/wal_pages.h"

#include <utility>

namespace lull {

void WalPages::Sealed(const std::weak_ptr<WalFile>& wal) {
  {
    MutexLock lock(mutex_);
    if (sealed_.expired()) {
      sealed_ = wal;
      return;
    }
  }
  if (const WalRef late = wal.lock()) late->DropPages(/*all=*/true);
}

WalRef WalPages::TakeSealed() {
  MutexLock lock(mutex_);
  return std::exchange(sealed_, {}).lock();
}

void WalPages::Tend(WalFiles* files) {
  while (const WalRef sealed = TakeSealed()) {
    loaded_max_ = kLoadedMax;
    sealed->DropPages(/*all=*/true);
  }
  std::vector<WalRef> next = files->Prepared();
  if (next.size() > loaded_max_) next.resize(loaded_max_);
  for (const WalRef& wal : next) wal->LoadPages();
}

void WalPages::DropInLull(WalFiles* files, WalFile* current) {
  loaded_max_ = 1;
  const std::vector<WalRef> prepared = files->Prepared();
  for (size_t i = 1; i < prepared.size(); ++i) prepared[i]->DropPages(/*all=*/true);
  if (current != nullptr) current->DropPages(/*all=*/false);
}

}  // namespace lull
