// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// How the program lull speaks: text or JSON on standard output, trouble and progress on standard
// error.
//
// Keys and values are bytes. As text, printable ASCII stands for itself, a backslash for \\, every
// other byte for \xNN; what the program prints so, it also reads so. With --hex all are
// hexadecimal.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "leveldb/slice.h"
#include "leveldb/status.h"

namespace lull::tools {

using Json = nlohmann::ordered_json;

/// The program's exit codes.
enum ExitCode : int {
  kDone = 0,
  kFailed = 1,    ///< could not do it: no such store, in use, I/O error
  kUsage = 2,     ///< did not understand the command line
  kNotFound = 3,  ///< get: no such key
  kDamaged = 4,   ///< the store contradicts its format or its checksums
};

enum class Coding { kText, kHex };

std::string Encode(const leveldb::Slice& bytes, Coding coding);
/// nullopt for a text that Encode cannot have made.
std::optional<std::string> Decode(const std::string& text, Coding coding);

/// "512 B", "1.5 MiB".
std::string BytesText(uint64_t bytes);

/// One line of JSON.
void PrintJson(const Json& value);

/// Prints the error as text or JSON; returns the exit code for it.
int Fail(const leveldb::Status& status, bool json);

/// A line on standard error that shows how far a long piece of work is, where that is a terminal.
/// One thread.
class Progress {
 public:
  Progress(const char* what, uint64_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void Advance(uint64_t amount);

 private:
  const char* const what_;
  const uint64_t total_;
  const bool visible_;
  uint64_t done_ = 0;
  uint64_t shown_percent_ = UINT64_MAX;
};

}  // namespace lull::tools
