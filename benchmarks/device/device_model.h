// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The arithmetic of a device that is not there: how long writes and syncs take on a disk of a given
// bandwidth, behind a page cache that holds so many dirty bytes. It has no clock and no thread:
// time is an argument, and the same calls give the same answers (paced_device.h makes callers
// wait). One thread at a time.
//
// The device does work of so many nanoseconds a request, and shares itself evenly among all files
// that have requests, however many each has: with two of them each is served at half the speed.
// A file's own requests are served in turn.
//
// An append is a copy into the page cache. Write-back begins when half of the bytes that may be
// dirty are, a piece of each dirty file at a time; who appends when all of them are has to wait. A
// sync puts all dirty bytes of its file to the device, and a flush behind them. Reads are not
// modelled: what a benchmark reads it has written shortly before, and clean pages stay cached.
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
  double request_ns = 0;  // of the device's time, for each request: a seek
  double flush_ns = 0;    // of the device's time, for each sync
  double latency_ns = 0;  // of a sync's time, in which the device serves others
  uint64_t dirty_bytes_max = 0;
};

class DeviceModel {
 public:
  using Ticket = uint64_t;

  // "hdd", "sata", "nvme", "100mb"
  static const DeviceSpec* FindPreset(std::string_view name);
  static std::vector<std::string_view> PresetNames();

  explicit DeviceModel(const DeviceSpec& spec) : spec_(spec) {}

  // Lets the device work until `now_ns`. Times must not fall; every call below is at the last one.
  void Advance(uint64_t now_ns);

  void Append(const std::string& file, uint64_t bytes);
  Ticket Sync(const std::string& file);
  // What is dirty of a file that is gone need not be written.
  void Remove(const std::string& file);
  void Rename(const std::string& from, const std::string& to);

  // Whether appends must wait, and until when, if nothing further comes.
  bool full() const { return dirty_bytes_ > spec_.dirty_bytes_max; }
  uint64_t RoomAtNs() const;

  // When a sync ends, if nothing further comes; what comes can only put it off. REQUIRES: the sync
  // was not found ended before.
  uint64_t EndsAtNs(Ticket ticket) const;
  // Whether it has ended. If so, the ticket is spent.
  bool TakeEnded(Ticket ticket);

  uint64_t dirty_bytes() const { return dirty_bytes_; }
  uint64_t written_bytes() const { return written_bytes_; }  // to the device

 private:
  struct Request {
    double left_ns = 0;  // of the device's time
    uint64_t bytes = 0;
    std::optional<Ticket> ticket;
  };
  struct File {
    uint64_t dirty_bytes = 0;      // all
    uint64_t unqueued_bytes = 0;   // of them, those that no request is for
    std::deque<Request> requests;  // served in this order
  };

  bool writing_back() const { return dirty_bytes_ > spec_.dirty_bytes_max / 2; }
  void QueueWriteBack();
  void Queue(const std::string& name, File& file, uint64_t bytes, double flush_ns,
             std::optional<Ticket> ticket);
  // Works until a request ends or `until_ns` is reached, whichever comes first.
  void Step(double until_ns);
  void EndFront(const std::string& name, File& file);

  const DeviceSpec spec_;
  double at_ns_ = 0;
  std::map<std::string, File> files_;
  std::set<std::string> busy_;  // files with requests
  uint64_t dirty_bytes_ = 0;
  uint64_t written_bytes_ = 0;
  Ticket last_ticket_ = 0;
  std::map<Ticket, double> ended_;  // when those did that nobody has taken yet
};

}  // namespace lull::bench
