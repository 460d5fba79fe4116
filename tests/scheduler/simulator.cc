// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "tests/scheduler/simulator.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <memory>
#include <utility>

namespace lull::testing {
namespace {

constexpr uint64_t kStepUs = 10'000;
constexpr uint64_t kLongestSilenceUs = 1'000'000;  // the monitor looks up this often without a tick
constexpr double kDeepJobBytes = 32 << 20;
constexpr double kSliceSeconds = 1e-3;

class Simulation {
 public:
  explicit Simulation(const SimulatorOptions& options)
      : options_(options), policy_(MakePolicy(options.policy, options.limits)) {}

  SimulatorResult Run() {
    Ask(EventKind::kOpened);
    for (size_t phase = 0; now_us_ < options_.length_us; ++phase) {
      RunPhase(options_.rhythm[phase % options_.rhythm.size()]);
    }
    return result_;
  }

 private:
  void RunPhase(const ClientPhase& phase) {
    const uint64_t end_us = now_us_ + phase.length_us;
    while (now_us_ < end_us) {
      const bool still = phase.bytes_per_sec == 0 && !directive_.tick && Immutables() == 0 &&
                         !L0Due() && !DeepDue();
      if (still) {
        now_us_ = end_us;
        break;
      }
      now_us_ += kStepUs;
      const double seconds = kStepUs / 1e6;
      background_left_ = directive_.rate.bytes_per_sec > 0
                             ? static_cast<double>(directive_.rate.bytes_per_sec) * seconds
                             : std::numeric_limits<double>::infinity();
      read_bytes_ += static_cast<uint64_t>(static_cast<double>(phase.read_bytes_per_sec) * seconds);
      const EventKind sealed = Write(phase.bytes_per_sec, seconds);
      const EventKind flushed = Flush(seconds);
      const EventKind done = Compact(seconds, phase.bytes_per_sec > 0);
      if (now_us_ > options_.length_us / 2) NoteLate();
      const EventKind event = std::max({sealed, flushed, done});
      if (event != EventKind::kTick || directive_.tick ||
          now_us_ - asked_us_ >= kLongestSilenceUs) {
        Ask(event);
      }
    }
    if (phase.bytes_per_sec > 0) return;
    ++result_.quiet_phases;
    if (L0Due() || DeepDue() || Immutables() > 0) ++result_.quiet_phases_undrained;
  }

  void NoteLate() {
    result_.late_l0_tables_max = std::max(result_.late_l0_tables_max, static_cast<int>(l0_.size()));
    if (late_from_bytes_ == 0) late_from_bytes_ = client_bytes_;
    result_.late_bytes_written = client_bytes_ - late_from_bytes_;
  }

  int Immutables() const { return waiting_count_ + flushing_count_; }
  uint64_t SealedBytes() const { return waiting_bytes_ + flushing_bytes_; }
  uint64_t MemtableBytes() const {
    return directive_.memtable_bytes > 0 ? directive_.memtable_bytes
                                         : options_.limits.memtable_bytes;
  }
  bool L0Due() const { return static_cast<int>(l0_.size()) >= options_.limits.l0_trigger; }
  bool DeepDue() const { return deep_bytes_ > 0; }
  double DebtBytes() const { return deep_bytes_ + (L0Due() ? l0_bytes_ : 0); }

  bool HasRoom() const {
    if (Immutables() >= directive_.immutables_max) return false;
    if (static_cast<int>(l0_.size()) >= directive_.l0_stop) return false;
    return SealedBytes() == 0 || SealedBytes() + active_bytes_ <= options_.memory_budget_bytes;
  }

  /// How much the active memtable takes before it is sealed.
  uint64_t ActiveBytesMax() const {
    if (!directive_.absorb || Immutables() == 0) return MemtableBytes();
    return std::max(MemtableBytes(), options_.memory_budget_bytes -
                                         std::min(options_.memory_budget_bytes, SealedBytes()));
  }

  EventKind Write(uint64_t bytes_per_sec, double seconds) {
    EventKind event = EventKind::kTick;
    double wanted = static_cast<double>(bytes_per_sec) * seconds;
    if (wanted == 0) return event;
    result_.bytes_offered += static_cast<uint64_t>(wanted);
    double pace = static_cast<double>(directive_.write_bytes_per_sec_max);
    if (directive_.delay_us_per_write > 0) {
      pace = static_cast<double>(options_.write_bytes) * 1e6 /
             static_cast<double>(directive_.delay_us_per_write);
    }
    if (pace > 0 && pace * seconds < wanted) {
      wanted = pace * seconds;
      result_.paced_us += kStepUs;
    }
    uint64_t left = static_cast<uint64_t>(wanted);
    waiting_writer_ = false;
    while (left > 0 && !waiting_writer_) {
      const uint64_t room = ActiveBytesMax() - std::min(ActiveBytesMax(), active_bytes_);
      const uint64_t part = std::min(left, room);
      active_bytes_ += part;
      left -= part;
      client_bytes_ += part;
      if (part > 0) written_us_ = now_us_;
      if (active_bytes_ < ActiveBytesMax()) continue;
      waiting_writer_ = !HasRoom();
      if (waiting_writer_) continue;
      ++waiting_count_;
      waiting_bytes_ += std::exchange(active_bytes_, 0);
      event = EventKind::kSealed;
    }
    result_.bytes_written = client_bytes_;
    wait_us_ = waiting_writer_ ? wait_us_ + kStepUs : 0;
    if (waiting_writer_) result_.waited_us += kStepUs;
    result_.wait_us_max = std::max(result_.wait_us_max, wait_us_);
    return event;
  }

