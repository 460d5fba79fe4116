// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/compaction/job_table.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace lull {

Compaction* JobTable::Begin(JobClass job_class, CompactionPlan plan) {
  running_.push_back(std::make_unique<Compaction>(job_class, std::move(plan)));
  return running_.back().get();
}

std::vector<RunningRange> JobTable::Ranges() const {
  std::vector<RunningRange> ranges;
  ranges.reserve(running_.size() + merged_.size());
  for (const auto& compaction : running_) ranges.push_back(compaction->plan().range);
  for (const auto& compaction : merged_) ranges.push_back(compaction->plan().range);
  return ranges;
}

bool JobTable::TakesFromL0() const {
  const auto takes = [](const auto& compaction) {
    return compaction->plan().range.input_level == 0;
  };
  return std::ranges::any_of(running_, takes) || std::ranges::any_of(merged_, takes);
}

void JobTable::AwaitInstall(const Compaction* compaction) { merged_.push_back(Remove(compaction)); }

Compaction* JobTable::BeginInstall() {
  assert(!installing_);
  installing_ = !merged_.empty();
  return installing_ ? merged_.front().get() : nullptr;
}

std::unique_ptr<Compaction> JobTable::EndInstall() {
  assert(installing_);
  installing_ = false;
  std::unique_ptr<Compaction> compaction = std::move(merged_.front());
  merged_.pop_front();
  return compaction;
}

std::unique_ptr<Compaction> JobTable::Remove(const Compaction* compaction) {
  const auto found =
      std::ranges::find_if(running_, [=](const auto& other) { return other.get() == compaction; });
  std::unique_ptr<Compaction> removed = std::move(*found);
  running_.erase(found);
  return removed;
}

uint64_t JobTable::MovedBytes() const {
  uint64_t bytes = 0;
  for (const auto& compaction : running_) bytes += compaction->MovedBytes();
  for (const auto& compaction : merged_) bytes += compaction->MovedBytes();
  return bytes;
}

uint64_t JobTable::UnwrittenBytes(bool deep) const {
  uint64_t bytes = 0;
  for (const auto& compaction : running_) {
    if (deep || compaction->job_class() != JobClass::kDeep) bytes += compaction->UnwrittenBytes();
  }
  return bytes;
}

uint64_t JobTable::OutputBytes() const {
  uint64_t bytes = 0;
  for (const auto& compaction : running_) bytes += compaction->plan().output_bytes;
  for (const auto& compaction : merged_) bytes += compaction->plan().output_bytes;
  return bytes;
}

Compaction* JobTable::FindWithPart(JobClass job_class) const {
  const auto found = std::ranges::find_if(running_, [=](const auto& compaction) {
    return compaction->job_class() == job_class && compaction->HasPartToBegin();
  });
  return found == running_.end() ? nullptr : found->get();
}

bool JobTable::HasPart(JobClass job_class) const { return FindWithPart(job_class) != nullptr; }

bool JobTable::BeginPart(JobClass job_class, JobId id) {
  Compaction* const compaction = FindWithPart(job_class);
  if (compaction == nullptr) return false;
  CompactionJob* const part = compaction->BeginPart();
  jobs_[id] = {part, part, nullptr};
  return true;
}

void JobTable::Add(JobId id, std::unique_ptr<Job> job) {
  Job* const added = job.get();
  jobs_[id] = {added, nullptr, std::move(job)};
}

JobTable::Entry JobTable::End(JobId id) { return std::move(jobs_.extract(id).mapped()); }

void JobTable::DropAll() {
  jobs_.clear();
  running_.clear();
  merged_.clear();
}

}  // namespace lull
