// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "benchmarks/simulation/sharing.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace lull::sim {
namespace {

/// Sets the threads' speeds as if each were alone on the machine.
void SpeedAlone(std::span<BackgroundThread> threads) {
  for (BackgroundThread& thread : threads) {
    thread.speed = 1 / std::max(1e-9, thread.cpu_seconds + thread.device_seconds);
    if (thread.bytes_per_sec_max > 0)
      thread.speed = std::min(thread.speed, thread.bytes_per_sec_max / thread.write_bytes);
  }
}

void LimitTo(double bytes_per_sec, std::span<BackgroundThread> threads) {
  double flush = 0;
  double wanted = 0;
  for (const BackgroundThread& thread : threads) {
    (thread.job_class ? wanted : flush) += thread.speed * thread.write_bytes;
  }
  const double allowed = std::max(0.0, bytes_per_sec - flush);
  if (wanted <= allowed) return;
  for (BackgroundThread& thread : threads) {
    if (thread.job_class) thread.speed *= allowed / wanted;
  }
}

/// Slows the threads down to what they were granted of one resource.
void SlowDown(std::span<const Demand> demands, std::span<BackgroundThread* const> threads) {
  for (size_t i = 0; i < threads.size(); ++i) {
    if (demands[i].wanted > demands[i].granted) {
      threads[i]->speed *= demands[i].granted / demands[i].wanted;
    }
  }
}

double ShareCores(double cores, double clients_want, int client_threads,
                  std::span<BackgroundThread> threads) {
  double left = cores;
  double granted = 0;
  for (const CpuPriority cpu : {CpuPriority::kNormal, CpuPriority::kIdle}) {
    std::vector<Demand> demands;
    std::vector<BackgroundThread*> chosen;
    for (BackgroundThread& thread : threads) {
      if (thread.cpu != cpu) continue;
      demands.push_back({thread.speed * thread.cpu_seconds});
      chosen.push_back(&thread);
    }
    const bool with_clients = cpu == CpuPriority::kNormal;
    if (with_clients) demands.push_back({clients_want, static_cast<double>(client_threads)});
    ShareOut(left, demands);
    SlowDown(demands, chosen);
    for (const Demand& demand : demands) left -= demand.granted;
    if (with_clients) granted = demands.back().granted;
  }
  return granted;
}

}  // namespace

void ShareOut(double capacity, std::span<Demand> demands) {
  std::vector<size_t> order(demands.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto level = [&](size_t i) { return demands[i].wanted / demands[i].weight; };
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return level(a) != level(b) ? level(a) < level(b) : a < b; });
  double weight = 0;
  for (const Demand& demand : demands) weight += demand.weight;
  for (const size_t i : order) {
    Demand& demand = demands[i];
    const double share = std::max(0.0, capacity) * demand.weight / weight;
    demand.granted = std::min(demand.wanted, share);
    capacity -= demand.granted;
    weight -= demand.weight;
  }
}

ClientShare ShareMachine(double cores, const ClientShare& clients, int client_threads,
                         std::span<BackgroundThread> threads, double background_bytes_per_sec) {
  SpeedAlone(threads);
  if (background_bytes_per_sec > 0) LimitTo(background_bytes_per_sec, threads);
  ClientShare granted;
  granted.cores = ShareCores(cores, clients.cores, client_threads, threads);

  std::vector<Demand> demands;
  std::vector<BackgroundThread*> chosen;
  for (BackgroundThread& thread : threads) {
    demands.push_back({thread.speed * thread.device_seconds});
    chosen.push_back(&thread);
  }
  demands.push_back({clients.device, static_cast<double>(client_threads)});
  ShareOut(1.0, demands);
  SlowDown(demands, chosen);
  granted.device = demands.back().granted;
  return granted;
}

}  // namespace lull::sim
