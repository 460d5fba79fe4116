// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/report/space_report.h"

#include "util/json_writer.h"

namespace lull {
namespace {

void WriteFiles(const SpaceReport& report, JsonWriter* json) {
  json->Field("live_bytes", report.LiveBytes());
  json->Field("hidden_bytes", report.hidden_bytes);
  json->Field("overwritten_bytes", report.overwritten_bytes);
  for (const SpaceReport::Kind& kind : SpaceReport::Kinds()) {
    const FileTotals& totals = report.*kind.totals;
    json->Member(kind.name).BeginObject();
    json->Field("count", totals.count);
    json->Field("bytes", totals.bytes);
    json->EndObject();
  }
}

void WriteLevels(const SpaceReport& report, JsonWriter* json) {
  json->Member("levels").BeginArray();
  for (int level = 0; level < kLevels; ++level) {
    const SpaceReport::Level& about = report.levels[level];
    json->BeginObject();
    json->Field("level", level);
    json->Field("values", about.values);
    json->Field("deletions", about.deletions);
    json->Field("unknown_bytes", about.unknown_bytes);
    json->EndObject();
  }
  json->EndArray();
}

void WritePins(const char* name, const SpaceReport::Pins& pins, JsonWriter* json) {
  json->Member(name).BeginObject();
  json->Field("count", pins.count);
  json->Field("oldest_seconds", static_cast<double>(pins.oldest_nanos) / 1e9);
  json->Field("bytes", pins.bytes);
  json->EndObject();
}

}  // namespace

std::span<const SpaceReport::Kind> SpaceReport::Kinds() {
  static constexpr Kind kKinds[] = {
      {"tables", &SpaceReport::tables},
      {"logs", &SpaceReport::logs},
      {"prepared_logs", &SpaceReport::prepared_logs},
      {"pinned_tables", &SpaceReport::pinned_tables},
      {"obsolete_files", &SpaceReport::obsolete_files},
  };
  return kKinds;
}

std::string RenderSpaceJson(const SpaceReport& report) {
  JsonWriter json;
  json.BeginObject();
  WriteFiles(report, &json);
  WriteLevels(report, &json);
  json.Field("oldest_deletion_seconds", report.oldest_deletion_seconds);
  json.Member("reclaim").BeginObject();
  json.Field("compactions", report.reclaim_compactions);
  json.Field("freed_bytes", report.reclaim_freed_bytes);
  json.EndObject();
  json.Member("pins").BeginObject();
  WritePins("readers", report.readers, &json);
  WritePins("snapshots", report.snapshots, &json);
  json.EndObject();
  json.Field("disk_free_bytes", report.disk_free_bytes);
  json.Field("awaited_bytes", report.awaited_bytes);
  json.EndObject();
  return json.Take();
}

}  // namespace lull
