// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "util/folder_thread.h"

#include <utility>

#include "util/os.h"
#include "util/shared_in_process.h"

namespace lull {

leveldb::Status FolderThread::Start() {
  return ThreadFactory::System()->TryStart(
      "lull-folder", CpuClass::kNormal, [this] { Loop(); }, &thread_);
}

FolderThread::~FolderThread() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    changed_.NotifyAll();
  }
  thread_.reset();
}

leveldb::Status FolderThread::Shared(std::shared_ptr<FolderThread>* result) {
  static constinit SharedInProcess<FolderThread> shared;
  const auto make = [](std::shared_ptr<FolderThread>* made) {
    *made = std::make_shared<FolderThread>();
    return (*made)->Start();
  };
  return shared.Get(make, result);
}

void FolderThread::Run(const std::function<void()>& work) {
  if (!os::IsInIdleClass()) return work();
  Request request{&work};
  MutexLock lock(mutex_);
  requests_.push_back(&request);
  changed_.NotifyAll();
  while (!request.done) changed_.Wait(mutex_);
}

void FolderThread::Loop() {
  MutexLock lock(mutex_);
  for (;;) {
    while (requests_.empty() && !stopping_) changed_.Wait(mutex_);
    if (requests_.empty()) return;
    Request* const request = requests_.front();
    requests_.pop_front();
    mutex_.Unlock();
    (*request->work)();
    mutex_.Lock();
    request->done = true;
    changed_.NotifyAll();
  }
}

}  // namespace lull
