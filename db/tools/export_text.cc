// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/tools/export_text.h"

#include <cstdint>
#include <map>
#include <string_view>

#include "db/report/metric_table.h"
#include "db/report/stats_report.h"
#include "leveldb/slice.h"
#include "util/logging.h"

namespace lull::tools {
namespace {

std::string Label(std::string_view name, std::string_view value) {
  return std::string(name) + "=\"" + EscapedLabel(value) + "\"";
}

std::string Head(const std::string& name, const std::string& help, const std::string& type) {
  return "# HELP " + name + " " + help + "\n# TYPE " + name + " " + type + "\n";
}

/// The families in the order in which they were first seen.
class Families {
 public:
  /// The text of a family, to which samples are added.
  std::string& Of(const std::string& name, const std::string& help, const std::string& type) {
    const auto [place, is_new] = places_.try_emplace(name, texts_.size());
    if (is_new) texts_.push_back(Head(name, help, type));
    return texts_[place->second];
  }
  std::string Text() const {
    std::string all;
    for (const std::string& text : texts_) all += text;
    return all;
  }

 private:
  std::vector<std::string> texts_;
  std::map<std::string, size_t> places_;
};

/// The metrics of one file system, from the files of its stores.
struct Disk {
  std::string labels;
  bool is_alive = false;                             // a store of those that `worst` is from
  std::map<std::string, const MetricSample*> worst;  // by family
};

/// An older text can have an outdated value, and that of a crashed store stays.
constexpr double kAliveSeconds = 60;

/// Free space can be 0, which is unknown, and then is not the worst.
bool IsWorse(const MetricSample& a, const MetricSample& b) {
  if (a.name != "lull_disk_free_bytes") return a.value > b.value;
  return a.value > 0 && (b.value == 0 || a.value < b.value);
}

bool IsOfDisk(const MetricFamily& family) {
  const MetricRow* const row = FindMetric(family.name);
  return row != nullptr && row->scope() == MetricScope::kDisk;
}

void AddToDisk(const ExportedFile& file, const MetricSample& place, Disk* disk) {
  const bool is_alive = file.age_seconds < kAliveSeconds;
  if (disk->is_alive && !is_alive) return;
  if (is_alive && !disk->is_alive) *disk = Disk{.labels = "", .is_alive = true, .worst = {}};
  if (disk->labels.empty()) {
    for (const auto& [name, value] : place.labels)
      disk->labels += (disk->labels.empty() ? "" : ",") + Label(name, value);
  }
  for (const MetricFamily& family : file.text.families()) {
    if (!IsOfDisk(family) || family.samples.empty()) continue;
    const MetricSample*& worst = disk->worst[family.name];
    if (worst == nullptr || IsWorse(family.samples[0], *worst)) worst = &family.samples[0];
  }
}

/// The sample with the device of a store; null if the device is unknown.
const MetricSample* PlaceOf(const MetricsText& text) {
  const std::vector<MetricSample>& info = text.Samples("lull_disk_info");
  return info.empty() || info[0].Label("device").empty() ? nullptr : &info[0];
}

/// Adds the samples of a store with its labels, but leaves those of its disk to `disks`.
void AddStore(const ExportedFile& file, const std::string& labels, Families* families,
              std::map<std::string, Disk>* disks) {
  const MetricSample* const place = PlaceOf(file.text);
  if (place != nullptr) AddToDisk(file, *place, &(*disks)[place->Label("device")]);
  for (const MetricFamily& family : file.text.families()) {
    std::string& text = families->Of(family.name, family.help, family.type);
    if (place != nullptr && IsOfDisk(family)) continue;
    for (const MetricSample& sample : family.samples) {
      text += sample.name + labels;
      for (const auto& [name, value] : sample.labels) text += "," + Label(name, value);
      text += "} " + sample.number + "\n";
    }
  }
}

}  // namespace

std::string ExportText(const std::vector<ExportedFile>& files, const LastBackups& backups) {
  std::map<std::string, int> stores;
  for (const ExportedFile& file : files) stores[file.text.Store()] += file.was_read;
  Families families;
  std::map<std::string, Disk> disks;
  std::string ages =
      Head("lull_stats_file_age_seconds", "Time since the stats file was current.", "gauge");
  std::string ups = Head("lull_stats_file_up", "1 if the stats file was read.", "gauge");
  for (const ExportedFile& file : files) {
    const std::string path = Label("file", file.path);
    ups += "lull_stats_file_up{" + path + (file.was_read ? "} 1\n" : "} 0\n");
    if (!file.was_read) continue;
    std::string store = "{" + Label("store", file.text.Store());
    if (stores[file.text.Store()] > 1) store += "," + path;
    ages += "lull_stats_file_age_seconds" + store + Format("} %.3f\n", file.age_seconds);
    AddStore(file, store, &families, &disks);
  }
  for (const auto& [device, disk] : disks) {
    for (const auto& [name, sample] : disk.worst)
      families.Of(name, "", "") += name + "{" + disk.labels + "} " + sample->number + "\n";
  }
  for (const auto& [directory, seconds] : backups) {
    families.Of("lull_last_backup_timestamp_seconds",
                "Time of the newest backup in the directory, since 1970.", "gauge") +=
        "lull_last_backup_timestamp_seconds{" + Label("directory", directory) + "} " +
        std::to_string(seconds) + "\n";
  }
  return families.Text() + ages + ups;
}

leveldb::Status ParseListenAddress(const std::string& text, ListenAddress* address) {
  const auto refuse = [&](const char* why) {
    return leveldb::Status::InvalidArgument("--listen=" + text, why);
  };
  const size_t colon = text.rfind(':');
  if (colon == text.npos || colon == 0)
    return refuse("write ADDRESS:PORT, for example 127.0.0.1:9464");
  address->host = text.substr(0, colon);
  std::string& host = address->host;
  if (host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != host.npos) {
    return refuse("write an IPv6 address in brackets, for example [::1]:9464");
  }
  const std::string digits = text.substr(colon + 1);
  leveldb::Slice rest(digits);
  uint64_t port = 0;
  if (host.empty() || !ConsumeDecimal(&rest, &port) || !rest.empty() || port > 65535)
    return refuse("the port is not a number from 0 (any free port) to 65535");
  address->port = static_cast<int>(port);
  return leveldb::Status::OK();
}

}  // namespace lull::tools
