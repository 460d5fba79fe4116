// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "tests/support/recorded_run.h"

#include <charconv>
#include <iterator>
#include <sstream>
#include <string_view>
#include <system_error>
#include <variant>

namespace lull::testing {
namespace {

using PressureMember = std::variant<int Pressure::*, uint64_t Pressure::*, bool Pressure::*>;
using OptionMember = std::variant<int PolicyOptions::*, uint64_t PolicyOptions::*>;

struct PressureField {
  std::string_view name;
  PressureMember member;
  bool is_total = false;
};

constexpr PressureField kPressureFields[] = {
    {"used", &Pressure::memory_used_bytes},
    {"budget", &Pressure::memory_budget_bytes},
    {"immutable", &Pressure::immutable_bytes},
    {"immutables", &Pressure::immutables},
    {"flush_rate", &Pressure::flush_bytes_per_sec},
    {"l0", &Pressure::l0_tables},
    {"l0_bytes", &Pressure::l0_bytes},
    {"l1_bytes", &Pressure::l1_bytes},
    {"debt", &Pressure::debt_bytes},
    {"l0_due", &Pressure::l0_due},
    {"deep_due", &Pressure::deep_due},
    {"l0_running", &Pressure::l0_running},
    {"deep_running", &Pressure::deep_running},
    {"deep_paused", &Pressure::deep_paused},
    {"background", &Pressure::background_bytes_total, true},
    {"l0_slices", &Pressure::l0_slices_total, true},
    {"deep_slices", &Pressure::deep_slices_total, true},
    {"active", &Pressure::active_bytes},
    {"memtable", &Pressure::memtable_bytes},
    {"client", &Pressure::client_bytes_total, true},
    {"read", &Pressure::client_read_bytes_total, true},
    {"l0_misses", &Pressure::l0_misses_total, true},
    {"idle", &Pressure::idle_us},
    {"drain", &Pressure::drain_requested},
};

struct OptionField {
  std::string_view name;
  OptionMember member;
};

constexpr OptionField kOptionFields[] = {
    {"threads", &PolicyOptions::compaction_threads}, {"l0_trigger", &PolicyOptions::l0_trigger},
    {"l0_slowdown", &PolicyOptions::l0_slowdown},    {"l0_stop", &PolicyOptions::l0_stop},
    {"debt_max", &PolicyOptions::debt_bytes_max},    {"memtable", &PolicyOptions::memtable_bytes},
    {"table", &PolicyOptions::table_bytes},
};

struct EventName {
  std::string_view name;
  EventKind event;
};

constexpr EventName kEvents[] = {
    {"opened", EventKind::kOpened},    {"tick", EventKind::kTick},
    {"sealed", EventKind::kSealed},    {"flushed", EventKind::kFlushed},
    {"job-done", EventKind::kJobDone}, {"job-failed", EventKind::kJobFailed},
};

template <class Struct, class Member>
uint64_t Get(const Struct& from, const Member& member) {
  return std::visit([&](auto field) { return static_cast<uint64_t>(from.*field); }, member);
}

template <class Struct, class Member>
void Set(Struct* to, const Member& member, uint64_t value) {
  std::visit(
      [&](auto field) {
        to->*field = static_cast<std::remove_reference_t<decltype(to->*field)>>(value);
      },
      member);
}

bool ReadNumber(std::string_view text, uint64_t* value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

/// Splits "name=5" or "name+=5".
bool ReadPair(std::string_view word, std::string_view* name, bool* grows, uint64_t* value) {
  const size_t equals = word.find('=');
  if (equals == word.npos || equals == 0) return false;
  *grows = word[equals - 1] == '+';
  *name = word.substr(0, equals - (*grows ? 1 : 0));
  return ReadNumber(word.substr(equals + 1), value);
}

std::string ReadHeader(std::istringstream* words, RecordedRun* run) {
  std::string word;
  if (!(*words >> word) || word != "policy" || !(*words >> run->policy)) return "no policy";
  while (*words >> word) {
    std::string_view name;
    bool grows = false;
    uint64_t value = 0;
    bool known = false;
    if (ReadPair(word, &name, &grows, &value) && !grows) {
      for (const OptionField& field : kOptionFields) {
        if (field.name != name) continue;
        Set(&run->options, field.member, value);
        known = true;
      }
    }
    if (!known) return "cannot read \"" + word + "\"";
  }
  return "";
}

std::string ReadMoment(std::istringstream* words, RecordedRun::Moment* moment) {
  std::string word;
  uint64_t elapsed_us = 0;
  if (!(*words >> word) || word[0] != '+' ||
      !ReadNumber(std::string_view(word).substr(1), &elapsed_us)) {
    return "no time";
  }
  moment->now_us += elapsed_us;
  *words >> word;
  const auto* event = std::begin(kEvents);
  while (event != std::end(kEvents) && event->name != word) ++event;
  if (event == std::end(kEvents)) return "no such event \"" + word + "\"";
  moment->event = event->event;
  while (*words >> word) {
    std::string_view name;
    bool grows = false;
    uint64_t value = 0;
    bool known = false;
    if (ReadPair(word, &name, &grows, &value)) {
      for (const PressureField& field : kPressureFields) {
        if (field.name != name || field.is_total != grows) continue;
        const uint64_t before = grows ? Get(moment->pressure, field.member) : 0;
        Set(&moment->pressure, field.member, before + value);
        known = true;
      }
    }
    if (!known) return "cannot read \"" + word + "\"";
  }
  return "";
}

}  // namespace

std::string RecordedText(const RecordedRun& run) {
  std::ostringstream text;
  text << "policy " << run.policy;
  for (const OptionField& field : kOptionFields) {
    text << " " << field.name << "=" << Get(run.options, field.member);
  }
  text << "\n";
  RecordedRun::Moment last;
  for (const RecordedRun::Moment& moment : run.moments) {
    text << "+" << moment.now_us - last.now_us;
    for (const EventName& event : kEvents) {
      if (event.event == moment.event) text << " " << event.name;
    }
    for (const PressureField& field : kPressureFields) {
      const uint64_t before = Get(last.pressure, field.member);
      const uint64_t now = Get(moment.pressure, field.member);
      if (now == before) continue;
      if (field.is_total) {
        text << " " << field.name << "+=" << now - before;
      } else {
        text << " " << field.name << "=" << now;
      }
    }
    text << "\n";
    last = moment;
  }
  return text.str();
}

std::string ReadRecorded(const std::string& text, RecordedRun* run) {
  *run = RecordedRun();
  std::istringstream lines(text);
  std::string line;
  size_t number = 0;
  RecordedRun::Moment moment;
  while (std::getline(lines, line)) {
    ++number;
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    const bool header = run->policy.empty();
    const std::string error = header ? ReadHeader(&words, run) : ReadMoment(&words, &moment);
    if (!error.empty()) return "line " + std::to_string(number) + ": " + error;
    if (!header) run->moments.push_back(moment);
  }
  return run->moments.empty() ? "no events" : "";
}

}  // namespace lull::testing
