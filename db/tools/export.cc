// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// export: serves the stats files of stores to Prometheus. Reads them at each scrape, without
// opening the stores.
#include <string>

#include "db/tools/commands.h"
#ifdef LULL_HAS_HTTPLIB
#include "db/tools/export_server.h"
#include "db/tools/listen_address.h"
#include "db/tools/stats_sources.h"
#endif

namespace lull::tools {

using leveldb::Status;

#ifdef LULL_HAS_HTTPLIB

int RunExport(const Invocation& call) {
  ListenAddress address;
  Status status = ParseListenAddress(call.listen, &address);
  if (!status.ok()) {
    Fail(status, call.json);
    return kUsage;
  }
  status = CheckPaths(leveldb::Env::Default(), call.paths);
  if (status.ok()) status = ServeMetrics(address, call.paths);
  return Fail(status, call.json);
}

#else

int RunExport(const Invocation& call) {
  return Fail(Status::NotSupported(
                  "export: this program was built without cpp-httplib (Debian: libcpp-httplib-dev)",
                  "let node_exporter's textfile collector read the stats files instead"),
              call.json);
}

#endif

}  // namespace lull::tools
