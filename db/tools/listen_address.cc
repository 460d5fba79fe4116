// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/tools/listen_address.h"

#include <cstdint>

#include "leveldb/slice.h"
#include "util/logging.h"

namespace lull::tools {

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
