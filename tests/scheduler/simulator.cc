// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "tests/scheduler/simulator.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "tests/scheduler/toy_compactions.h"

namespace lull::testing {
namespace {

constexpr uint64_t kStepUs = 10'000;
constexpr uint64_t kStepNanos = kStepUs * 1000;
constexpr double kStepSeconds = kStepUs / 1e6;

/// Reports the policy's directives to the simulation, which itself applies the parts about clients
/// and flushes.
class NotedPolicy final : public Policy {
 public:
  using Note = std::function<void(const Directive&)>;
  NotedPolicy(std::unique_ptr<Policy> policy, Note note)
      : policy_(std::move(policy)), note_(std::move(note)) {}

  Directive OnEvent(EventKind event, const Pressure& pressure, uint64_t now_us) override {
    Directive wanted = policy_->OnEvent(event, pressure, now_us);
    note_(wanted);
    return wanted;
  }

 private:
  const std::unique_ptr<Policy> policy_;
  const Note note_;
};

class Simulation {
 public:
  explicit Simulation(const SimulatorOptions& options)
      : options_(options),
        compactions_(options),
        dispatcher_(options.limits.compaction_threads, &compactions_),
        store_(dispatcher_.Open(
            std::make_unique<NotedPolicy>(MakePolicy(options.policy, options.limits),
                                          [this](const Directive& wanted) { Note(wanted); }),
            0)) {}

  SimulatorResult Run() {
    RunRound();
    const uint64_t length_nanos = options_.length_us * 1000;
    for (size_t phase = 0; now_nanos_ < length_nanos; ++phase) {
      RunPhase(options_.rhythm[phase % options_.rhythm.size()]);
    }
    result_.compacted_while_written_bytes =
        static_cast<uint64_t>(compactions_.deep_bytes_while_written());
    return result_;
  }

 private:
  struct Memtables {
    int count() const { return waiting_count + flushing_count; }
    uint64_t bytes() const { return waiting_bytes + flushing_bytes; }

    uint64_t active_bytes = 0;
    int waiting_count = 0;  // sealed, flush not begun
    uint64_t waiting_bytes = 0;
    int flushing_count = 0;
    uint64_t flushing_bytes = 0;
    double flush_left_bytes = 0;
    double flushed_bytes = 0;
    bool flushed_once = false;
  };

  void RunPhase(const ClientPhase& phase) {
    const uint64_t end_nanos = now_nanos_ + phase.length_us * 1000;
    compactions_.SetClientsWrite(phase.bytes_per_sec > 0);
    if (phase.bytes_per_sec == 0) wrote_ = false;
    while (now_nanos_ < end_nanos) {
      // Without clients and flushes, time advances from one round to the next.
      const bool still = phase.bytes_per_sec == 0 && memtables_.count() == 0;
      PassTime(still ? end_nanos : std::min(end_nanos, now_nanos_ + kStepNanos), phase);
      const bool changed = !still && Step(phase);
      changed ? RunRound() : RunRoundIfDue();
    }
    if (phase.bytes_per_sec > 0) return;
    ++result_.quiet_phases;
    if (compactions_.L0Due() || compactions_.DeepDue() || memtables_.count() > 0) {
      ++result_.quiet_phases_undrained;
    }
  }

  /// Advances the compactions. Runs a round whenever a job comes back or the dispatcher asked for
  /// one, except at `end_nanos`: the caller may have more to report for that round.
  void PassTime(uint64_t end_nanos, const ClientPhase& phase) {
    while (now_nanos_ < end_nanos) {
      const uint64_t next_nanos =
          std::min({end_nanos, wake_at_nanos_, compactions_.NextReturnNanos()});
      const uint64_t nanos = next_nanos - now_nanos_;
      const bool held = compactions_.DeepHoldsL0() && directive_.l0.jobs_max > 0;
      l0_held_nanos_ = held ? l0_held_nanos_ + nanos : 0;
      result_.l0_held_us_max = std::max(result_.l0_held_us_max, l0_held_nanos_ / 1000);
      read_bytes_ +=
          static_cast<double>(phase.read_bytes_per_sec) * static_cast<double>(nanos) * 1e-9;
      now_nanos_ = next_nanos;
      compactions_.Advance(now_nanos_);
      if (now_nanos_ < end_nanos) RunRoundIfDue();
    }
  }

