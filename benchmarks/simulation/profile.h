// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// What things cost: the numbers with which the simulator is fed. Costs are of this machine's CPU
// and kernel and are measured ("simulate --calibrate"); devices are presets, since the point is to
// try those that the machine does not have. Plain values; no thread, no clock.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace lull::sim {

/// CPU time unless the name says otherwise. The initial values are those of the profile that is
/// kept in the repository.
struct Costs {
  std::string machine;  ///< where they were measured

  // A write call: of itself, for each entry of its batch, for each byte of keys and values; and how
  // much dearer an entry becomes when the memtable has 16 times the size (it no longer fits
  // caches).
  double put_ns = 180;
  double put_entry_ns = 380;
  double put_byte_ns = 0.35;
  double put_large_memtable_factor = 1.6;
  double get_ns = 1800;        ///< a read that finds every block in a cache
  double scan_entry_ns = 150;  ///< each further entry of a scan
  double busy_factor = 1.25;   ///< a client's work takes so much longer while all cores are busy

  // Background work: for each entry and byte that goes in.
  double flush_entry_ns = 180;
  double flush_byte_ns = 2.2;
  double merge_entry_ns = 350;
  double merge_byte_ns = 2.6;

  // Sizes: what an entry takes beyond its key and value, and what compression leaves of a value.
  double memtable_entry_bytes = 30;
  double table_entry_bytes = 10;
  double table_value_share = 0.55;

  // The kernel, in microseconds.
  double sync_us = 190;      ///< a small append with its fdatasync
  double install_us = 3000;  ///< a change of the set of tables made durable
  double sleep_us = 1060;    ///< what a sleep of 1 ms takes
  double wake_us = 15;       ///< mean lateness of a client that slept, on a quiet machine
  double wake_busy_us = 60;  ///< likewise when every core is busy
};

/// A device with one queue: reads and writes share it.
struct Device {
  std::string name;
  double read_bytes_per_sec = 0;
  double write_bytes_per_sec = 0;
  double read_latency_us = 0;  ///< of a small read on an idle device
  double sync_us = 0;          ///< of a small append made durable
  double chunk_bytes = 0;      ///< of one request of background work; what a small read waits for
};

/// nullptr for an unknown name.
const Device* FindDevice(const std::string& name);
const std::vector<Device>& Devices();

void to_json(nlohmann::json& json, const Costs& costs);
/// Takes over the numbers that are there. Returns what is wrong, or nothing.
std::string ReadCosts(const nlohmann::json& json, Costs* costs);
std::string LoadCosts(const std::string& path, Costs* costs);
std::string SaveCosts(const std::string& path, const Costs& costs);

}  // namespace lull::sim
