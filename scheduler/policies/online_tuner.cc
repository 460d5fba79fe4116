// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "scheduler/policies/online_tuner.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "scheduler/policies/rates.h"

namespace lull {
namespace {

// More between two calls is a gap: nobody knows which part of it clients worked.
constexpr uint64_t kTickUsMax = 50'000;
constexpr double kGain = 1.05;
constexpr double kNoLoss = 0.97;
// Of the rate before: what a step is taken back for when it has settled, and half a window later.
constexpr double kLossAtOnce = 0.5;
constexpr double kLossSoon = 0.8;
// One of these settles things: of the shortest window if clients rest, of the longest if not.
constexpr uint64_t kPartsOfWindow = 4;
// Of the shortest windows. A burst of more is not waited for. Without bursts a window is as long:
// rates swing with each round of compactions through the upper levels, which takes some ten
// seconds.
constexpr uint64_t kLongestWindow = 6;
constexpr int kAlikeBursts = 8;  // so many in a row are a load of their own
constexpr uint64_t kStepsOfRound = 2 * OnlineTuner::kKnobs;
constexpr uint64_t kWindowsToWaitMax = 64;
constexpr double kOtherLoad = 0.75;  // of the usual rate, in so many windows in a row:
constexpr int kSlowWindows = 2;
constexpr double kFollow = 0.2;  // of the way from the usual rate to the present one

}  // namespace

OnlineTuner::OnlineTuner(uint64_t window_us, const Ranges& ranges)
    : window_us_(window_us), ranges_(ranges) {}

void OnlineTuner::Observe(uint64_t client_bytes_total, bool busy, uint64_t now_us) {
  const bool rested = now_us - last_busy_us_ >= window_us_ / kPartsOfWindow;
  const bool burst_ended = rested && stretch_us_ > 0;
  if (burst_ended) EndBurst();
  if (busy) last_busy_us_ = now_us;
  if (busy && rested && settles_) BeginWindow(stage_);
  if (begun_ && busy && now_us - seen_us_ <= kTickUsMax)
    Count(client_bytes_total - seen_bytes_, now_us - seen_us_);
  begun_ = true;
  seen_us_ = now_us;
  seen_bytes_ = client_bytes_total;
  if (trying() && Loses()) {
    lost_ = true;
    return Turn(-direction_, Stage::kAfter);
  }
  if (busy_us_ >= LongestUs() || (burst_ended && busy_us_ >= window_us_))
    EndWindow(Ratio(static_cast<double>(bytes_), static_cast<double>(busy_us_)));
}

void OnlineTuner::Count(uint64_t client_bytes, uint64_t elapsed_us) {
  busy_us_ += elapsed_us;
  stretch_us_ += elapsed_us;
  bytes_ += client_bytes;
  if (stretch_us_ > burst_us_ + burst_us_ / 2) {  // this one is no burst like that
    burst_us_ = 0;
    if (std::exchange(alike_bursts_, 0) >= kAlikeBursts) BeginAnew();
  }
  steady_ |= stretch_us_ > kLongestWindow * window_us_;
}

void OnlineTuner::EndBurst() {
  const bool alike = burst_us_ >= window_us_ && stretch_us_ >= burst_us_ - burst_us_ / 3;
  alike_bursts_ = alike ? alike_bursts_ + 1 : 0;
  burst_us_ = std::exchange(stretch_us_, 0);
  if (alike_bursts_ >= kAlikeBursts && std::exchange(steady_, false)) BeginAnew();
}

/// Clients come in another way than before: what did not pay then may pay now, and what costs
/// memory must pay for it anew.
void OnlineTuner::BeginAnew() {
  if (stage_ == Stage::kTrial || stage_ == Stage::kConfirm) levels_[knob_] -= direction_;
  levels_[kMemtable] = 0;
  knob_ = 0;
  direction_ = 1;
  if (!StepIsAllowed()) TurnToNextKnob();
  rejected_in_a_row_ = windows_to_wait_ = 0;
  usual_ = 0;
  slow_windows_ = 0;
  BeginWindow(Stage::kBefore);
  settles_ = true;
}

/// When the window ends though clients go on.
uint64_t OnlineTuner::LongestUs() const {
  const uint64_t most_us = kLongestWindow * window_us_;
  if (burst_us_ == 0) return settles_ ? most_us / kPartsOfWindow : most_us;
  return std::clamp(burst_us_ + burst_us_ / 2, window_us_, most_us);
}

void OnlineTuner::BeginWindow(Stage stage) {
  stage_ = stage;
  settles_ = false;
  busy_us_ = bytes_ = 0;
}

/// The knob that is tried, by one level.
void OnlineTuner::Turn(int direction, Stage stage) {
  levels_[knob_] += direction;
  BeginWindow(stage);
  settles_ = true;
}

bool OnlineTuner::Loses() const {
  const uint64_t told_us = settles_ ? LongestUs() : LongestUs() / 2;
  const double least = (settles_ ? kLossAtOnce : kLossSoon) * before_;
  return busy_us_ >= told_us && static_cast<double>(bytes_) < least * static_cast<double>(busy_us_);
}

/// A rate with nothing tried: whether it is that of another load.
bool OnlineTuner::IsOtherLoad(double rate) {
  if (rate >= kOtherLoad * usual_) {
    usual_ += (usual_ > 0 ? kFollow : 1.0) * (rate - usual_);
    slow_windows_ = 0;
  } else if (++slow_windows_ >= kSlowWindows) {
    usual_ = rate;
    slow_windows_ = 0;
    return true;
  }
  return false;
}

void OnlineTuner::EndWindow(double rate) {
  if (settles_) return BeginWindow(stage_);
  if (!trying() && IsOtherLoad(rate)) {
    levels_ = {};
    if (stage_ != Stage::kBefore) TurnToNextStep();  // from a step that is not judged any more
    rejected_in_a_row_ = windows_to_wait_ = 0;
    return BeginWindow(Stage::kBefore);
  }
  switch (stage_) {
    case Stage::kBefore:
      before_ = rate;
      if (windows_to_wait_ == 0) return BeginTrial();
      --windows_to_wait_;
      return BeginWindow(Stage::kBefore);
    case Stage::kTrial:
      trial_ = rate;
      return Turn(-direction_, Stage::kAfter);
    case Stage::kAfter:
      return Decide(rate);
    case Stage::kConfirm:
      return Confirm(rate);
  }
}

bool OnlineTuner::StepIsAllowed() const {
  const int to = levels_[knob_] + direction_;
  return ranges_[knob_].min <= to && to <= ranges_[knob_].max;
}

void OnlineTuner::TurnToNextStep() {
  if (direction_ < 0) return TurnToNextKnob();
  direction_ = -1;
}

void OnlineTuner::TurnToNextKnob() {
  knob_ = (knob_ + 1) % kKnobs;
  direction_ = 1;
}

void OnlineTuner::BeginTrial() {
  for (uint64_t i = 0; i < kStepsOfRound && !StepIsAllowed(); ++i) TurnToNextStep();
  if (!StepIsAllowed()) return BeginWindow(Stage::kBefore);
  ++steps_tried_;
  lost_ = false;
  Turn(direction_, Stage::kTrial);
}

/// Memory must pay for itself. Larger tables cost nothing: they are given up only for a gain.
bool OnlineTuner::MustGain() const {
  const bool away = std::abs(levels_[knob_] + direction_) > std::abs(levels_[knob_]);
  return away == (knob_ == kMemtable);
}

void OnlineTuner::Decide(double after) {
  const double best = std::max(before_, after);
  const double mean = (before_ + after) / 2;
  const bool pays = MustGain() ? trial_ > kGain * best : trial_ >= kNoLoss * mean;
  before_ = after;
  if (pays && !lost_) return Turn(direction_, Stage::kConfirm);
  Reject();
  BeginWindow(Stage::kBefore);
}

void OnlineTuner::Confirm(double rate) {
  if (rate < kNoLoss * before_) {
    Turn(-direction_, Stage::kBefore);
    return Reject();
  }
  ++steps_kept_;
  rejected_in_a_row_ = 0;
  before_ = rate;
  if (!StepIsAllowed()) TurnToNextKnob();
  BeginTrial();  // the same way once more, but never back at once
}

void OnlineTuner::Reject() {
  TurnToNextStep();
  ++rejected_in_a_row_;
  if (rejected_in_a_row_ % kStepsOfRound == 0) {
    const uint64_t rounds = std::min<uint64_t>(rejected_in_a_row_ / kStepsOfRound, 6);
    windows_to_wait_ = std::min(uint64_t{4} << rounds, kWindowsToWaitMax);
  }
}

}  // namespace lull
