// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/tools/top_stores.h"

#include <algorithm>
#include <utility>

namespace lull::tools {
namespace {

constexpr uint64_t kSearchEveryNanos = 5'000'000'000;

}  // namespace

void TopStores::FindFiles() {
  const uint64_t now = clock_->NowNanos();
  if (now < search_at_nanos_) return;
  without_file_.clear();
  for (const auto& [path, status] : FindSources(env_, paths_).stats) {
    if (status.ok()) {
      watches_.try_emplace(path, path);
    } else {
      without_file_[path] = status;
    }
  }
  search_at_nanos_ = clock_->NowNanos() + kSearchEveryNanos;  // a slow search is not repeated soon
}

void TopStores::Refresh() {
  FindFiles();
  for (auto& [path, watch] : watches_) {
    MetricsText text;
    const leveldb::Status status = ReadStatsFile(env_, path, &text);
    if (status.ok()) {
      watch.Observe(std::move(text), static_cast<double>(env_->NowMicros()) / 1e6,
                    clock_->NowNanos());
    } else {
      watch.Fail(status);
    }
  }
}

std::vector<StoreFigures> TopStores::Rows() const {
  std::vector<StoreFigures> rows;
  for (const auto& [path, watch] : watches_) rows.push_back(watch.Figures());
  for (const auto& [path, status] : without_file_) {
    // Not if it had a file before: then there is a row of a closed store.
    const std::string directory = path.ends_with('/') ? path : path + "/";
    const bool is_shown = std::ranges::any_of(watches_, [&, &own = path](const auto& watched) {
      return watched.first == own || watched.first.starts_with(directory);
    });
    if (is_shown) continue;
    rows.push_back({path, status.ToString(), "", Json::object()});
  }
  return rows;
}

bool TopStores::AwaitsUpdate() const {
  return std::ranges::any_of(watches_, [](const auto& watched) {
    return !watched.second.was_updated() && watched.second.was_read();
  });
}

}  // namespace lull::tools
