// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "benchmarks/simulation/clients.h"

#include <algorithm>
#include <cmath>

namespace lull::sim {
namespace {

constexpr size_t kPut = 0;  // indexes into services_
constexpr size_t kGetMiss = 2;
constexpr double kReferenceMemtableBytes = 4 << 20;
constexpr double kSteadyUtilisationMax = 0.98;
constexpr double kPacedWaitSecondsMax = 20e-3;  // the store's longest wait of a paced write
constexpr double kReadBytes = 4096;
constexpr int kSamplesMax = 160;
constexpr double kGolden = 0.6180339887498949;

double ExponentialQuantile(double mean, double share) { return -mean * std::log1p(-share); }

}  // namespace

Clients::Clients(const Load& load, const ClientMachine& machine, uint64_t seed)
    : load_(load),
      machine_(machine),
      entry_bytes_(load.key_bytes + load.value_bytes),
      rng_(seed),
      services_(4),
      tail_(0, services_, 1) {}

double Clients::memtable_bytes_per_write() const {
  return (entry_bytes_ + machine_.costs.memtable_entry_bytes) * load_.batch_entries;
}

double Clients::requests_per_sec_wanted() const {
  if (conditions_.requests_per_sec <= 0 && backlog_.empty()) return 0;
  if (load_.closed_loop || !backlog_.empty()) return capacity_;
  return std::min(conditions_.requests_per_sec, capacity_);
}

/// CPU time of a write call. An entry costs more in a memtable that does not fit the CPU caches.
double Clients::PutSeconds() const {
  const Costs& costs = machine_.costs;
  const double steps =
      std::log2(std::max(1.0, conditions_.memtable_bytes / kReferenceMemtableBytes)) / 4;
  const double entry_ns = costs.put_entry_ns * std::pow(costs.put_large_memtable_factor, steps) +
                          costs.put_byte_ns * entry_bytes_;
  return (costs.put_ns + entry_ns * load_.batch_entries) * 1e-9;
}

void Clients::Set(const Conditions& conditions) {
  if (conditions == conditions_ && capacity_ > 0) return;
  Settle();
  conditions_ = conditions;
  const Costs& costs = machine_.costs;
  const double slower = 1 + (costs.busy_factor - 1) * std::min(1.0, conditions.busy);
  const double put_cpu = PutSeconds() * slower;
  const double get_cpu = costs.get_ns * 1e-9 * slower;
  const double scan_cpu = get_cpu + load_.scan_entries * costs.scan_entry_ns * 1e-9 * slower;
  const double miss = machine_.read_miss_share;
  const double scan_blocks = std::ceil(load_.scan_entries * entry_bytes_ / kReadBytes);
  const double read_wait = machine_.device.read_latency_us * 1e-6 + conditions.queue_seconds;
  const double sync_seconds =
      load_.sync ? std::max(machine_.device.sync_us, costs.sync_us) * 1e-6 : 0.0;

  cpu_seconds_ =
      load_.put_share * put_cpu + load_.get_share * get_cpu + load_.scan_share * scan_cpu;
  device_seconds_ = (load_.get_share + load_.scan_share * scan_blocks) * miss * kReadBytes /
                    machine_.device.read_bytes_per_sec;
  if (machine_.log_writes) {
    device_seconds_ += load_.put_share * write_bytes() / machine_.device.write_bytes_per_sec;
  }
  delay_seconds_ = conditions.delay_us_per_write > 0
                       ? std::max(conditions.delay_us_per_write, costs.sleep_us) * 1e-6
                       : 0.0;
  put_seconds_ = put_cpu + sync_seconds + delay_seconds_;
  services_ = {{load_.put_share, put_seconds_},
               {load_.get_share * (1 - miss), get_cpu},
               {load_.get_share * miss, get_cpu + read_wait},
               {load_.scan_share, scan_cpu + miss * scan_blocks * read_wait}};
  SetCapacity();
}

void Clients::SetCapacity() {
  paused_share_ = 0;
  capacity_ = 0;
  alone_seconds_ = 0;
  for (const ServiceTime& service : services_) alone_seconds_ += service.share * service.seconds;
  if (conditions_.blocked) return;
  capacity_ = load_.clients / alone_seconds_;
  if (cpu_seconds_ > 0) capacity_ = std::min(capacity_, conditions_.cores / cpu_seconds_);
  if (device_seconds_ > 0) capacity_ = std::min(capacity_, conditions_.device / device_seconds_);
  if (load_.put_share > 0) {
    // One writer at a time appends and inserts. It sleeps the delay before that.
    const double serial = std::max(1e-9, put_seconds_ - delay_seconds_);
    capacity_ = std::min(capacity_, 1 / (load_.put_share * serial));
  }
  tail_ = WaitTail(load_.closed_loop ? 0 : conditions_.requests_per_sec, services_, load_.clients);
  if (conditions_.write_bytes_per_sec_max <= 0 || load_.put_share <= 0) return;
  const double allowed = std::max(conditions_.write_bytes_per_sec_max / client_bytes_per_write(),
                                  load_.clients / (kPacedWaitSecondsMax + alone_seconds_)) /
                         load_.put_share;
  if (allowed >= capacity_) return;
  // Paced writers sleep for a while, and are then unpaced for as long.
  const double pause = load_.clients / allowed - load_.clients / capacity_;
  paused_share_ = std::min(1.0, pause / (machine_.costs.sleep_us * 1e-6));
  capacity_ = allowed;
}

Served Clients::Advance(double from, double to) {
  Served served;
  if (to <= from) return served;
  if (load_.closed_loop) {
    AdvanceClosed(from, to - from, &served);
  } else {
    AdvanceOpen(from, to, &served);
  }
  served.writes = served.requests * load_.put_share;
  return served;
}

void Clients::AdvanceClosed(double from, double seconds, Served* served) {
  if (conditions_.requests_per_sec <= 0) return;
  if (conditions_.blocked) {
    if (blocked_since_ < 0) blocked_since_ = from;
    return;
  }
  if (blocked_since_ >= 0) {
    all.Add(from - blocked_since_, load_.clients);
    writes.Add(from - blocked_since_, load_.clients);
    blocked_since_ = -1;
  }
  served->arrived = served->requests = capacity_ * seconds;
  steady_requests_ += served->requests;
}

void Clients::AdvanceOpen(double from, double to, Served* served) {
  const double rate = conditions_.requests_per_sec;
  served->arrived = static_cast<double>(DrawPoisson(rng_, rate * (to - from)));
  if (backlog_.empty() && rate <= kSteadyUtilisationMax * capacity_) {
    served->requests = served->arrived;
    steady_requests_ += served->requests;
    return;
  }
  const double room = capacity_ * (to - from);
  backlog_.Arrive(served->arrived, from, to);
  served->requests = std::min(backlog_.count(), room);
  if (served->requests <= 0) return;
  waited_.clear();
  backlog_.Serve(room, from, to, &waited_);
  for (const Backlog::Waited& some : waited_) {
    all.Add(some.seconds + alone_seconds_, some.count);
    writes.Add(some.seconds + put_seconds_, some.count * load_.put_share);
  }
}

void Clients::Settle() {
  if (steady_requests_ > 0) TallySteady(steady_requests_);
  steady_requests_ = 0;
}

/// The kind of request at position `share` in [0, 1).
size_t Clients::KindAt(double share) const {
  for (size_t i = 0; i + 1 < services_.size(); ++i) {
    share -= services_[i].share;
    if (share < 0) return i;
  }
  return services_.back().share > 0 ? services_.size() - 1 : kPut;
}

/// Adds latencies of requests under the present conditions, from a sample spread evenly over
/// waiting times, kinds of request and other random factors.
void Clients::TallySteady(double requests) {
  const int samples = std::clamp(static_cast<int>(requests), 1, kSamplesMax);
  const double weight = requests / samples;
  const double slowed = load_.closed_loop && paused_share_ == 0
                            ? std::max(1.0, load_.clients / (capacity_ * alone_seconds_))
                            : 1.0;
  const Costs& costs = machine_.costs;
  const double lateness =
      (costs.wake_us + (costs.wake_busy_us - costs.wake_us) * std::min(1.0, conditions_.busy)) *
      1e-6;
  const auto uniform = [&] { return static_cast<double>(rng_.Next() >> 11) * 0x1p-53; };
  const double shift = uniform();
  for (int i = 0; i < samples; ++i) {
    double whole = 0;
    const size_t kind = KindAt(std::modf(shift + i * kGolden, &whole));
    double seconds = services_[kind].seconds * slowed;
    if (kind == kGetMiss && conditions_.queue_seconds > 0) {
      seconds += std::min(ExponentialQuantile(conditions_.queue_seconds, uniform()),
                          conditions_.queue_seconds_max) -
                 conditions_.queue_seconds;
    }
    if (load_.closed_loop) {
      if (kind == kPut && uniform() < paused_share_) seconds += costs.sleep_us * 1e-6;
    } else {
      const double wait = tail_.Quantile((i + uniform()) / samples);
      // If a request finds all servers busy, no thread has to wake up for it.
      seconds += wait > 0 ? wait : ExponentialQuantile(lateness, uniform());
    }
    all.Add(seconds, weight);
    if (kind == kPut) writes.Add(seconds, weight);
  }
}

}  // namespace lull::sim
