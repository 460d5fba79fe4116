// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The language of transcripts: a command is a line of words. Sizes take K, M and G, times us, ms
// and s.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "scheduler/policy.h"

namespace lull::testing {

using Words = std::vector<std::string>;

inline constexpr uint64_t kSliceUs = 1'000;  // of a job

/// Runs the commands of one transcript.
class Script {
 public:
  virtual ~Script() = default;
  /// Returns the output, whose lines end in '\n'; nullopt if the command is invalid.
  virtual std::optional<std::string> Run(const Words& words) = 0;
};

/// Indexed by EventKind.
inline constexpr std::string_view kEventNames[] = {"opened",  "tick",     "sealed",
                                                   "flushed", "job-done", "job-failed"};

/// A key of KEY=VALUE, and what it sets.
struct Key {
  void Set(uint64_t value) const;

  std::string_view name;
  std::variant<int*, uint64_t*, bool*, CpuPriority*> field;
};

/// Sets what the words say, from word `first` on. False if one is not KEY=NUMBER with a known key.
bool SetKeys(const Words& words, size_t first, std::span<const Key> keys);

/// False unless the text is a number with one of the suffixes. Times are in microseconds.
bool ReadNumber(const std::string& text, uint64_t* value);
std::string SizeText(uint64_t bytes);
std::string TimeText(uint64_t us);

/// policy_script.cc and dispatcher_script.cc describe their commands.
std::unique_ptr<Script> NewPolicyScript();
std::unique_ptr<Script> NewDispatcherScript();

/// One line for people. Fields without a value in it are not granted.
std::string DirectiveText(const Directive& directive);

}  // namespace lull::testing
