// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// export: serves the stats files of stores and the ages of backups to Prometheus, with cpp-httplib
// if that was found. Reads them at each scrape, without opening the stores.
#include "db/tools/commands.h"

#ifdef LULL_HAS_HTTPLIB

#include <httplib.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "db/backup/backup_directory.h"
#include "db/backup/backup_list.h"
#include "db/tools/export_text.h"
#include "db/tools/freshness.h"
#include "db/tools/stats_sources.h"
#include "util/clock.h"
#include "util/mutex.h"

namespace lull::tools {
namespace {

using leveldb::Status;

// Prometheus, and a person with a browser.
constexpr size_t kServerThreads = 2;

/// Reads the files of a scrape. Any thread of the server.
class Exporter {
 public:
  explicit Exporter(std::vector<std::string> paths) : paths_(std::move(paths)) {}

  std::string Scrape() LULL_EXCLUDES(mutex_) {
    leveldb::Env* const env = leveldb::Env::Default();
    MutexLock lock(mutex_);  // one scrape at a time
    std::vector<ExportedFile> files;
    Sources sources = FindSources(env, paths_);
    for (auto& [path, status] : sources.stats) {
      ExportedFile file;
      file.path = path;
      if (status.ok()) status = ReadStatsFile(env, path, &file.text);
      file.was_read = status.ok();
      if (file.was_read) file.age_seconds = AgeOf(file);
      ReportChange(path, status);
      files.push_back(std::move(file));
    }
    for (const std::string& directory : sources.backups) LookAtBackups(env, directory);
    LastBackups last;
    for (const auto& [directory, newest] : backups_) last[directory] = newest.unix_seconds;
    return ExportText(files, last);
  }

 private:
  /// Reads the newest list that can be read, once: a list can name many tables. A directory that
  /// disappears keeps its time, so that an alert follows.
  void LookAtBackups(leveldb::Env* env, const std::string& directory) LULL_REQUIRES(mutex_) {
    const BackupDirectory backups(env, directory);
    std::vector<uint64_t> ids;
    if (!backups.ListIds(&ids).ok()) return;
    BackupInfo& newest = backups_[directory];
    for (; !ids.empty() && ids.back() != newest.id; ids.pop_back()) {
      BackupList list;
      const Status status = backups.ReadList(ids.back(), &list);
      ReportChange(backups.ListPath(ids.back()), status);
      if (!status.ok()) continue;
      newest = list.info;
      return;
    }
  }

  double AgeOf(const ExportedFile& file) LULL_REQUIRES(mutex_) {
    return freshness_[file.path].Observe(
        file.text.Get("lull_uptime_seconds"), file.text.Get("lull_written_timestamp_seconds"),
        static_cast<double>(WallClockMicros()) / 1e6, Clock::System()->NowNanos());
  }

  /// One line when a file cannot be read any more, not one for each scrape.
  void ReportChange(const std::string& path, const Status& status) LULL_REQUIRES(mutex_) {
    const std::string text = status.ok() ? "" : status.ToString();
    std::string& last = problems_[path];
    if (text != last && !text.empty()) std::fprintf(stderr, "lull: %s\n", text.c_str());
    last = text;
  }

  const std::vector<std::string> paths_;
  Mutex mutex_;
  std::map<std::string, Freshness> freshness_ LULL_GUARDED_BY(mutex_);
  std::map<std::string, std::string> problems_ LULL_GUARDED_BY(mutex_);
  std::map<std::string, BackupInfo> backups_ LULL_GUARDED_BY(mutex_);  // the newest, by directory
};

/// The port that it bound, or 0.
int Bind(const ListenAddress& address, httplib::Server* server) {
  if (address.port != 0) return server->bind_to_port(address.host, address.port) ? address.port : 0;
  const int port = server->bind_to_any_port(address.host);
  return port > 0 ? port : 0;
}

/// Serves GET /metrics until the process ends. Returns only after an error.
Status ServeMetrics(const ListenAddress& address, const std::vector<std::string>& paths) {
  Exporter exporter(paths);
  httplib::Server server;
  server.new_task_queue = [] { return new httplib::ThreadPool(kServerThreads); };
  // The library's default would let a second exporter share the port.
  server.set_socket_options([](socket_t socket) {
    const int yes = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, reinterpret_cast<const char*>(&yes), sizeof(yes));
  });
  server.Get("/metrics", [&](const httplib::Request&, httplib::Response& response) {
    response.set_content(exporter.Scrape(), "text/plain; version=0.0.4; charset=utf-8");
  });
  server.Get("/", [](const httplib::Request&, httplib::Response& response) {
    response.set_content("Lull: the metrics are at /metrics\n", "text/plain");
  });
  errno = 0;
  ListenAddress bound = address;
  bound.port = Bind(address, &server);
  if (bound.port == 0) {
    return Status::IOError(
        "--listen=" + address.Text(),
        std::string("cannot listen: ") +
            (errno == 0 ? "the address is not of this machine" : std::strerror(errno)) +
            "; choose another address or port");
  }
  if (!address.IsLoopback()) {
    std::fprintf(stderr,
                 "lull: --listen=%s: other machines can read the metrics, without a password\n",
                 address.Text().c_str());
  }
  PrintLine("http://" + bound.Text() + "/metrics");
  if (!FlushOutput()) return Status::OK();  // whose cause the program prints at its end
  server.listen_after_bind();
  return Status::IOError("--listen=" + bound.Text(), "the server ended");
}

}  // namespace

int RunExport(const Invocation& call) {
  ListenAddress address;
  Status status = ParseListenAddress(call.listen, &address);
  if (!status.ok()) {
    Fail(status, call.json);
    return kUsage;
  }
  status = CheckPaths(leveldb::Env::Default(), call.paths);
  if (status.ok()) status = ServeMetrics(address, call.paths);
  return status.ok() ? kFailed : Fail(status, call.json);
}

}  // namespace lull::tools

#else

int lull::tools::RunExport(const Invocation& call) {
  return Fail(leveldb::Status::NotSupported(
                  "export: this program was built without cpp-httplib (Debian: libcpp-httplib-dev)",
                  "let node_exporter's textfile collector read the stats files instead"),
              call.json);
}

#endif
