// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Turns knobs of a running store, one small step at a time, and keeps a step if clients got more
// done with it, or no less where it takes nothing. A knob has levels; level 0 is what the user
// configured.
//
// What is compared are bytes that clients wrote and read for each second in which they did so, in
// windows of busy time: before a step, with it, and without it again, so that a load that grows or
// fades is not taken for an effect. Between two of them the new setting settles, for a quarter of a
// window, or while clients rest. Where clients come in bursts, windows are of whole ones, since a
// burst begins fast and is slowed later; else they are long enough for the swings that compactions
// make. What takes memory must gain a twentieth over the better of its two neighbours, and a step
// back from it must only lose nothing. Tables are the other way round, since larger ones take
// nothing. What was accepted must prove itself once more. A step that
// loses much is taken back before its window ends, and when clients get a quarter less done than
// they used to, for another reason, all knobs go back to the configuration: what served one load
// may harm the next. When clients stop coming in bursts that were alike, or begin to, what takes
// memory is given up; and since what did not pay then may pay now, the steps begin anew.
//
// How many compactions run is no knob: what fewer of them put off comes due later than any window
// ends, so no window could tell what they cost.
//
// Clients that ask for less than the store could give get the same with every setting: then
// nothing is accepted, and the steps become rare.
//
// Pure: no clock, thread or lock; belongs to one policy.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace lull {

class OnlineTuner {
 public:
  /// In the order in which they are tried: what takes memory comes last.
  enum Knob : size_t { kTable, kMemtable, kKnobs };
  struct Range {
    int min = 0, max = 0;
  };
  using Ranges = std::array<Range, kKnobs>;

  /// Each range contains 0. `window_us` of busy time, or more, are measured at a time.
  OnlineTuner(uint64_t window_us, const Ranges& ranges);

  /// `busy`: whether clients were at work since the last call. The total never decreases.
  void Observe(uint64_t client_bytes_total, bool busy, uint64_t now_us);

  int level(Knob knob) const { return levels_[knob]; }
  bool trying() const { return stage_ == Stage::kTrial; }
  uint64_t steps_tried() const { return steps_tried_; }
  uint64_t steps_kept() const { return steps_kept_; }

 private:
  enum class Stage { kBefore, kTrial, kAfter, kConfirm };

  void Count(uint64_t client_bytes, uint64_t elapsed_us);
  void EndBurst();
  void BeginAnew();
  uint64_t LongestUs() const;
  void BeginWindow(Stage stage);
  void Turn(int direction, Stage stage);
  void EndWindow(double rate);
  bool IsOtherLoad(double rate);
  bool Loses() const;
  void BeginTrial();
  void Decide(double after);
  void Confirm(double rate);
  void Reject();
  bool MustGain() const;
  bool StepIsAllowed() const;
  void TurnToNextStep();
  void TurnToNextKnob();

  const uint64_t window_us_;
  const Ranges ranges_;
  std::array<int, kKnobs> levels_{};

  // The window that is measured.
  Stage stage_ = Stage::kBefore;
  bool settles_ = false;  // what a level was set to; this window does not count
  bool begun_ = false;
  uint64_t seen_us_ = 0;
  uint64_t seen_bytes_ = 0;
  uint64_t busy_us_ = 0;
  uint64_t bytes_ = 0;
  uint64_t last_busy_us_ = 0;
  uint64_t stretch_us_ = 0;  // busy time since clients last rested
  uint64_t burst_us_ = 0;    // of the burst before; 0: they do not come in such bursts
  int alike_bursts_ = 0;     // in a row
  bool steady_ = false;      // clients worked for long, and not in alike bursts since

  // The step that is tried, or is next.
  size_t knob_ = 0;
  int direction_ = 1;
  double before_ = 0;
  double trial_ = 0;
  bool lost_ = false;

  // With what was kept so far, and nothing tried: the usual rate, and windows in a row below it.
  double usual_ = 0;
  int slow_windows_ = 0;

  // How often steps are tried: in a round that kept none, the next ones wait longer.
  uint64_t rejected_in_a_row_ = 0;
  uint64_t windows_to_wait_ = 0;
  uint64_t steps_tried_ = 0;
  uint64_t steps_kept_ = 0;
};

}  // namespace lull
