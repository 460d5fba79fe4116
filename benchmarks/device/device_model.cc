// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "benchmarks/device/device_model.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lull::bench {
namespace {

constexpr uint64_t kBytesPerMiB = 1 << 20;
constexpr double kMs = 1e6;
constexpr double kUs = 1e3;
constexpr uint64_t kPieceBytes = kBytesPerMiB;  // written back at a time
constexpr double kNothingNs = 1e-3;             // a request with less time left has ended

// Rounded figures for each kind of disk. 100mb is the limit that papers put on a fast disk.
constexpr DeviceSpec kPresets[] = {
    {"hdd", 150e6, 4 * kMs, 8 * kMs, 0, 256 * kBytesPerMiB},
    {"sata", 450e6, 60 * kUs, 500 * kUs, 100 * kUs, 256 * kBytesPerMiB},
    {"nvme", 2000e6, 5 * kUs, 15 * kUs, 20 * kUs, 256 * kBytesPerMiB},
    {"100mb", 100e6, 5 * kUs, 15 * kUs, 80 * kUs, 64 * kBytesPerMiB},
};

}  // namespace

const DeviceSpec* DeviceModel::FindPreset(std::string_view name) {
  const auto* const found = std::find_if(std::begin(kPresets), std::end(kPresets),
                                         [name](const DeviceSpec& s) { return s.name == name; });
  return found == std::end(kPresets) ? nullptr : found;
}

std::vector<std::string_view> DeviceModel::PresetNames() {
  std::vector<std::string_view> names;
  for (const DeviceSpec& spec : kPresets) names.push_back(spec.name);
  return names;
}

void DeviceModel::Advance(uint64_t now_ns) {
  const auto until_ns = static_cast<double>(now_ns);
  while (at_ns_ < until_ns) {
    QueueWriteBack();
    if (busy_.empty()) {
      at_ns_ = until_ns;
      return;
    }
    Step(until_ns);
  }
}

void DeviceModel::Append(const std::string& file, uint64_t bytes) {
  File& to = files_[file];
  to.dirty_bytes += bytes;
  to.unqueued_bytes += bytes;
  dirty_bytes_ += bytes;
}

DeviceModel::Ticket DeviceModel::Sync(const std::string& file) {
  File& synced = files_[file];
  const Ticket ticket = ++last_ticket_;
  Queue(file, synced, synced.unqueued_bytes, spec_.flush_ns, ticket);
  return ticket;
}

void DeviceModel::Remove(const std::string& file) {
  const auto found = files_.find(file);
  if (found == files_.end()) return;
  dirty_bytes_ -= found->second.dirty_bytes;
  // A pending sync has no purpose any more, but its caller must not wait forever.
  for (const Request& request : found->second.requests) {
    if (request.ticket) ended_[*request.ticket] = at_ns_;
  }
  busy_.erase(file);
  files_.erase(found);
}

void DeviceModel::Rename(const std::string& from, const std::string& to) {
  const auto found = files_.find(from);
  if (found == files_.end() || from == to) return;
  Remove(to);
  files_[to] = std::move(found->second);
  files_.erase(from);
  if (busy_.erase(from) > 0) busy_.insert(to);
}

void DeviceModel::QueueWriteBack() {
  if (!writing_back()) return;
  for (auto& [name, file] : files_) {
    if (file.unqueued_bytes == 0 || !file.requests.empty()) continue;
    Queue(name, file, std::min(file.unqueued_bytes, kPieceBytes), 0, std::nullopt);
  }
}

void DeviceModel::Queue(const std::string& name, File& file, uint64_t bytes, double flush_ns,
                        std::optional<Ticket> ticket) {
  Request request;
  request.left_ns =
      spec_.request_ns + flush_ns + static_cast<double>(bytes) * 1e9 / spec_.write_bytes_per_s;
  request.bytes = bytes;
  request.ticket = ticket;
  file.unqueued_bytes -= bytes;
  file.requests.push_back(request);
  busy_.insert(name);
}

void DeviceModel::Step(double until_ns) {
  double least_ns = std::numeric_limits<double>::infinity();
  for (const std::string& name : busy_) {
    least_ns = std::min(least_ns, files_[name].requests.front().left_ns);
  }
  const auto sharing = static_cast<double>(busy_.size());
  const double each_ns = std::min(least_ns, (until_ns - at_ns_) / sharing);
  at_ns_ += each_ns * sharing;
  if (each_ns < least_ns) at_ns_ = until_ns;  // exact, in spite of rounding
  const std::vector<std::string> served(busy_.begin(), busy_.end());
  for (const std::string& name : served) {
    File& file = files_[name];
    file.requests.front().left_ns -= each_ns;
    if (file.requests.front().left_ns <= kNothingNs) EndFront(name, file);
  }
}

void DeviceModel::EndFront(const std::string& name, File& file) {
  const Request done = file.requests.front();
  file.requests.pop_front();
  file.dirty_bytes -= done.bytes;
  dirty_bytes_ -= done.bytes;
  written_bytes_ += done.bytes;
  if (done.ticket) ended_[*done.ticket] = at_ns_ + spec_.latency_ns;
  if (file.requests.empty()) busy_.erase(name);
}

uint64_t DeviceModel::RoomAtNs() const {
  DeviceModel ahead = *this;
  while (ahead.full()) {
    ahead.QueueWriteBack();
    ahead.Step(std::numeric_limits<double>::infinity());
  }
  return static_cast<uint64_t>(std::ceil(ahead.at_ns_));
}

uint64_t DeviceModel::EndsAtNs(Ticket ticket) const {
  const auto ended = ended_.find(ticket);
  if (ended != ended_.end()) return static_cast<uint64_t>(std::ceil(ended->second));
  DeviceModel ahead = *this;
  while (!ahead.ended_.contains(ticket)) {
    ahead.QueueWriteBack();
    ahead.Step(std::numeric_limits<double>::infinity());
  }
  return static_cast<uint64_t>(std::ceil(ahead.ended_[ticket]));
}

bool DeviceModel::TakeEnded(Ticket ticket) {
  const auto ended = ended_.find(ticket);
  if (ended == ended_.end() || ended->second > at_ns_) return false;
  ended_.erase(ended);
  return true;
}

}  // namespace lull::bench
