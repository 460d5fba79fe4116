// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/tools/export_text.h"

#include <cstdint>
#include <map>
#include <string_view>

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

}  // namespace

std::string ExportText(const std::vector<ExportedFile>& files) {
  std::map<std::string, int> stores;
  for (const ExportedFile& file : files) stores[file.text.Store()] += file.was_read;
  std::vector<std::string> families;
  std::map<std::string, size_t> places;  // of families, by name
  std::string ages =
      Head("lull_stats_file_age_seconds", "Time since the store wrote its stats file.", "gauge");
  std::string ups = Head("lull_stats_file_up", "1 if the stats file was read.", "gauge");
  for (const ExportedFile& file : files) {
    const std::string path = Label("file", file.path);
    ups += "lull_stats_file_up{" + path + (file.was_read ? "} 1\n" : "} 0\n");
    if (!file.was_read) continue;
    std::string store = "{" + Label("store", file.text.Store());
    if (stores[file.text.Store()] > 1) store += "," + path;
    ages += "lull_stats_file_age_seconds" + store + Format("} %.3f\n", file.age_seconds);
    for (const MetricFamily& family : file.text.families()) {
      const auto [place, is_new] = places.try_emplace(family.name, families.size());
      if (is_new) families.push_back(Head(family.name, family.help, family.type));
      std::string& text = families[place->second];
      for (const MetricSample& sample : family.samples) {
        text += sample.name + store;
        for (const auto& [name, value] : sample.labels) text += "," + Label(name, value);
        text += "} " + sample.number + "\n";
      }
    }
  }
  std::string text;
  for (const std::string& family : families) text += family;
  return text + ages + ups;
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
