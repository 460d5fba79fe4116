// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The value of --listen.
#pragma once

#include <string>

#include "leveldb/status.h"

namespace lull::tools {

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

/// Reads ADDRESS:PORT or [IPV6]:PORT. The address is required, so that nobody opens a port to a
/// network by leaving it out.
leveldb::Status ParseListenAddress(const std::string& text, ListenAddress* address);

}  // namespace lull::tools
