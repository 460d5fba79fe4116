// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "scheduler/policies/lull_policy.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lull {
namespace {

constexpr uint64_t kMeasureUsMin = 2'000;  // shorter spans give no usable rate
constexpr double kStillHard = 0.6;  // share of the hard rate at which writing stops being hard
// Levels from which compactions run even while clients write hard, and from which they have no
// limit.
constexpr double kPressing = 0.5;
constexpr double kUrgent = 0.75;
constexpr uint64_t kBandwidthSpanUs = 1'000'000;
// What deletions hide can take as much space as the live entries, and so many bytes more.
// Share of the bound on disk space from which writes are paced.
constexpr double kFilesPaced = 0.75;
// Shares of the device bandwidth: reserve for changes of the client load, minimum change of the
// limit, and the share that compactions always get.
constexpr double kReserve = 0.2;
constexpr double kChange = 0.05;
constexpr double kUrgentShare = 0.25;
// What a limited flush can write, as shares of what clients write and of their fastest rate.
constexpr double kFlushShareMin = 1.25;
constexpr double kFlushShareOfMax = 0.25;
constexpr double kNoLimit = std::numeric_limits<double>::infinity();

const char* PhaseName(Rhythm::Phase phase) {
  switch (phase) {
    case Rhythm::Phase::kHard:
      return "hard";
    case Rhythm::Phase::kLight:
      return "light";
    case Rhythm::Phase::kLull:
      return "lull";
  }
  return "unknown";
}

}  // namespace

LullPolicy::LullPolicy(const PolicyOptions& options)
    : options_(options),
      meter_(kMeasureUsMin),
      client_bytes_per_sec_(options.lull.smoothing_us),
      client_bytes_per_sec_max_(options.lull.half_life_us),
      read_meter_(kMeasureUsMin),
      client_read_bytes_per_sec_(options.lull.smoothing_us),
      bandwidth_(options.lull.bandwidth_bytes_per_sec, kBandwidthSpanUs, options.lull.half_life_us),
      read_loss_(options.lull.l0_miss_bytes),
      pauses_(options) {}

Directive LullPolicy::OnEvent(EventKind, const Pressure& pressure, uint64_t now_us) {
  MeasureClients(pressure, now_us);
  device_.Observe(pressure, slows_writes_, now_us);
  bandwidth_.Observe(pressure, now_us, device_.IsBusy());
  read_loss_.Observe(pressure);
  writes_are_hard_ = ClientsWriteHard(pressure);
  LearnRhythm(pressure, now_us);
  const bool lull = clients_do_ == Rhythm::Phase::kLull || pressure.GoesFirst();
  phase_ = lull ? Rhythm::Phase::kLull : clients_do_;

  Directive wanted;
  wanted.compactions_max = options_.compaction_threads;
  wanted.l0_stop = options_.l0_stop;
  wanted.offers_core = !pressure.GoesFirst();
  // Fewer and larger tables cost fewer syncs and less merging.
  if (!lull) {
    wanted.flush_bytes_min =
        std::min(options_.lull.flush_bytes_min, pressure.memory_budget_bytes / 4);
  }
  GrantCompactions(pressure, &wanted);
  const PauseLimit::Deep deep = pauses_.Apply(pressure, now_us, CpuPriority::kIdle, &wanted);
  LeaveCores(pressure, &wanted);
  const bool granted = wanted.l0.jobs_max + wanted.deep.jobs_max > 0;
  if (granted) {
    wanted.rate = LimitCompactions(pressure, deep == PauseLimit::Deep::kMustRunFaster);
    // L0 can take all of the limit. A higher one for both would take the clients' share.
    const bool limited = wanted.rate.bytes_per_sec > 0;
    if (limited && deep == PauseLimit::Deep::kMustRunInsteadOfL0) wanted.l0.jobs_max = 0;
  }
  is_limited_ = wanted.rate.bytes_per_sec > 0;
  if (is_limited_) bandwidth_.NoteLimit(limit_bytes_per_sec_);
  flush_limit_bytes_per_sec_ = wanted.flush_bytes_per_sec_max = LimitFlush(pressure);
  PaceWrites(pressure, &wanted);
  slows_writes_ = wanted.write_bytes_per_sec_max > 0;
  wanted.tick = !lull || pressure.l0_due || pressure.deep_due || pressure.immutables > 0;
  return wanted;
}

