// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Costs that the simulator uses. Those of this machine's CPU and kernel are measured ("simulate
// --calibrate"). Devices are presets, because the simulator tries devices that the machine does not
// have. Plain values; no thread, no clock.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace lull::sim {

/// CPU time unless the name says otherwise. The defaults are those of the profile in the
/// repository.
struct Costs {
  std::string machine;  ///< where the costs were measured

  // A write call: per call, per entry of its batch, per byte of keys and values. An entry costs
  // more by a factor in a memtable of 16 times the size, which no longer fits the CPU caches.
  double put_ns = 180;
  double put_entry_ns = 380;
  double put_byte_ns = 0.35;
  double put_large_memtable_factor = 1.6;
  double get_ns = 1800;        ///< a read with every block cached
  double scan_entry_ns = 150;  ///< each further entry of a scan
  double busy_factor = 1.25;   ///< slows a client's work while all cores are busy

  // Background work: per input entry and byte.
  double flush_entry_ns = 180;
  double flush_byte_ns = 2.2;
  double merge_entry_ns = 350;
  double merge_byte_ns = 2.6;

  // Sizes: overhead per entry, and the share of a value that compression leaves.
  double memtable_entry_bytes = 30;
  double table_entry_bytes = 10;
  double table_value_share = 0.55;

  // The kernel, in microseconds.
  double sync_us = 190;      ///< a small append and its fdatasync
  double install_us = 3000;  ///< installs an edit durably
  double sleep_us = 1060;    ///< actual length of a sleep of 1 ms
  double wake_us = 15;       ///< mean lateness of a sleeping client, on an idle machine
  double wake_busy_us = 60;  ///< mean lateness while every core is busy
};

/// A device with one queue: reads and writes share it.
struct Device {
  std::string name;
  double read_bytes_per_sec = 0;
  double write_bytes_per_sec = 0;
  double read_latency_us = 0;  ///< a small read on an idle device
  double sync_us = 0;          ///< a small append made durable
  double chunk_bytes = 0;      ///< one request of background work; a small read waits for it
};

/// nullptr for an unknown name.
const Device* FindDevice(const std::string& name);
const std::vector<Device>& Devices();

void to_json(nlohmann::json& json, const Costs& costs);
/// Sets the costs that `json` contains. Returns an error, empty if none.
std::string ReadCosts(const nlohmann::json& json, Costs* costs);
std::string LoadCosts(const std::string& path, Costs* costs);
std::string SaveCosts(const std::string& path, const Costs& costs);

}  // namespace lull::sim