  EventKind Flush(double seconds) {
    result_.memory_bytes_max = std::max(result_.memory_bytes_max, SealedBytes());
    if (flushing_count_ == 0) {
      const uint64_t bytes = SealedBytes();
      if (bytes == 0) return EventKind::kTick;
      if (bytes < directive_.flush_bytes_min && !waiting_writer_ &&
          bytes < options_.memory_budget_bytes / 2) {
        return EventKind::kTick;
      }
      flushing_count_ = std::exchange(waiting_count_, 0);
      flushing_bytes_ = std::exchange(waiting_bytes_, 0);
      flush_left_ = static_cast<double>(bytes);
    }
    const double flushed =
        std::min(flush_left_, static_cast<double>(options_.flush_bytes_per_sec) * seconds);
    flush_left_ -= flushed;
    // A flush draws from the budget, and is not held up by it.
    TakeBudget(flushed);
    if (flush_left_ > 0) return EventKind::kTick;
    const double table = static_cast<double>(std::exchange(flushing_bytes_, 0));
    l0_.push_back(table);
    l0_bytes_ += table;
    flushing_count_ = 0;
    flushed_once_ = true;
    result_.l0_tables_max = std::max(result_.l0_tables_max, static_cast<int>(l0_.size()));
    return EventKind::kFlushed;
  }

  void TakeBudget(double bytes) {
    background_left_ = std::max(0.0, background_left_ - bytes);
    background_bytes_ += static_cast<uint64_t>(bytes);
  }

  /// Of the work that jobs could do, what the budget leaves them: half of it is writing.
  double Budgeted(double work_bytes, double bytes_min) {
    const double written = std::min(work_bytes / 2, std::max(background_left_, bytes_min));
    TakeBudget(written);
    return 2 * written;
  }

  /// What one worker gets done at that priority.
  double WorkBytes(const Grant& grant, double seconds, bool clients_write) const {
    const bool slow = grant.cpu == CpuPriority::kIdle && clients_write;
    return static_cast<double>(options_.compaction_bytes_per_sec) * seconds *
           (slow ? options_.idle_share : 1.0);
  }

  bool DeepHoldsL0() const { return options_.deep_jobs_hold_l0 && deep_job_left_ > 0; }

  double Slices(double work_bytes) const {
    return work_bytes / (static_cast<double>(options_.compaction_bytes_per_sec) * kSliceSeconds);
  }

  /// Of L0 one job runs at a time, and it takes the oldest tables that are there when it begins.
  void BeginL0Job() {
    double bytes_max = options_.l0_job_bytes_max > 0
                           ? static_cast<double>(options_.l0_job_bytes_max)
                           : std::numeric_limits<double>::infinity();
    if (options_.l0_job_matches_l1 && deep_bytes_ > bytes_max) bytes_max = deep_bytes_;
    double bytes = 0;
    for (const double table : l0_) {
      if (l0_job_tables_ > 0 && bytes + table > bytes_max) break;
      ++l0_job_tables_;
      bytes += table;
    }
    l0_job_left_ = bytes * options_.l0_cost;
  }

  EventKind Compact(double seconds, bool clients_write) {
    EventKind event = EventKind::kTick;
    int workers = std::min(directive_.compactions_max, options_.limits.compaction_threads);
    if (l0_job_tables_ == 0 && L0Due() && !DeepHoldsL0()) BeginL0Job();
    const bool held = DeepHoldsL0() && L0Due() && l0_job_tables_ == 0 && directive_.l0.jobs_max > 0;
    l0_held_us_ = held ? l0_held_us_ + kStepUs : 0;
    result_.l0_held_us_max = std::max(result_.l0_held_us_max, l0_held_us_);
    if (l0_job_tables_ > 0 && workers > 0 && directive_.l0.jobs_max > 0) {
      --workers;
      const double urgent_min =
          static_cast<double>(directive_.rate.urgent_bytes_per_sec_min) * seconds;
      const double work = Budgeted(WorkBytes(directive_.l0, seconds, clients_write), urgent_min);
      l0_slices_ += Slices(work);
      l0_job_left_ -= work;
      if (l0_job_left_ <= 0) {
        for (; l0_job_tables_ > 0; --l0_job_tables_) {
          deep_bytes_ += l0_.front();
          l0_bytes_ -= l0_.front();
          l0_.pop_front();
        }
        event = EventKind::kJobDone;
      }
    }
    const double before = deep_bytes_;
    // While L0 works, no deep job begins that would need the same tables.
    const bool kept_out = options_.deep_jobs_hold_l0 && l0_job_tables_ > 0 && deep_job_left_ == 0;
    deep_running_ = DeepDue() && !kept_out ? std::min(workers, directive_.deep.jobs_max) : 0;
    const double work =
        Budgeted(deep_running_ * WorkBytes(directive_.deep, seconds, clients_write), 0);
    deep_slices_ += Slices(work);
    deep_bytes_ = std::max(0.0, deep_bytes_ - work / options_.deep_cost);
    if (work > 0 && deep_job_left_ == 0) deep_job_left_ = std::min(before, kDeepJobBytes);
    deep_job_left_ = std::max(0.0, deep_job_left_ - (before - deep_bytes_));
    if (deep_bytes_ == 0) deep_job_left_ = 0;
    if (clients_write) {
      result_.compacted_while_written_bytes += static_cast<uint64_t>(before - deep_bytes_);
    }
    // Deep jobs report when another part of the debt is gone.
    if (static_cast<int64_t>(before / kDeepJobBytes) !=
            static_cast<int64_t>(deep_bytes_ / kDeepJobBytes) ||
        (before > 0 && deep_bytes_ == 0)) {
      event = EventKind::kJobDone;
    }
    result_.debt_bytes_max = std::max(result_.debt_bytes_max, static_cast<uint64_t>(DebtBytes()));
    return event;
  }