void LullPolicy::MeasureClients(const Pressure& pressure, uint64_t now_us) {
  if (read_meter_.Sample(pressure.client_read_bytes_total, now_us)) {
    client_read_bytes_per_sec_.Follow(read_meter_.bytes_per_sec(), read_meter_.span_us());
  }
  if (!meter_.Sample(pressure.client_bytes_total, now_us)) return;
  client_bytes_per_sec_.Follow(meter_.bytes_per_sec(), meter_.span_us());
  client_bytes_per_sec_max_.Fade(meter_.span_us());
  client_bytes_per_sec_max_.Raise(client_bytes_per_sec_.value());
}

bool LullPolicy::ClientsWriteHard(const Pressure& pressure) const {
  // The second rate keeps a steady trickle, which is its own maximum, from counting as hard.
  const double of_fastest = options_.lull.hard_percent * client_bytes_per_sec_max_.value();
  const double of_flush =
      options_.lull.hard_flush_percent * static_cast<double>(pressure.flush_bytes_per_sec);
  const double threshold = std::max(of_fastest, of_flush) / 100;
  return client_bytes_per_sec_.value() > (writes_are_hard_ ? kStillHard : 1.0) * threshold;
}

/// Clients that do not write while one of them waits do not rest: they write on after it.
void LullPolicy::LearnRhythm(const Pressure& pressure, uint64_t now_us) {
  const bool idle = pressure.idle_us >= options_.lull.after_us;
  clients_do_ = idle               ? Rhythm::Phase::kLull
                : writes_are_hard_ ? Rhythm::Phase::kHard
                                   : Rhythm::Phase::kLight;
  if (idle && (pressure.drain_requested || pressure.write_waits)) {
    rhythm_.Skip(pressure.debt_bytes, now_us);
  } else {
    rhythm_.Observe(clients_do_, pressure.debt_bytes, now_us);
  }
}

/// True if it is worth waiting for the end of this burst: it is not much longer than earlier ones.
bool LullPolicy::BurstWillEnd() const {
  return rhythm_.burst_us() <= std::max(options_.lull.burst_us_max, 2 * rhythm_.LongestBurstUs());
}

/// True if, after lulls like the recent ones, the next burst would start with so much debt that
/// compactions would have to run during it.
bool LullPolicy::NextBurstNeedsMemory(const Pressure& pressure) const {
  const uint64_t paid = std::min(pressure.debt_bytes, rhythm_.NextLullsPayBytes());
  return pressure.debt_bytes - paid + rhythm_.NextBurstDebtBytes() >= options_.debt_bytes_max / 2;
}

/// Closeness to the limits: 1 at the first of them.
double LullPolicy::Level(const Pressure& pressure) const {
  return std::max({Ratio(pressure.l0_tables, options_.l0_stop),
                   Ratio(static_cast<double>(pressure.debt_bytes),
                         static_cast<double>(options_.debt_bytes_max)),
                   Ratio(static_cast<double>(pressure.hidden_bytes),
                         static_cast<double>(pressure.HiddenBytesMax()))});
}

void LullPolicy::GrantCompactions(const Pressure& pressure, Directive* wanted) const {
  const Grant normal{options_.compaction_threads, CpuPriority::kNormal};
  const Grant idle{options_.compaction_threads, CpuPriority::kIdle};
  const double level = Level(pressure);
  if (phase_ == Rhythm::Phase::kLull) {
    wanted->l0 = wanted->deep = normal;
  } else if (level >= kUrgent) {
    wanted->l0 = normal;
    wanted->offers_core = false;
    const bool is_deep_urgent = pressure.debt_bytes >= options_.debt_bytes_max ||
                                pressure.hidden_bytes >= pressure.HiddenBytesMax();
    wanted->deep = is_deep_urgent ? normal : idle;
  } else if (level >= kPressing) {
    wanted->l0 = wanted->deep = idle;
  } else if (phase_ == Rhythm::Phase::kLight) {
    // A smaller L0 would rewrite a larger L1. Reads that search it pay for its compaction: below.
    if (pressure.l0_bytes >= pressure.l1_bytes) wanted->l0 = idle;
    if (NextBurstNeedsMemory(pressure)) wanted->deep = idle;
  } else if (!BurstWillEnd()) {
    wanted->l0 = wanted->deep = idle;
  }
  if (phase_ == Rhythm::Phase::kLull || !read_loss_.PaysForL0()) return;
  // If L1 is larger than L0, each L0 job costs more than the one before, so deep compactions help.
  wanted->l0 = normal;
  wanted->offers_core = false;
  wanted->deep = pressure.l1_bytes > pressure.l0_bytes ? normal : idle;
}

