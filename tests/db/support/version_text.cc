// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "tests/db/support/version_text.h"

#include <cstdlib>
#include <regex>
#include <sstream>
#include <utility>

#include "db/report/properties.h"

namespace lull::testing {

std::string KeyFromText(const std::string& text, uint64_t default_sequence) {
  const size_t at = text.find('@');
  const uint64_t sequence =
      at == std::string::npos ? default_sequence : std::stoull(text.substr(at + 1));
  return MakeInternalKey(text.substr(0, at), sequence, ValueKind::kValue);
}

VersionEdit EditFromText(const std::string& text, std::vector<std::pair<int, uint64_t>> deleted) {
  static const std::regex kTable(R"((\d+):\[([^.\]]*)\.\.([^\]]*)\](?:\*([0-9.]+))?)");
  VersionEdit edit;
  edit.deleted_tables = std::move(deleted);
  std::istringstream words(text);
  int level = -1;
  for (std::string word; words >> word;) {
    if (word[0] == 'L') {
      level = word[1] - '0';
      continue;
    }
    std::smatch match;
    if (level < 0 || !std::regex_match(word, match, kTable)) std::abort();
    TableMeta table;
    table.level = level;
    table.number = std::stoull(match[1]);
    table.smallest = KeyFromText(match[2], table.number);
    table.largest = KeyFromText(match[3], table.number);
    const double mib = match[4].matched ? std::stod(match[4]) : 1;
    table.file_bytes = static_cast<uint64_t>(mib * 1048576);
    edit.new_tables.push_back(std::move(table));
  }
  return edit;
}

VersionRef Applied(VersionRef base, const std::vector<VersionEdit>& edits,
                   VersionBuilder::MakeTable make) {
  VersionBuilder builder(std::move(base), std::move(make));
  for (const VersionEdit& edit : edits) {
    if (!builder.Apply(edit).ok()) return nullptr;
  }
  VersionRef result;
  return builder.Build(&result).ok() ? result : nullptr;
}

void SetContents(const Version& version, uint64_t number, const TableContents& contents) {
  for (int level = 0; level < kLevels; ++level) {
    for (const TableRef& table : version.level(level)) {
      if (table->number() == number) table->contents = contents;
    }
  }
}

std::string Numbers(const std::vector<TableRef>& tables) {
  std::string text;
  for (const TableRef& table : tables) {
    if (!text.empty()) text += ' ';
    text += std::to_string(table->number());
  }
  return text;
}

std::string TablesText(const Version& version) {
  std::string text;
  RenderProperty("leveldb.sstables", {.version = &version}, &text);
  return text;
}

std::string PlanText(const std::optional<CompactionPlan>& plan) {
  if (!plan) return "nothing";
  std::string text = "L" + std::to_string(plan->level) + " " + Numbers(plan->upper);
  if (!plan->lower.empty()) text += " + " + Numbers(plan->lower);
  if (!plan->grandparents.empty()) text += " | " + Numbers(plan->grandparents);
  for (const std::string& fence : plan->fences) text += " #" + fence;
  if (plan->trivial_move) text += " move";
  if (plan->least_bad) text += " !";
  return text;
}

}  // namespace lull::testing
