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

void CompactionState::SetRoom(const OutputRoom& room) {
  if (std::exchange(room_, room) != room) ++inputs_version_;
}

std::optional<CompactionPlan> CompactionState::Pick(JobClass job_class, const Version& version) {
  uint64_t& nothing_at_basis = nothing_at_basis_[job_class == JobClass::kDeep];
  if (nothing_at_basis == inputs_version_) return std::nullopt;
  std::vector<RunningRange> taken = Taken();
  if (awaited_range_) taken.push_back(*awaited_range_);
  std::optional<CompactionPlan> plan =
      lull::Pick(version, job_class, taken, pointers_, layout_, room_);
  if (!plan) nothing_at_basis = inputs_version_;
  return plan;
}

std::optional<CompactionPlan> CompactionState::PickReclaim(const Version& version,
                                                           SequenceNumber oldest_snapshot,
                                                           ReclaimScope scope) {
  return FindReclaim(version, oldest_snapshot, scope, room_);
}

std::optional<CompactionPlan> CompactionState::FindReclaim(const Version& version,
                                                           SequenceNumber oldest_snapshot,
                                                           ReclaimScope scope,
                                                           const OutputRoom& room) const {
  const bool only_old = scope == ReclaimScope::kOldDeletions;
  if (only_old && old_ == OldDeletions()) return std::nullopt;
  std::vector<RunningRange> taken = Taken();
  if (awaited_range_) taken.push_back(*awaited_range_);
  return lull::PickReclaim(version, taken, layout_,
                           {.oldest_snapshot = oldest_snapshot,
                            .overwrite_share = overwrites_.value(),
                            .old = old_,
                            .only_old = only_old},
                           room);
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

std::optional<uint64_t> CompactionState::BytesLackingRoom(JobClass job_class,
                                                          const Version& version,
                                                          SequenceNumber oldest_snapshot,
                                                          std::optional<ReclaimScope> scope) {
  if (!room_.IsLimited()) return std::nullopt;
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
    const auto plan = FindReclaim(version, oldest_snapshot, scope, /*room=*/{});
    known = {inputs_version_, oldest_snapshot, plan.has_value()};
  }
  return known.is_due;
}

ManualPick CompactionState::PickStep(const Version& version, const ManualRequest& request,
                                     const std::vector<RunningRange>& taken,
                                     const OutputRoom& room) const {
  if (request.rewrite_pass == 0)
    return lull::PickManual(version, request.level, request.range, taken, layout_, room);
  return PickRewrite(version, request.level, request.range, request.rewrite_pass, taken, layout_,
                     room);
}

std::optional<CompactionPlan> CompactionState::PickManual(const Version& version,
                                                          const leveldb::Status& damage) {
  if (requests_.empty() || requests_.front()->running) return std::nullopt;
  ManualRequest* const request = requests_.front();
  const auto pick_beside = [&](const std::vector<RunningRange>& taken,
                               const OutputRoom& room = {}) {
    return PickStep(version, *request, taken, room);
  };
  ManualPick pick = pick_beside(Taken(), room_);
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

bool CompactionState::Reserve(JobClass job_class, const CompactionPlan& plan,
                              const KeyOrder& order) {
  if (Conflicts(order, plan.range, Taken())) {
    if (job_class == JobClass::kManual) requests_.front()->running.reset();
    return false;
  }
  running_.push_back(plan.range);
  ++inputs_version_;
  return true;
}

void CompactionState::Free(const CompactionPlan& plan) {
  std::erase(running_, plan.range);  // ranges in flight are disjoint, so it is there once
  ++inputs_version_;
}

void CompactionState::Installed(const CompactionPlan& plan) {
  Free(plan);
  if (!plan.next_pointer.empty()) pointers_[plan.level] = plan.next_pointer;
}

std::vector<size_t> CompactionState::BlockersOfL0(const Version& version,
                                                  const std::vector<RunningRange>& jobs) {
  if (no_blockers_at_basis_ == inputs_version_) return {};
  std::vector<RunningRange> others = Taken();
  for (const RunningRange& job : jobs) std::erase(others, job);
  const std::optional<CompactionPlan> plan =
      lull::Pick(version, JobClass::kL0, others, pointers_, layout_, room_);
  std::vector<size_t> blockers;
  for (size_t i = 0; plan && i < jobs.size(); ++i) {
    if (Conflicts(version.order(), plan->range, {jobs[i]})) blockers.push_back(i);
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

bool CompactionState::IsIdle(const Version& version, SequenceNumber oldest_snapshot) {
  if (!running_.empty()) return false;
  for (int level = 0; level < kLevels; ++level) {
    if (LevelScore(version, level, layout_) >= 1.0) return false;
  }
  return !IsReclaimDue(version, oldest_snapshot, ReclaimScope::kAll);
}

bool CompactionState::RunsL0() const {
  return std::ranges::any_of(running_,
                             [](const RunningRange& range) { return range.input_level == 0; });
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

void CompactionState::ManualJobEnded(const CompactionPlan& plan, const leveldb::Status& status) {
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
  ranges.reserve(unreadable_.size() + running_.size());
  for (const UnreadableRange& unreadable : unreadable_) ranges.push_back(unreadable.range);
  return ranges;
}

std::vector<RunningRange> CompactionState::Taken() const {
  std::vector<RunningRange> taken = Unreadable();
  taken.insert(taken.end(), running_.begin(), running_.end());
  taken.insert(taken.end(), withheld_.begin(), withheld_.end());
  return taken;
}

bool CompactionState::Withhold(const KeyOrder& order, const UserRange& range) {
  withheld_.clear();
  for (int level = 0; level < kLevels; level += 2)
    withheld_.push_back({level, std::min(level + 1, kLevels - 1), *range.smallest, *range.largest});
  ++inputs_version_;
  return std::none_of(withheld_.begin(), withheld_.end(), [&](const RunningRange& levels) {
    return Conflicts(order, levels, running_);
  });
}

void CompactionState::EndWithholding() {
  withheld_.clear();
  ++inputs_version_;
}

}  // namespace lull
