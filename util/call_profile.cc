// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "lull/call_profile.h"

#include "util/clock.h"
#include "util/logging.h"
#include "util/profiled_part.h"

namespace lull {
namespace {

constexpr std::array kNames = {"delay",      "queue",      "room",         "new_log",
                               "log_append", "log_sync",   "memtable_add", "memtable_find",
                               "table_open", "block_read", "block_decode"};

/// True while the thread destroys its objects, one of which can create a profile. It measures
/// nothing.
thread_local constinit bool has_ended = false;

std::shared_ptr<CallParts> PartsOfThread() {
  struct Owner {
    Owner() { ProfiledPart::of_thread = parts.get(); }
    ~Owner() {
      ProfiledPart::of_thread = nullptr;
      has_ended = true;
    }
    const std::shared_ptr<CallParts> parts = std::make_shared<CallParts>();
  };
  if (has_ended) return std::make_shared<CallParts>();
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wexit-time-destructors"  // see has_ended
#endif
  thread_local const Owner owner;
#if defined(__clang__)
#pragma clang diagnostic pop
#endif
  return owner.parts;
}

}  // namespace

thread_local constinit CallParts* ProfiledPart::of_thread = nullptr;

void ProfiledPart::Begin() {
  if (of_thread->profiles.load(std::memory_order_relaxed) > 0)
    begin_nanos_ = Clock::System()->NowNanos();
}

void ProfiledPart::End() {
  CallParts::Part& part = of_thread->parts[static_cast<size_t>(part_)];
  part.count += 1;
  part.nanos += Clock::System()->NowNanos() - begin_nanos_;
}

CallProfile::CallProfile() : parts_(PartsOfThread()) {
  Clear();
  parts_->profiles.fetch_add(1, std::memory_order_relaxed);
}
CallProfile::~CallProfile() { parts_->profiles.fetch_sub(1, std::memory_order_relaxed); }

uint64_t CallProfile::Count(CallPart part) const {
  const auto index = static_cast<size_t>(part);
  return parts_->parts[index].count - begin_[index].count;
}

uint64_t CallProfile::Nanos(CallPart part) const {
  const auto index = static_cast<size_t>(part);
  return parts_->parts[index].nanos - begin_[index].nanos;
}

void CallProfile::Clear() {
  for (size_t i = 0; i < begin_.size(); ++i)
    begin_[i] = {parts_->parts[i].count, parts_->parts[i].nanos};
}

std::string CallProfile::ToString() const {
  std::string text;
  for (size_t i = 0; i < kNames.size(); ++i) {
    const auto about = static_cast<CallPart>(i);
    if (Count(about) == 0) continue;
    text += Format("%s%s %llu x %.1f us", text.empty() ? "" : ", ", kNames[i],
                   static_cast<unsigned long long>(Count(about)),
                   static_cast<double>(Nanos(about)) / 1e3);
  }
  return text;
}

}  // namespace lull
