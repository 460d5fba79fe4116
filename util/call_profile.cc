// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "lull/call_profile.h"

#include <cstdio>

#include "util/clock.h"
#include "util/profiled_part.h"

namespace lull {
namespace {

constexpr std::array kNames = {"delay",      "queue",      "room",         "new_log",
                               "log_append", "log_sync",   "memtable_add", "memtable_find",
                               "table_open", "block_read", "block_decode"};

}  // namespace

thread_local constinit CallProfile* ProfiledPart::current_ = nullptr;

void ProfiledPart::Begin() { begin_nanos_ = Clock::System()->NowNanos(); }

void ProfiledPart::End() {
  CallProfile::Part& part = profile_->parts_[static_cast<size_t>(part_)];
  ++part.count;
  part.nanos += Clock::System()->NowNanos() - begin_nanos_;
}

CallProfile::CallProfile() : outer_(ProfiledPart::current_) { ProfiledPart::current_ = this; }
CallProfile::~CallProfile() { ProfiledPart::current_ = outer_; }

std::string CallProfile::ToString() const {
  std::string text;
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (parts_[i].count == 0) continue;
    char part[80];
    std::snprintf(part, sizeof(part), "%s%s %llu x %.1f us", text.empty() ? "" : ", ", kNames[i],
                  static_cast<unsigned long long>(parts_[i].count),
                  static_cast<double>(parts_[i].nanos) / 1e3);
    text += part;
  }
  return text;
}

}  // namespace lull
