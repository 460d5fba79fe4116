// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "util/folder_thread.h"

#include <sched.h>

#include <utility>

#include "util/fork.h"

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
  struct Slot {
    Mutex mutex;
    std::weak_ptr<FolderThread> thread LULL_GUARDED_BY(mutex);
  };
  static constinit PerProcess<Slot> slots;
  Slot& slot = slots.Get();
  MutexLock lock(slot.mutex);
  *result = slot.thread.lock();
  if (*result != nullptr) return leveldb::Status::OK();
  auto made = std::make_shared<FolderThread>();
  leveldb::Status status = made->Start();
  if (!status.ok()) return status;
  slot.thread = made;
  *result = std::move(made);
  return status;
}

void FolderThread::Run(const std::function<void()>& work) {
  if (sched_getscheduler(0) != SCHED_IDLE) return work();
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
