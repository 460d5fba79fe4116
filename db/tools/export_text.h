// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The page that `lull export` serves: the stats files of all stores in one text of Prometheus'
// format 0.0.4; and the address of the server. Pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "db/tools/metrics_text.h"
#include "leveldb/status.h"

namespace lull::tools {

/// One stats file at the moment of a scrape.
struct ExportedFile {
  std::string path;
  bool was_read = false;   ///< false: the other members are not set
  double age_seconds = 0;  ///< since it was written
  MetricsText text;
};

/// Time of the newest backup in each directory, in seconds since 1970.
using LastBackups = std::map<std::string, uint64_t>;

/// Groups the samples by family, with one HELP and one TYPE line each, and adds
/// lull_stats_file_age_seconds for each store, lull_stats_file_up for each file, and
/// lull_last_backup_timestamp_seconds for each directory of backups. If two files are of stores
/// with the same name, their samples also get the label file: Prometheus would refuse a page with a
/// repeated series.
///
/// A metric of the whole file system has one sample for all stores of a device, without the label
/// store: the worst value of stores that are alive.
std::string ExportText(const std::vector<ExportedFile>& files, const LastBackups& backups);

struct ListenAddress {
  std::string host;  ///< without the brackets of an IPv6 address
  int port = 0;      ///< 0: any free one

  /// Only programs on this machine can connect.
  bool IsLoopback() const {
    return host == "localhost" || host == "::1" || host.starts_with("127.");
  }
  std::string Text() const {
    const bool is_ipv6 = host.find(':') != host.npos;
    return (is_ipv6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
  }
};

/// Reads ADDRESS:PORT or [IPV6]:PORT, the value of --listen. The address is required, so that
/// nobody opens a port to a network by leaving it out.
leveldb::Status ParseListenAddress(const std::string& text, ListenAddress* address);

}  // namespace lull::tools
