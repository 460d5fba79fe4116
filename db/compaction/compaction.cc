// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/compaction/compaction.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "db/compaction/merge_job.h"
#include "db/compaction/planner.h"

namespace lull {

Compaction::Compaction(JobClass job_class, CompactionPlan plan)
    : job_class_(job_class), plan_(std::move(plan)) {}

Compaction::~Compaction() = default;

void Compaction::AddPart(std::unique_ptr<CompactionJob> part) {
  assert(part->place().index == parts_.size() && part->place().whole == this);
  jobs_.push_back(part.get());
  parts_.push_back(std::move(part));
}

/// The share of the input that the parts have read.
double Compaction::ShareRead() const {
  uint64_t read = 0;
  for (const CompactionJob* job : jobs_) read += job->input_bytes_read();
  const double whole = static_cast<double>(std::max<uint64_t>(plan_.input_bytes, 1));
  return std::min(1.0, static_cast<double>(read) / whole);
}

uint64_t Compaction::MovedBytes() const {
  if (plan_.is_rewrite()) return 0;
  return static_cast<uint64_t>(ShareRead() * static_cast<double>(SumBytes(plan_.upper)));
}

uint64_t Compaction::UnwrittenBytes() const {
  return static_cast<uint64_t>((1 - ShareRead()) * static_cast<double>(plan_.output_bytes));
}

std::unique_ptr<CompactionJob> Compaction::BeginPart() {
  assert(HasPartToBegin());
  ++out_;
  return std::move(parts_[begun_++]);
}

void Compaction::TakeBack(std::unique_ptr<CompactionJob> part, bool merged,
                          const leveldb::Status& status) {
  --out_;
  if (merged) {
    ++merged_;
  } else {
    if (status_.ok()) status_ = status;
    cancelled_.store(true, std::memory_order_release);
  }
  const size_t index = part->place().index;
  parts_[index] = std::move(part);
}

bool Compaction::IsOver() const { return is_cancelled() && out_ == 0; }

Compaction::Parts Compaction::TakeParts() { return std::move(parts_); }

std::vector<TableMeta> Compaction::Outputs() const {
  std::vector<TableMeta> outputs;
  for (const auto& part : parts_) {
    const std::vector<TableMeta>& finished = part->outputs().finished();
    outputs.insert(outputs.end(), finished.begin(), finished.end());
  }
  return outputs;
}

uint64_t Compaction::OutputBytes() const {
  uint64_t bytes = 0;
  for (const auto& part : parts_) bytes += part->outputs().FinishedBytes();
  return bytes;
}

uint64_t Compaction::BusyMicros() const {
  uint64_t micros = 0;
  for (const auto& part : parts_) micros += part->busy_micros();
  return micros;
}

FilterTotals Compaction::Dropped() const {
  FilterTotals totals;
  for (const auto& part : parts_) {
    if (part->filter() != nullptr) totals.Add(part->filter()->dropped());
  }
  return totals;
}

void CompactionsInFlight::Add(std::unique_ptr<Compaction> compaction) {
  running_.push_back(std::move(compaction));
}

std::unique_ptr<CompactionJob> CompactionsInFlight::NextPart(JobClass job_class) {
  for (const auto& compaction : running_) {
    if (compaction->job_class() == job_class && compaction->HasPartToBegin())
      return compaction->BeginPart();
  }
  return nullptr;
}

bool CompactionsInFlight::HasPart(JobClass job_class) const {
  return std::any_of(running_.begin(), running_.end(), [=](const auto& compaction) {
    return compaction->job_class() == job_class && compaction->HasPartToBegin();
  });
}

void CompactionsInFlight::AwaitInstall(const Compaction* compaction) {
  merged_.push_back(Remove(compaction));
}

Compaction* CompactionsInFlight::BeginInstall() {
  assert(!installing_);
  installing_ = !merged_.empty();
  return installing_ ? merged_.front().get() : nullptr;
}

std::unique_ptr<Compaction> CompactionsInFlight::EndInstall() {
  assert(installing_);
  installing_ = false;
  std::unique_ptr<Compaction> compaction = std::move(merged_.front());
  merged_.pop_front();
  return compaction;
}

uint64_t CompactionsInFlight::MovedBytes() const {
  uint64_t bytes = 0;
  for (const auto& compaction : running_) bytes += compaction->MovedBytes();
  for (const auto& compaction : merged_) bytes += compaction->MovedBytes();
  return bytes;
}

uint64_t CompactionsInFlight::UnwrittenBytes(bool deep) const {
  uint64_t bytes = 0;
  for (const auto& compaction : running_) {
    if (deep || compaction->job_class() != JobClass::kDeep) bytes += compaction->UnwrittenBytes();
  }
  return bytes;
}

uint64_t CompactionsInFlight::OutputBytes() const {
  uint64_t bytes = 0;
  for (const auto& compaction : running_) bytes += compaction->plan().output_bytes;
  for (const auto& compaction : merged_) bytes += compaction->plan().output_bytes;
  return bytes;
}

std::unique_ptr<Compaction> CompactionsInFlight::Remove(const Compaction* compaction) {
  const auto found = std::find_if(running_.begin(), running_.end(),
                                  [=](const auto& other) { return other.get() == compaction; });
  std::unique_ptr<Compaction> removed = std::move(*found);
  running_.erase(found);
  return removed;
}

void CompactionsInFlight::DropAll() {
  running_.clear();
  merged_.clear();
}

}  // namespace lull
