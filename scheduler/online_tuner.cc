// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "scheduler/online_tuner.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "scheduler/rates.h"

namespace lull {
namespace {

// More between two calls is a gap: nobody knows which part of it clients worked.
constexpr uint64_t kTickUsMax = 50'000;
constexpr double kGainAway = 1.05;
constexpr double kGainBack = 0.99;
constexpr double kLossAtOnce = 0.9;
constexpr uint64_t kPartsOfWindow = 4;   // in one of these a loss shows, and a rest settles things
constexpr uint64_t kWindowsOfBurst = 8;  // a burst of more than so many windows is not waited for
constexpr int kAlikeBursts = 8;          // so many in a row are a load of their own
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
  const uint64_t longest_us =
      std::clamp(burst_us_ + burst_us_ / 2, window_us_, kWindowsOfBurst * window_us_);
  if (busy_us_ >= longest_us || (burst_ended && busy_us_ >= window_us_))
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
  steady_ |= stretch_us_ > kWindowsOfBurst * window_us_;
}

void OnlineTuner::EndBurst() {
  const bool alike = burst_us_ >= window_us_ && stretch_us_ >= burst_us_ - burst_us_ / 3;
  alike_bursts_ = alike ? alike_bursts_ + 1 : 0;
  burst_us_ = std::exchange(stretch_us_, 0);
  if (alike_bursts_ >= kAlikeBursts && std::exchange(steady_, false)) BeginAnew();
}

/// Clients come in another way than before: what did not pay then may pay now.
void OnlineTuner::BeginAnew() {
  levels_ = {};
  knob_ = 0;
  direction_ = 1;
  rejected_in_a_row_ = windows_to_wait_ = 0;
  BeginWindow(Stage::kBefore);
  settles_ = true;
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
  return busy_us_ >= window_us_ / kPartsOfWindow &&
         static_cast<double>(bytes_) < kLossAtOnce * before_ * static_cast<double>(busy_us_);
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
  if (!trying() && IsOtherLoad(rate)) {
    levels_ = {};
    if (stage_ != Stage::kBefore) TurnToNextStep();  // from a step that is not judged any more
    rejected_in_a_row_ = windows_to_wait_ = 0;
    return BeginWindow(Stage::kBefore);
  }
  if (settles_) return BeginWindow(stage_);
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
  if (direction_ < 0) knob_ = (knob_ + 1) % kKnobs;
  direction_ = -direction_;
}

void OnlineTuner::BeginTrial() {
  for (uint64_t i = 0; i < kStepsOfRound && !StepIsAllowed(); ++i) TurnToNextStep();
  if (!StepIsAllowed()) return BeginWindow(Stage::kBefore);
  ++steps_tried_;
  lost_ = false;
  Turn(direction_, Stage::kTrial);
}

void OnlineTuner::Decide(double after) {
  const bool away = std::abs(levels_[knob_] + direction_) > std::abs(levels_[knob_]);
  const double best = std::max(before_, after);
  const double mean = (before_ + after) / 2;
  const bool gains = away ? trial_ > kGainAway * best : trial_ >= kGainBack * mean;
  before_ = after;
  if (gains && !lost_) return Turn(direction_, Stage::kConfirm);
  Reject();
  BeginWindow(Stage::kBefore);
}

void OnlineTuner::Confirm(double rate) {
  if (rate < kGainBack * before_) {
    Turn(-direction_, Stage::kBefore);
    return Reject();
  }
  ++steps_kept_;
  rejected_in_a_row_ = 0;
  before_ = rate;
  BeginTrial();  // the same way once more
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
