// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The arithmetic of a simulated device: how long writes and syncs take on a disk of a given
// bandwidth, under a page cache with limited dirty bytes. It has no clock and no thread: time is an
// argument, and the same calls give the same answers. paced_device.h makes callers wait. One thread
// at a time.
//
// Each request takes a fixed time plus a time per byte. The device shares itself evenly among all
// files that have requests, however many each has: with two such files, each is served at half the
// speed. The requests of one file are served in order.
//
// An append copies into the page cache. Write-back starts when dirty bytes exceed half of their
// limit; it writes one piece of each dirty file at a time. An append over the limit has to wait. A
// sync queues all dirty bytes of its file, followed by a flush. Reads are not modelled: benchmarks
// read what they have just written, and clean pages stay cached.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace lull::bench {

struct DeviceSpec {
  std::string_view name;
  double write_bytes_per_s = 0;
  double request_ns = 0;  // device time of each request: a seek
  double flush_ns = 0;    // device time of each sync
  double latency_ns = 0;  // added to a sync; meanwhile the device serves other requests
  uint64_t dirty_bytes_max = 0;
};

class DeviceModel {
 public:
  using Ticket = uint64_t;

  // "hdd", "sata", "nvme", "100mb"
  static const DeviceSpec* FindPreset(std::string_view name);
  static std::vector<std::string_view> PresetNames();

  explicit DeviceModel(const DeviceSpec& spec) : spec_(spec) {}

  // Runs the device until `now_ns`, which must not decrease. The calls below happen at that time.
  void Advance(uint64_t now_ns);

  void Append(const std::string& file, uint64_t bytes);
  Ticket Sync(const std::string& file);
  // The dirty bytes of a removed file need not be written.
  void Remove(const std::string& file);
  void Rename(const std::string& from, const std::string& to);

  // Whether appends must wait, and until when if no further request arrives.
  bool full() const { return dirty_bytes_ > spec_.dirty_bytes_max; }
  uint64_t RoomAtNs() const;

  // When a sync ends if no further request arrives; further requests can only delay it. REQUIRES:
  // TakeEnded(ticket) has not returned true.
  uint64_t EndsAtNs(Ticket ticket) const;
  // Returns whether the sync has ended. If so, the ticket becomes invalid.
  bool TakeEnded(Ticket ticket);

  uint64_t dirty_bytes() const { return dirty_bytes_; }
  uint64_t written_bytes() const { return written_bytes_; }  // to the device, in total

 private:
  struct Request {
    double left_ns = 0;  // device time
    uint64_t bytes = 0;
    std::optional<Ticket> ticket;
  };
  struct File {
    uint64_t dirty_bytes = 0;      // queued or not
    uint64_t unqueued_bytes = 0;   // dirty bytes without a request
    std::deque<Request> requests;  // served in this order
  };

  bool writing_back() const { return dirty_bytes_ > spec_.dirty_bytes_max / 2; }
  void QueueWriteBack();
  void Queue(const std::string& name, File& file, uint64_t bytes, double flush_ns,
             std::optional<Ticket> ticket);
  // Runs the device until a request ends or until `until_ns`, whichever is first.
  void Step(double until_ns);
  void EndFront(const std::string& name, File& file);

  const DeviceSpec spec_;
  double at_ns_ = 0;
  std::map<std::string, File> files_;
  std::set<std::string> busy_;  // files with requests
  uint64_t dirty_bytes_ = 0;
  uint64_t written_bytes_ = 0;
  Ticket last_ticket_ = 0;
  std::map<Ticket, double> ended_;  // end times not yet fetched by TakeEnded()
};

}  // namespace lull::bench
