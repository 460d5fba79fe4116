// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "benchmarks/db_bench/result_files.h"

#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace lull::bench {
namespace {

// Columns of intervals.csv. Values that an interval does not have stay empty.
constexpr std::array kColumns = {"store",
                                 "benchmark",
                                 "date",
                                 "at_seconds",
                                 "phase",
                                 "offered_per_s",
                                 "ops_per_s",
                                 "mb_per_s",
                                 "written_mb_per_s",
                                 "p50_us",
                                 "p99_us",
                                 "p999_us",
                                 "max_us",
                                 "write_p50_us",
                                 "write_p99_us",
                                 "write_p999_us",
                                 "write_max_us",
                                 "read_p50_us",
                                 "read_p99_us",
                                 "read_p999_us",
                                 "read_max_us",
                                 "l0_tables",
                                 "level_bytes",
                                 "debt_bytes",
                                 "store_memory_bytes",
                                 "rss_bytes",
                                 "background_mb_per_s",
                                 "background_read_mb_per_s",
                                 "device_mb_per_s",
                                 "device_read_mb_per_s",
                                 "cpus",
                                 "stolen_cpus"};

std::FILE* Append(const std::string& path, const char* flag) {
  std::FILE* const file = std::fopen(path.c_str(), "a");
  if (file == nullptr) {
    std::fprintf(stderr, "%s: cannot open %s for writing: %s\n", flag, path.c_str(),
                 std::strerror(errno));
  }
  return file;
}

std::string Cell(const nlohmann::json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  std::string cell;  // parts separated by spaces
  for (const nlohmann::json& part : value) cell += (cell.empty() ? "" : " ") + part.dump();
  return cell;
}

std::string Row(const nlohmann::json& interval) {
  std::string row;
  for (const char* const column : kColumns) {
    if (column != kColumns.front()) row += ',';
    if (interval.contains(column)) row += Cell(interval[column]);
  }
  return row + '\n';
}

std::string Header() {
  std::string row;
  for (const char* const column : kColumns) row.append(row.empty() ? "" : ",").append(column);
  return row + '\n';
}

// "b4-60-lull-write": replaces characters that are inconvenient in file names.
std::string FileStem(std::string text) {
  for (char& c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '-';
  }
  return text;
}

bool Put(std::FILE* file, const std::string& text) {
  return std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fflush(file) == 0;
}

}  // namespace

std::unique_ptr<ResultFiles> ResultFiles::Open(const std::string& json_path,
                                               const std::string& directory) {
  auto files = std::unique_ptr<ResultFiles>(new ResultFiles());
  if (!json_path.empty()) {
    files->json_.emplace_back(Append(json_path, "--json"));
    if (files->json_.back() == nullptr) return nullptr;
  }
  if (directory.empty()) return files;
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  const std::string csv = directory + "/intervals.csv";
  const bool is_new = !std::filesystem::exists(csv, error);
  files->directory_ = directory;
  files->json_.emplace_back(Append(directory + "/results.jsonl", "--results"));
  if (files->json_.back() == nullptr) return nullptr;
  files->csv_.reset(Append(csv, "--results"));
  if (files->csv_ == nullptr) return nullptr;
  if (is_new) Put(files->csv_.get(), Header());
  return files;
}

bool ResultFiles::Write(const Result& result, const Config& config, const std::string& store,
                        const std::string& store_version,
                        const std::vector<nlohmann::json>& intervals) {
  const nlohmann::json object = ToJson(result, config, store, store_version);
  bool good = true;
  for (nlohmann::json interval : intervals) {
    for (const char* const name :
         {"store", "store_kind", "date", "scheduling", "rocksdb_profile"}) {
      interval[name] = object[name];
    }
    for (const File& file : json_) good &= Put(file.get(), interval.dump() + '\n');
    if (csv_) good &= Put(csv_.get(), Row(interval));
  }
  for (const File& file : json_) good &= Put(file.get(), object.dump() + '\n');
  if (!directory_.empty() && result.timed) good &= WriteTables(result, store);
  if (!good) std::fprintf(stderr, "results: incomplete write: %s\n", std::strerror(errno));
  return good;
}

bool ResultFiles::WriteTables(const Result& result, const std::string& store) {
  bool good = true;
  result.ForEachKind([&](const char* name, const Histogram& latency) {
    const std::string stem = FileStem(result.name + '-' + store + '-' + name);
    // An existing file is from an earlier run.
    std::string path = directory_ + '/' + stem + ".hgrm";
    for (int run = 2; std::filesystem::exists(path); ++run) {
      path = directory_ + '/' + stem + '-' + std::to_string(run) + ".hgrm";
    }
    std::ofstream file(path);
    file << latency.HgrmText();
    good &= file.good();
  });
  return good;
}

}  // namespace lull::bench
