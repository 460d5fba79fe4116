// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "benchmarks/simulation/profile.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

namespace lull::sim {
namespace {

constexpr std::pair<const char*, double Costs::*> kNumbers[] = {
    {"put_ns", &Costs::put_ns},
    {"put_entry_ns", &Costs::put_entry_ns},
    {"put_byte_ns", &Costs::put_byte_ns},
    {"put_large_memtable_factor", &Costs::put_large_memtable_factor},
    {"get_ns", &Costs::get_ns},
    {"scan_entry_ns", &Costs::scan_entry_ns},
    {"busy_factor", &Costs::busy_factor},
    {"flush_entry_ns", &Costs::flush_entry_ns},
    {"flush_byte_ns", &Costs::flush_byte_ns},
    {"merge_entry_ns", &Costs::merge_entry_ns},
    {"merge_byte_ns", &Costs::merge_byte_ns},
    {"memtable_entry_bytes", &Costs::memtable_entry_bytes},
    {"table_entry_bytes", &Costs::table_entry_bytes},
    {"table_value_share", &Costs::table_value_share},
    {"sync_us", &Costs::sync_us},
    {"install_us", &Costs::install_us},
    {"sleep_us", &Costs::sleep_us},
    {"wake_us", &Costs::wake_us},
    {"wake_busy_us", &Costs::wake_busy_us},
};

}  // namespace

const std::vector<Device>& Devices() {
  // Bandwidths of hdd, sata, nvme and pm (persistent memory) are from ADOC's table 1. silk is the
  // 200 MB/s that SILK gives the store, on a SATA SSD that reads faster than that. The two capped
  // devices are an SSD and a disk whose writes are limited to 100 MB/s, as in the paper of the
  // policies idle-*. local is the page cache and disk of a virtual machine.
  static const std::vector<Device> devices = {
      {"hdd", 210e6, 210e6, 8000, 8000, 512 << 10},
      {"sata", 490e6, 490e6, 90, 400, 64 << 10},
      {"nvme", 2700e6, 2700e6, 80, 30, 64 << 10},
      {"pm", 2300e6, 2300e6, 1, 1, 4 << 10},
      {"silk", 500e6, 200e6, 90, 400, 64 << 10},
      {"capped-ssd", 500e6, 100e6, 90, 200, 64 << 10},
      {"capped-hdd", 210e6, 100e6, 8000, 8000, 512 << 10},
      {"local", 2000e6, 800e6, 60, 0, 64 << 10},
  };
  return devices;
}

const Device* FindDevice(const std::string& name) {
  for (const Device& device : Devices()) {
    if (device.name == name) return &device;
  }
  return nullptr;
}

void to_json(nlohmann::json& json, const Costs& costs) {
  json = {{"machine", costs.machine}};
  for (const auto& [name, member] : kNumbers) json[name] = costs.*member;
}

std::string ReadCosts(const nlohmann::json& json, Costs* costs) {
  if (!json.is_object()) return "not an object";
  for (const auto& [name, member] : kNumbers) {
    const auto found = json.find(name);
    if (found == json.end()) continue;
    if (!found->is_number() || found->get<double>() < 0) {
      return std::string(name) + " is not a number of at least 0";
    }
    costs->*member = found->get<double>();
  }
  if (const auto machine = json.find("machine"); machine != json.end() && machine->is_string()) {
    costs->machine = machine->get<std::string>();
  }
  return "";
}

std::string LoadCosts(const std::string& path, Costs* costs) {
  std::ifstream file(path);
  if (!file) return "cannot read " + path;
  const nlohmann::json json = nlohmann::json::parse(file, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return path + " is not JSON";
  const std::string fault = ReadCosts(json, costs);
  return fault.empty() ? "" : path + ": " + fault;
}

std::string SaveCosts(const std::string& path, const Costs& costs) {
  std::ofstream file(path);
  file << nlohmann::json(costs).dump(2) << "\n";
  file.close();
  return file ? "" : "cannot write " + path;
}

}  // namespace lull::sim
