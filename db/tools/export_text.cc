// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/tools/export_text.h"

#include <cstdio>
#include <map>
#include <string_view>

namespace lull::tools {
namespace {

std::string Quoted(std::string_view label, std::string_view escaped) {
  return std::string(label) + "=\"" + std::string(escaped) + "\"";
}

std::string Fixed(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.3f", value);
  return text;
}

std::string Head(const std::string& name, const std::string& help, const std::string& type) {
  return "# HELP " + name + " " + help + "\n# TYPE " + name + " " + type + "\n";
}

class Page {
 public:
  explicit Page(const std::vector<ExportedFile>& files) {
    std::map<std::string, int> stores;
    for (const ExportedFile& file : files) {
      if (file.was_read) ++stores[file.text.store_label()];
    }
    for (const ExportedFile& file : files) {
      if (!file.was_read) continue;
      std::string labels = Quoted("store", file.text.store_label());
      if (stores[file.text.store_label()] > 1)
        labels += "," + Quoted("file", EscapedLabel(file.path));
      ages_ += "lull_stats_file_age_seconds{" + labels + "} " + Fixed(file.age_seconds) + "\n";
      for (const MetricFamily& family : file.text.families()) Add(family, labels);
    }
    for (const ExportedFile& file : files) {
      ups_ += "lull_stats_file_up{" + Quoted("file", EscapedLabel(file.path)) + "} " +
              (file.was_read ? "1\n" : "0\n");
    }
  }

  std::string Text() const {
    std::string text;
    for (const std::string& family : families_) text += family;
    text +=
        Head("lull_stats_file_age_seconds", "Time since the store wrote its stats file.", "gauge") +
        ages_;
    return text + Head("lull_stats_file_up", "1 if the stats file was read.", "gauge") + ups_;
  }

 private:
  void Add(const MetricFamily& family, const std::string& labels) {
    const auto [place, is_new] = places_.try_emplace(family.name, families_.size());
    if (is_new) families_.push_back(Head(family.name, family.help, family.type));
    std::string& text = families_[place->second];
    for (const MetricSample& sample : family.samples) {
      text += sample.name + "{" + labels + (sample.labels.empty() ? "" : ",") + sample.labels +
              "} " + sample.number + "\n";
    }
  }

  std::map<std::string, size_t> places_;  // of families, by name
  std::vector<std::string> families_;
  std::string ages_;
  std::string ups_;
};

}  // namespace

std::string ExportText(const std::vector<ExportedFile>& files) { return Page(files).Text(); }

}  // namespace lull::tools