  void Ask(EventKind event) {
    Pressure pressure;
    pressure.memory_used_bytes = SealedBytes();
    pressure.memory_budget_bytes = options_.memory_budget_bytes;
    pressure.immutable_bytes = SealedBytes();
    pressure.immutables = Immutables();
    pressure.flush_bytes_per_sec = flushed_once_ ? options_.flush_bytes_per_sec : 0;
    pressure.l0_tables = static_cast<int>(l0_.size());
    pressure.debt_bytes = static_cast<uint64_t>(DebtBytes());
    pressure.l0_due = L0Due();
    pressure.deep_due = DeepDue();
    pressure.l0_running = l0_job_tables_ > 0 && directive_.l0.jobs_max > 0 ? 1 : 0;
    pressure.deep_running = deep_running_;
    pressure.deep_paused = deep_running_ == 0 && deep_job_left_ > 0 ? 1 : 0;
    pressure.background_bytes_total = background_bytes_;
    pressure.l0_slices_total = static_cast<uint64_t>(l0_slices_);
    pressure.deep_slices_total = static_cast<uint64_t>(deep_slices_);
    pressure.active_bytes = active_bytes_;
    pressure.memtable_bytes = options_.limits.memtable_bytes;
    pressure.client_bytes_total = client_bytes_;
    pressure.client_read_bytes_total = read_bytes_;
    pressure.idle_us = now_us_ - written_us_;
    directive_ = policy_->OnEvent(event, pressure, now_us_);
    asked_us_ = now_us_;
    ++result_.policy_calls;
    Note(directive_);
  }

  void Note(const Directive& directive) {
    for (const uint64_t part :
         {static_cast<uint64_t>(directive.l0.jobs_max), static_cast<uint64_t>(directive.l0.cpu),
          static_cast<uint64_t>(directive.deep.jobs_max), static_cast<uint64_t>(directive.deep.cpu),
          directive.flush_bytes_min, directive.delay_us_per_write,
          directive.write_bytes_per_sec_max, static_cast<uint64_t>(directive.tick),
          directive.rate.bytes_per_sec, directive.memtable_bytes}) {
      result_.fingerprint = (result_.fingerprint ^ part) * 0x9e3779b97f4a7c15u;
    }
  }

  const SimulatorOptions& options_;
  const std::unique_ptr<Policy> policy_;
  SimulatorResult result_;
  Directive directive_;
  uint64_t now_us_ = 0;
  uint64_t asked_us_ = 0;

  uint64_t client_bytes_ = 0;
  uint64_t read_bytes_ = 0;
  uint64_t background_bytes_ = 0;
  double background_left_ = 0;  // of the directive's rate, in this step
  uint64_t written_us_ = 0;
  bool waiting_writer_ = false;
  uint64_t wait_us_ = 0;

  uint64_t active_bytes_ = 0;
  int waiting_count_ = 0;  // sealed memtables: to be flushed, being flushed
  uint64_t waiting_bytes_ = 0;
  int flushing_count_ = 0;
  uint64_t flushing_bytes_ = 0;
  double flush_left_ = 0;
  bool flushed_once_ = false;

  std::deque<double> l0_;  // bytes of each table, oldest first
  double l0_bytes_ = 0;
  size_t l0_job_tables_ = 0;
  double l0_job_left_ = 0;
  double deep_bytes_ = 0;
  int deep_running_ = 0;
  double deep_job_left_ = 0;  // of the one that began last; 0: none is under way
  uint64_t l0_held_us_ = 0;
  uint64_t late_from_bytes_ = 0;
  double l0_slices_ = 0;
  double deep_slices_ = 0;
};

}  // namespace

SimulatorResult Simulate(const SimulatorOptions& options) { return Simulation(options).Run(); }

}  // namespace lull::testing