  void RunRoundIfDue() {
    if (compactions_.HasReports() || now_nanos_ >= wake_at_nanos_) RunRound();
  }

  /// The clients' and the flush thread's work in the step that ends. True if the dispatcher must
  /// know at once.
  bool Step(const ClientPhase& phase) {
    const uint64_t written_before = result_.bytes_written;
    const bool sealed = Write(phase.bytes_per_sec);
    const bool flushed = Flush();
    const bool writes = result_.bytes_written > written_before;
    const bool wrote_before = std::exchange(wrote_, writes);
    if (now_nanos_ > options_.length_us * 1000 / 2) NoteLate();
    return sealed || flushed || (writes && !wrote_before);
  }

  void NoteLate() {
    result_.late_l0_tables_max = std::max(result_.late_l0_tables_max, compactions_.L0Tables());
    if (late_from_bytes_ == 0) late_from_bytes_ = result_.bytes_written;
    result_.late_bytes_written = result_.bytes_written - late_from_bytes_;
  }

  uint64_t MemtableBytes() const {
    return directive_.memtable_bytes > 0 ? directive_.memtable_bytes
                                         : options_.limits.memtable_bytes;
  }

  bool HasRoom() const {
    if (memtables_.count() >= directive_.immutables_max) return false;
    if (compactions_.L0Tables() >= directive_.l0_stop) return false;
    return memtables_.bytes() == 0 ||
           memtables_.bytes() + memtables_.active_bytes <= options_.memory_budget_bytes;
  }

  /// The size at which the active memtable is sealed.
  uint64_t ActiveBytesMax() const {
    if (!directive_.absorb || memtables_.count() == 0) return MemtableBytes();
    return std::max(
        MemtableBytes(),
        options_.memory_budget_bytes - std::min(options_.memory_budget_bytes, memtables_.bytes()));
  }

  /// Clients write for a step. True if a memtable was sealed.
  bool Write(uint64_t bytes_per_sec) {
    double wanted = static_cast<double>(bytes_per_sec) * kStepSeconds;
    if (wanted == 0) return false;
    result_.bytes_offered += static_cast<uint64_t>(wanted);
    double pace = static_cast<double>(directive_.write_bytes_per_sec_max);
    if (directive_.delay_us_per_write > 0) {
      pace = static_cast<double>(options_.write_bytes) * 1e6 /
             static_cast<double>(directive_.delay_us_per_write);
    }
    if (pace > 0 && pace * kStepSeconds < wanted) {
      wanted = pace * kStepSeconds;
      result_.paced_us += kStepUs;
    }
    const bool sealed = Fill(static_cast<uint64_t>(wanted));
    wait_us_ = waiting_writer_ ? wait_us_ + kStepUs : 0;
    if (waiting_writer_) result_.waited_us += kStepUs;
    result_.wait_us_max = std::max(result_.wait_us_max, wait_us_);
    return sealed;
  }

  bool Fill(uint64_t left_bytes) {
    bool sealed = false;
    waiting_writer_ = false;
    while (left_bytes > 0 && !waiting_writer_) {
      const uint64_t room = ActiveBytesMax() - std::min(ActiveBytesMax(), memtables_.active_bytes);
      const uint64_t part = std::min(left_bytes, room);
      memtables_.active_bytes += part;
      left_bytes -= part;
      result_.bytes_written += part;
      if (memtables_.active_bytes < ActiveBytesMax()) continue;
      waiting_writer_ = !HasRoom();
      if (waiting_writer_) continue;
      ++memtables_.waiting_count;
      memtables_.waiting_bytes += std::exchange(memtables_.active_bytes, 0);
      sealed = true;
    }
    return sealed;
  }

