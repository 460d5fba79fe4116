// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// options: the table of scheduling options, for people and, with --json, for scripts.
#include <string>
#include <vector>

#include "db/base/option_table.h"
#include "db/tools/commands.h"

namespace lull::tools {
namespace {

const char* UnitText(OptionUnit unit) {
  constexpr const char* kNames[] = {"name",    "path",    "flag",
                                    "count",   "percent", "microseconds",
                                    "seconds", "bytes",   "bytes per second"};
  return kNames[static_cast<size_t>(unit)];
}

const char* GroupText(OptionGroup group) {
  constexpr const char* kNames[] = {"common", "layout", "policy"};
  return kNames[static_cast<size_t>(group)];
}

/// "0: one more than cores, at most 4" where 0 stands for something, otherwise the value.
std::string DefaultText(const OptionRow& row) {
  const std::string value = OptionText(row, OptionValues());
  if (value.empty()) return "none";
  const bool means_more = value == "0" && !row.zero_means.empty();
  return means_more ? "0: " + std::string(row.zero_means) : value;
}

void Print(const OptionRow& row, bool json) {
  const std::string name(row.name), unit(UnitText(row.unit)), meaning(row.meaning);
  PrintResult(json,
              {{"name", name},
               {"group", GroupText(row.group)},
               {"unit", unit},
               {"values", OptionRangeText(row)},
               {"default", DefaultText(row)},
               {"live", row.is_live()},
               {"meaning", meaning}},
              name + " = " + DefaultText(row) + "\n    " + unit + "; " + OptionRangeText(row) +
                  "; " + (row.is_live() ? "live" : "set at open") + "\n    " + meaning);
}

}  // namespace

std::string OptionNamesText() {
  std::string text;
  OptionGroup group{};
  for (const OptionRow& row : OptionTable()) {
    if (text.empty() || row.group != group) {
      text += std::string(text.empty() ? "" : "\n") + "Options (" + GroupText(row.group) + "):\n";
    }
    group = row.group;
    text += "  " + std::string(row.name) + "\n";
  }
  return text;
}

int RunOptions(const Invocation& call) {
  std::vector<const OptionRow*> wanted;
  for (const std::string& name : call.options) {
    wanted.push_back(FindOption(name));
    if (wanted.back() != nullptr) continue;
    Fail(
        leveldb::Status::InvalidArgument("no option is called " + name,
                                         "the nearest is " + std::string(NearestOption(name).name)),
        call.json);
    return kUsage;
  }
  if (wanted.empty()) {
    for (const OptionRow& row : OptionTable()) wanted.push_back(&row);
  }
  for (const OptionRow* row : wanted) Print(*row, call.json);
  return kDone;
}

}  // namespace lull::tools
