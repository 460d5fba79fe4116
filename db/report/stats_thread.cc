// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/report/stats_thread.h"

#include <map>

#include "db/report/stats_file.h"
#include "util/fork.h"

namespace lull {
namespace {

struct Threads {
  Mutex mutex;
  std::map<std::string, std::weak_ptr<StatsThread>> by_mounts LULL_GUARDED_BY(mutex);
};

}  // namespace

leveldb::Status StatsThread::Get(const std::string& mounts, uint64_t interval_nanos,
                                 std::shared_ptr<StatsThread>* result) {
  static constinit PerProcess<Threads> threads;
  Threads& all = threads.Get();
  MutexLock lock(all.mutex);
  std::weak_ptr<StatsThread>& shared = all.by_mounts[mounts];
  *result = shared.lock();
  if (*result != nullptr) return leveldb::Status::OK();
  auto made = std::make_shared<StatsThread>(interval_nanos);
  const leveldb::Status status = ThreadFactory::System()->TryStart(
      "lull-stats", CpuClass::kNormal, [thread = made.get()] { thread->Loop(); }, &made->thread_);
  if (!status.ok()) return status;
  shared = made;
  *result = std::move(made);
  return status;
}

StatsThread::~StatsThread() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    changed_.NotifyAll();
  }
  thread_.reset();
}

void StatsThread::Add(StatsFile* file) {
  MutexLock lock(mutex_);
  files_.insert(file);
}

void StatsThread::Remove(StatsFile* file) {
  MutexLock lock(mutex_);
  files_.erase(file);
  while (updated_ == file) changed_.Wait(mutex_);
}

void StatsThread::Loop() {
  MutexLock lock(mutex_);
  while (!stopping_) {
    UpdateAllLocked();
    // A spurious wake-up only updates early.
    if (!stopping_) changed_.WaitFor(mutex_, interval_nanos_);
  }
}

void StatsThread::UpdateAllLocked() {
  StatsFile* last = nullptr;
  while (!stopping_) {
    const auto next = files_.upper_bound(last);  // files come and go meanwhile
    if (next == files_.end()) return;
    last = updated_ = *next;
    mutex_.Unlock();
    last->Update();
    mutex_.Lock();
    updated_ = nullptr;
    changed_.NotifyAll();
  }
}

}  // namespace lull