  /// The flush thread works for a step. True if a flush ended.
  bool Flush() {
    Memtables& tables = memtables_;
    result_.memory_bytes_max = std::max(result_.memory_bytes_max, tables.bytes());
    if (tables.flushing_count == 0) {
      const uint64_t bytes = tables.bytes();
      if (bytes == 0) return false;
      if (bytes < directive_.flush_bytes_min && !waiting_writer_ &&
          bytes < options_.memory_budget_bytes / 2) {
        return false;
      }
      tables.flushing_count = std::exchange(tables.waiting_count, 0);
      tables.flushing_bytes = std::exchange(tables.waiting_bytes, 0);
      tables.flush_left_bytes = static_cast<double>(bytes);
    }
    const bool awaited = waiting_writer_ || tables.bytes() >= options_.memory_budget_bytes / 2;
    const uint64_t limit = awaited || directive_.flush_bytes_per_sec_max == 0
                               ? UINT64_MAX
                               : directive_.flush_bytes_per_sec_max;
    const uint64_t rate = std::min(options_.flush_bytes_per_sec, limit);
    const double flushed =
        std::min(tables.flush_left_bytes, static_cast<double>(rate) * kStepSeconds);
    tables.flush_left_bytes -= flushed;
    tables.flushed_bytes += flushed;
    if (tables.flush_left_bytes > 0) return false;
    compactions_.AddL0Table(static_cast<double>(std::exchange(tables.flushing_bytes, 0)));
    tables.flushing_count = 0;
    tables.flushed_once = true;
    result_.l0_tables_max = std::max(result_.l0_tables_max, compactions_.L0Tables());
    return true;
  }

  Measured Measure() const {
    Measured measured;
    Pressure& pressure = measured.pressure;
    pressure.memory_used_bytes = memtables_.bytes();
    pressure.memory_budget_bytes = options_.memory_budget_bytes;
    pressure.immutable_bytes = memtables_.bytes();
    pressure.immutables = memtables_.count();
    pressure.flush_bytes_per_sec = memtables_.flushed_once ? options_.flush_bytes_per_sec : 0;
    pressure.background_bytes_total = static_cast<uint64_t>(memtables_.flushed_bytes);
    pressure.active_bytes = memtables_.active_bytes;
    pressure.memtable_bytes = options_.limits.memtable_bytes;
    pressure.client_bytes_total = result_.bytes_written;
    pressure.client_read_bytes_total = static_cast<uint64_t>(read_bytes_);
    compactions_.Measure(&measured);
    return measured;
  }

  void RunRound() {
    dispatcher_.BeginRound(now_nanos_, compactions_.TakeReports());
    const Measured measured = Measure();
    result_.debt_bytes_max = std::max(result_.debt_bytes_max, measured.pressure.debt_bytes);
    dispatcher_.Measure(store_, measured);
    wake_at_nanos_ = dispatcher_.Dispatch();
  }

  void Note(const Directive& directive) {
    directive_ = directive;
    ++result_.policy_calls;
    for (const uint64_t part :
         {static_cast<uint64_t>(directive.l0.jobs_max), static_cast<uint64_t>(directive.l0.cpu),
          static_cast<uint64_t>(directive.deep.jobs_max), static_cast<uint64_t>(directive.deep.cpu),
          directive.flush_bytes_min, directive.delay_us_per_write,
          directive.write_bytes_per_sec_max, static_cast<uint64_t>(directive.tick),
          directive.rate.bytes_per_sec, directive.memtable_bytes}) {
      result_.fingerprint = (result_.fingerprint ^ part) * 0x9e3779b97f4a7c15u;
    }
  }

  const SimulatorOptions options_;
  SimulatorResult result_;
  ToyCompactions compactions_;
  Dispatcher dispatcher_;
  const StoreId store_;
  Directive directive_;
  uint64_t now_nanos_ = 0;
  uint64_t wake_at_nanos_ = 0;  // the latest time of the next round

  Memtables memtables_;
  double read_bytes_ = 0;
  bool wrote_ = false;           // clients wrote in the previous step
  bool waiting_writer_ = false;  // for room
  uint64_t wait_us_ = 0;
  uint64_t l0_held_nanos_ = 0;
  uint64_t late_from_bytes_ = 0;
};

}  // namespace

SimulatorResult Simulate(const SimulatorOptions& options) { return Simulation(options).Run(); }

}  // namespace lull::testing
