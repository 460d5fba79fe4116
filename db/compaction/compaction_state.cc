// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/compaction/compaction_state.h"

#include <algorithm>
#include <utility>

namespace lull {

void CompactionState::SetLayout(const LayoutOptions& layout) {
  layout_ = layout;
  ++inputs_version_;
}

void CompactionState::SetTableBytesMax(uint64_t bytes) {
  if (std::exchange(layout_.table_bytes_max, bytes) != bytes) ++inputs_version_;
}

void CompactionState::SetPointers(const CompactPointers& pointers) {
  pointers_ = pointers;
  ++inputs_version_;
}

void CompactionState::SetDeletePersist(uint64_t persist_seconds, uint64_t now_seconds) {
  OldDeletions old;
  if (persist_seconds > 0) {
    // In steps, so that not each second is another pick.
    const uint64_t step = std::max<uint64_t>(persist_seconds / 32, 1);
    const uint64_t half_ago = now_seconds - std::min(now_seconds, persist_seconds / 2);
    old.before = std::max<uint64_t>(half_ago / step * step, 1);  // above the unknown time
    // A clock that was set back by less than this delays a deletion by as much.
    old.after = now_seconds / step * step + step + persist_seconds / 4;
  }
  if (std::exchange(old_, old) != old) ++inputs_version_;
}

void CompactionState::SetOutputLimit(const OutputLimit& limit) {
  if (std::exchange(output_limit_, limit) != limit) ++inputs_version_;
}

std::optional<CompactionPlan> CompactionState::Pick(JobClass job_class, const Version& version) {
  uint64_t& nothing_at_basis = nothing_at_basis_[job_class == JobClass::kDeep];
  if (nothing_at_basis == inputs_version_) return std::nullopt;
  std::vector<RunningRange> taken = Taken();
  if (awaited_range_) taken.push_back(*awaited_range_);
  std::optional<CompactionPlan> plan =
      lull::Pick(version, job_class, taken, pointers_, layout_, output_limit_);
  if (!plan) nothing_at_basis = inputs_version_;
  return plan;
}

std::optional<CompactionPlan> CompactionState::PickReclaim(const Version& version,
                                                           SequenceNumber oldest_snapshot,
                                                           ReclaimScope scope) {
  return FindReclaim(version, oldest_snapshot, scope, output_limit_);
}

std::optional<CompactionPlan> CompactionState::FindReclaim(const Version& version,
                                                           SequenceNumber oldest_snapshot,
                                                           ReclaimScope scope,
                                                           const OutputLimit& limit) const {
  const bool only_old = scope == ReclaimScope::kOldDeletions;
  if (only_old && old_ == OldDeletions()) return std::nullopt;
  std::vector<RunningRange> taken = Taken();
  if (awaited_range_) taken.push_back(*awaited_range_);
  return lull::PickReclaim(version, taken, layout_,
                           {.oldest_snapshot = oldest_snapshot,
                            .overwrite_share = overwrites_.value(),
                            .old = old_,
                            .only_old = only_old},
                           limit);
}

std::optional<CompactionPlan> CompactionState::PickWithoutLimit(
    JobClass job_class, const Version& version, SequenceNumber oldest_snapshot,
    std::optional<ReclaimScope> scope) const {
  std::vector<RunningRange> taken = Taken();
  if (job_class == JobClass::kManual) {
    if (requests_.empty() || requests_.front()->running) return std::nullopt;
    const ManualRequest& request = *requests_.front();
    return PickStep(version, request, taken, {}).plan;
  }
  if (awaited_range_) taken.push_back(*awaited_range_);
  std::optional<CompactionPlan> plan = lull::Pick(version, job_class, taken, pointers_, layout_);
  if (!plan && scope) plan = FindReclaim(version, oldest_snapshot, *scope, {});
  return plan;
}

std::optional<uint64_t> CompactionState::BytesLackingSpace(JobClass job_class,
                                                           const Version& version,
                                                           SequenceNumber oldest_snapshot,
                                                           std::optional<ReclaimScope> scope) {
  if (!output_limit_.IsLimited()) return std::nullopt;
  const bool is_manual = job_class == JobClass::kManual;
  Lacking& known = lacking_[job_class == JobClass::kDeep];
  const bool is_known = known.basis == inputs_version_ &&
                        known.oldest_snapshot == oldest_snapshot && known.scope == scope;
  if (!is_manual && is_known) return known.bytes;
  const auto plan = PickWithoutLimit(job_class, version, oldest_snapshot, scope);
  std::optional<uint64_t> bytes;
  if (plan) bytes = plan->output_bytes;
  if (!is_manual) known = {inputs_version_, oldest_snapshot, scope, bytes};
  return bytes;
}

bool CompactionState::IsReclaimDue(const Version& version, SequenceNumber oldest_snapshot,
                                   ReclaimScope scope) {
  ReclaimDue& known = reclaim_due_[scope == ReclaimScope::kAll];
  if (known.basis != inputs_version_ || known.oldest_snapshot != oldest_snapshot) {
    // Also if the disk has no room for it: who asks for it then learns why it waits.
    const auto plan = FindReclaim(version, oldest_snapshot, scope, /*limit=*/{});
    known = {inputs_version_, oldest_snapshot, plan.has_value()};
  }
  return known.is_due;
}

ManualPick CompactionState::PickStep(const Version& version, const ManualRequest& request,
                                     const std::vector<RunningRange>& taken,
                                     const OutputLimit& limit) const {
  if (request.rewrite_pass == 0)
    return lull::PickManual(version, request.level, request.range, taken, layout_, limit);
  return PickRewrite(version, request.level, request.range, request.rewrite_pass, taken, layout_,
                     limit);
}

std::optional<CompactionPlan> CompactionState::PickManual(const Version& version,
                                                          const leveldb::Status& damage) {
  if (requests_.empty() || requests_.front()->running) return std::nullopt;
  ManualRequest* const request = requests_.front();
  const auto pick_beside = [&](const std::vector<RunningRange>& taken,
                               const OutputLimit& limit = {}) {
    return PickStep(version, *request, taken, limit);
  };
  ManualPick pick = pick_beside(Taken(), output_limit_);
  if (pick.conflict && pick_beside(Unreadable()).conflict) {
    EndRequest(damage);
    return std::nullopt;
  }
  // Reserves the request's range, so that no other job begins in it.
  std::optional<RunningRange> kept_free;
  if (pick.conflict) {
    const ManualPick alone = pick_beside({});
    if (alone.plan) kept_free = alone.plan->range;
  }
  if (std::exchange(awaited_range_, kept_free) != kept_free) ++inputs_version_;
  if (pick.plan) {
    request->running = pick.plan->range;
    request->next_begin = std::move(pick.next_begin);
  } else if (!pick.conflict) {
    EndRequest(leveldb::Status::OK());
  }
  return std::move(pick.plan);
}

Compaction* CompactionState::Begin(JobClass job_class, CompactionPlan plan, const KeyOrder& order) {
  if (Conflicts(order, plan.range, Taken())) {
    if (job_class == JobClass::kManual) requests_.front()->running.reset();
    return nullptr;
  }
  ++inputs_version_;
  return jobs_.Begin(job_class, std::move(plan));
}

std::unique_ptr<Compaction> CompactionState::Drop(const Compaction* compaction) {
  ++inputs_version_;
  std::unique_ptr<Compaction> dropped = jobs_.Remove(compaction);
  if (dropped->job_class() == JobClass::kManual && !dropped->status().ok())
    ManualEnded(dropped->plan(), dropped->status());
  return dropped;
}

std::unique_ptr<Compaction> CompactionState::EndInstall(const leveldb::Status& status) {
  ++inputs_version_;
  std::unique_ptr<Compaction> ended = jobs_.EndInstall();
  const CompactionPlan& plan = ended->plan();
  if (status.ok() && !plan.next_pointer.empty()) pointers_[plan.level] = plan.next_pointer;
  if (ended->job_class() == JobClass::kManual) ManualEnded(plan, status);
  return ended;
}

std::vector<JobId> CompactionState::BlockersOfL0(const Version& version,
                                                 const std::vector<JobId>& deep) {
  if (no_blockers_at_basis_ == inputs_version_) return {};
  const auto range_of = [this](JobId id) -> const RunningRange& {
    return jobs_.at(id).part->place().whole->plan().range;
  };
  std::vector<RunningRange> others = Taken();
  for (const JobId id : deep) std::erase(others, range_of(id));
  const std::optional<CompactionPlan> plan =
      lull::Pick(version, JobClass::kL0, others, pointers_, layout_, output_limit_);
  std::vector<JobId> blockers;
  for (const JobId id : deep) {
    if (plan && Conflicts(version.order(), plan->range, {range_of(id)})) blockers.push_back(id);
  }
  if (blockers.empty()) no_blockers_at_basis_ = inputs_version_;
  return blockers;
}

bool CompactionState::IsL0Unreadable(const Version& version) const {
  return !lull::Pick(version, JobClass::kL0, Unreadable(), pointers_, layout_);
}

const TableSpace& CompactionState::Space(const Version& version) {
  if (std::exchange(space_at_basis_, inputs_version_) != inputs_version_) space_ = SpaceOf(version);
  return space_;
}

uint64_t CompactionState::BytesKept(const Version& version, SequenceNumber oldest_snapshot) {
  if (kept_.basis != inputs_version_ || kept_.oldest_snapshot != oldest_snapshot)
    kept_ = {inputs_version_, oldest_snapshot, HiddenBytesKept(version, oldest_snapshot)};
  return kept_.bytes;
}

bool CompactionState::IsIdle(const Version& version, SequenceNumber oldest_snapshot) {
  if (jobs_.has_compactions()) return false;
  for (int level = 0; level < kLevels; ++level) {
    if (LevelScore(version, level, layout_) >= 1.0) return false;
  }
  return !IsReclaimDue(version, oldest_snapshot, ReclaimScope::kAll);
}

void CompactionState::Avoid(const RunningRange& range, uint64_t until_nanos) {
  unreadable_.push_back({range, until_nanos});
  ++inputs_version_;
}

bool CompactionState::ForgetReadable(uint64_t now_nanos) {
  const auto over = [=](const UnreadableRange& range) { return range.until_nanos <= now_nanos; };
  if (std::erase_if(unreadable_, over) == 0) return false;
  ++inputs_version_;
  return unreadable_.empty();
}

void CompactionState::RemoveRequest(ManualRequest* request) {
  requests_.remove(request);
  if (std::exchange(awaited_range_, std::nullopt)) ++inputs_version_;
}

void CompactionState::ManualEnded(const CompactionPlan& plan, const leveldb::Status& status) {
  if (requests_.empty() || requests_.front()->running != plan.range) return;  // the client gave up
  ManualRequest* const request = requests_.front();
  request->running.reset();
  if (status.ok() && request->next_begin) {
    request->range.smallest = std::exchange(request->next_begin, std::nullopt);
    return;
  }
  EndRequest(status);
}

void CompactionState::EndRequest(const leveldb::Status& status) {
  ManualRequest* const request = requests_.front();
  requests_.pop_front();
  request->status = status;
  request->done = true;
}

std::vector<RunningRange> CompactionState::Unreadable() const {
  std::vector<RunningRange> ranges;
  for (const UnreadableRange& unreadable : unreadable_) ranges.push_back(unreadable.range);
  return ranges;
}

std::vector<RunningRange> CompactionState::Taken() const {
  std::vector<RunningRange> taken = Unreadable();
  const std::vector<RunningRange> running = jobs_.Ranges();
  taken.insert(taken.end(), running.begin(), running.end());
  taken.insert(taken.end(), withheld_.begin(), withheld_.end());
  return taken;
}

bool CompactionState::Withhold(const KeyOrder& order, const UserRange& range) {
  withheld_.clear();
  for (int level = 0; level < kLevels; level += 2)
    withheld_.push_back({level, std::min(level + 1, kLevels - 1), *range.smallest, *range.largest});
  ++inputs_version_;
  return std::ranges::none_of(withheld_, [&, running = jobs_.Ranges()](const auto& levels) {
    return Conflicts(order, levels, running);
  });
}

void CompactionState::EndWithholding() {
  withheld_.clear();
  ++inputs_version_;
}

}  // namespace lull
