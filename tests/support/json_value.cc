// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "tests/support/json_value.h"

#include <nlohmann/json.hpp>

namespace lull::testing {

Json::Json() : value_(std::make_shared<nlohmann::json>()) {}

Json Json::Parse(std::string_view text) {
  return Json(std::make_shared<const nlohmann::json>(nlohmann::json::parse(text)));
}

bool Json::Accepts(std::string_view text) { return nlohmann::json::accept(text); }

Json Json::operator[](std::string_view member) const {
  return Part(value_->at(std::string(member)));
}

Json Json::operator[](size_t index) const { return Part(value_->at(index)); }

bool Json::contains(std::string_view member) const { return value_->contains(std::string(member)); }

size_t Json::size() const { return value_->size(); }

std::vector<Json> Json::Values() const {
  std::vector<Json> values;
  for (const nlohmann::json& value : *value_) values.push_back(Part(value));
  return values;
}

double Json::Number() const { return value_->get<double>(); }

uint64_t Json::Count() const { return value_->get<uint64_t>(); }

std::string Json::Text() const { return value_->get<std::string>(); }

bool Json::operator==(const Json& other) const { return *value_ == *other.value_; }

void PrintTo(const Json& json, std::ostream* out) { *out << json.value_->dump(); }

}  // namespace lull::testing