/// Limits L0 to half of the workers while clients write hard: more would take the clients' cores.
void LullPolicy::LeaveCores(const Pressure& pressure, Directive* wanted) const {
  if (phase_ != Rhythm::Phase::kHard || Level(pressure) >= 1 || read_loss_.PaysForL0()) return;
  const int half = std::max(options_.compaction_threads / 2, 1);
  wanted->l0.jobs_max = std::min(wanted->l0.jobs_max, half);
}

/// T, or 0 if it cannot be used. If compactions were slow while T was measured, for example because
/// other programs used the CPU, a limit from T would keep them slow. The speed of flushes can be
/// that of a cache, but the device manages at least half of it. On a busy device only what
/// compactions reached counts.
double LullPolicy::UsableBandwidth(const Pressure& pressure) const {
  if (bandwidth_.is_given()) return bandwidth_.bytes_per_sec();
  if (bandwidth_.was_tried() && device_.IsBusy()) return bandwidth_.bytes_per_sec();
  if (!bandwidth_.was_tried() && !device_.IsBusy()) return 0;
  return std::max(bandwidth_.bytes_per_sec(),
                  static_cast<double>(pressure.flush_bytes_per_sec) / 2);
}

/// The bandwidth that clients leave; at higher levels, more of the rest. No limit during a lull,
/// nor while the bandwidth is unknown.
RateBudget LullPolicy::LimitCompactions(const Pressure& pressure, bool must_run) {
  const double level = Level(pressure);
  const double bandwidth = UsableBandwidth(pressure);
  const bool free = phase_ == Rhythm::Phase::kLull || level >= kUrgent || read_loss_.PaysForL0();
  if (free || bandwidth == 0) return {};
  // A device reads and writes at once, so the direction that clients use more counts, not the sum.
  const double clients =
      std::max(client_bytes_per_sec_.value(), client_read_bytes_per_sec_.value());
  const double urgent = kUrgentShare * bandwidth;
  const double left = std::max(bandwidth - clients - kReserve * bandwidth, urgent);
  const double share = must_run ? 1 : Progress(level, kPressing, kUrgent);
  const double limit = left + share * (bandwidth - left);
  const bool moved = std::abs(limit - limit_bytes_per_sec_) >= kChange * bandwidth;
  if (limit_bytes_per_sec_ < urgent || moved) limit_bytes_per_sec_ = limit;
  return {Whole(limit_bytes_per_sec_), Whole(urgent)};
}

/// The write rate that the memory budget allows. The running flush can hold a third until its table
/// is installed, and a memtable about to be sealed must fit. The rest is available; pacing begins
/// when half of it is used. One large memtable can fill most of it.
///
/// Flushes free memory at the flush rate. Pacing begins at twice that rate and ends at 0 at the
/// limit, so it meets the flush rate halfway.
double LullPolicy::MemoryRate(const Pressure& pressure) {
  const double budget = static_cast<double>(pressure.memory_budget_bytes);
  const double memtable = static_cast<double>(pressure.memtable_bytes);
  const double memory_max =
      std::max(budget * 2 / 3 - memtable, std::min(budget * 2 / 3, 1.5 * memtable));
  // A store without sealed memtables is not paced for memory that other stores use: its own flush
  // cannot free that. Only the hard limit applies.
  const double used =
      pressure.immutables > 0 ? static_cast<double>(pressure.memory_used_bytes) : 0.0;
  const double memory = Progress(used, 0.5 * memory_max, memory_max);
  if (memory == 0 || pressure.flush_bytes_per_sec == 0) return kNoLimit;  // or no scale yet
  return 2.0 * static_cast<double>(pressure.flush_bytes_per_sec) * (1.0 - memory);
}

