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
  parts_.push_back(std::move(part));
}

/// The share of the input that the parts have read.
double Compaction::ShareRead() const {
  uint64_t read = 0;
  for (const auto& part : parts_) read += part->input_bytes_read();
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

CompactionJob* Compaction::BeginPart() {
  assert(HasPartToBegin());
  ++out_;
  return parts_[begun_++].get();
}

void Compaction::EndPart(bool merged, const leveldb::Status& status) {
  --out_;
  if (merged) {
    ++merged_;
    return;
  }
  if (status_.ok()) status_ = status;
  cancelled_.store(true, std::memory_order_release);
}

bool Compaction::IsOver() const { return is_cancelled() && out_ == 0; }

Compaction::Parts Compaction::TakeParts() { return std::move(parts_); }

std::vector<TableOutputs*> Compaction::Outputs() const {
  std::vector<TableOutputs*> outputs;
  for (const auto& part : parts_) outputs.push_back(&part->outputs());
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

}  // namespace lull