/// What keeps up with clients: more would only take the device from their log. After a burst, what
/// frees its memory soon. No limit if clients could soon be paced for memory, nor at a level from
/// which compactions have none: they would learn of debt too late.
uint64_t LullPolicy::LimitFlush(const Pressure& pressure) const {
  const double clients = client_bytes_per_sec_.value();
  if (phase_ == Rhythm::Phase::kLull || pressure.immutables == 0 || Level(pressure) >= kUrgent ||
      clients > MemoryRate(pressure) / 2) {
    return 0;
  }
  const double wanted =
      std::max({kFlushShareMin * clients, kFlushShareOfMax * client_bytes_per_sec_max_.value(),
                static_cast<double>(options_.lull.write_bytes_per_sec_min)});
  const double limit = static_cast<double>(flush_limit_bytes_per_sec_);
  return wanted > limit || wanted < limit / 2 ? Whole(wanted) : flush_limit_bytes_per_sec_;
}

void LullPolicy::PaceWrites(const Pressure& pressure, Directive* wanted) const {
  if (pressure.flush_bytes_per_sec == 0) return;  // no scale yet
  const double l0 = Progress(pressure.l0_tables, options_.l0_slowdown, options_.l0_stop);
  const double debt_max = static_cast<double>(options_.debt_bytes_max);
  const double hidden_max = static_cast<double>(pressure.HiddenBytesMax());
  const double files_max = static_cast<double>(pressure.file_bytes_max);
  const double debt =
      std::max({Progress(static_cast<double>(pressure.debt_bytes), debt_max, 2 * debt_max),
                Progress(static_cast<double>(pressure.hidden_bytes), hidden_max, 2 * hidden_max),
                files_max == 0 ? 0.0
                               : Progress(static_cast<double>(pressure.file_bytes),
                                          kFilesPaced * files_max, files_max)});

  // Compactions free L0 and debt at an unknown rate, possibly a hundredth of the flush rate. There
  // the allowed rate falls geometrically, so that it meets any compaction rate before the limit.
  const double flush_twice = 2.0 * static_cast<double>(pressure.flush_bytes_per_sec);
  const double rate_min =
      std::min(static_cast<double>(options_.lull.write_bytes_per_sec_min), flush_twice);
  const auto falling = [&](double x) {
    return flush_twice * (1.0 - x) * std::pow(rate_min / flush_twice, x * x * x * x);
  };
  double rate = MemoryRate(pressure);
  StallCause cause = rate < kNoLimit ? StallCause::kMemory : StallCause::kNone;
  if (l0 > 0 && falling(l0) < rate) {
    rate = falling(l0);
    cause = StallCause::kL0;
  }
  if (debt > 0 && falling(debt) < rate) {
    rate = falling(debt);
    cause = StallCause::kDebt;
  }
  if (cause == StallCause::kNone) return;
  wanted->cause = cause;
  wanted->write_bytes_per_sec_max = static_cast<uint64_t>(
      std::max(rate, static_cast<double>(options_.lull.write_bytes_per_sec_min)));
}

PolicyState LullPolicy::State() const {
  PolicyState state = {
      {"phase", PhaseName(phase_)},
      {"clients_bytes_per_sec", Whole(client_bytes_per_sec_.value())},
      {"clients_bytes_per_sec_max", Whole(client_bytes_per_sec_max_.value())},
      {"burst_us", rhythm_.burst_us()},
      {"longest_burst_us", rhythm_.LongestBurstUs()},
      {"next_burst_debt_bytes", rhythm_.NextBurstDebtBytes()},
      {"next_lulls_pay_bytes", rhythm_.NextLullsPayBytes()},
      {"bandwidth_bytes_per_sec", Whole(bandwidth_.bytes_per_sec())},
      {"limited", is_limited_},
      {"limit_bytes_per_sec", Whole(limit_bytes_per_sec_)},
      {"flush_limit_bytes_per_sec", flush_limit_bytes_per_sec_},
      {"reads_pay_for_l0", read_loss_.PaysForL0()},
  };
  pauses_.AddTo(&state);
  return state;
}

}  // namespace lull
