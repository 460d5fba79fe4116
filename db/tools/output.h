// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Output of the program lull: text or JSON on standard output, errors on standard error.
//
// Keys and values are bytes. In text, printable ASCII is literal, a backslash is \\, and any other
// byte is \xNN; input has the same form. With --hex, all bytes are hexadecimal.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "leveldb/slice.h"
#include "leveldb/status.h"

namespace lull::tools {

using Json = nlohmann::ordered_json;

/// Exit codes of the program.
enum ExitCode : int {
  kDone = 0,
  kFailed = 1,    ///< no such store, store in use, I/O error
  kUsage = 2,     ///< invalid command line
  kNotFound = 3,  ///< get: no such key
  kDamaged = 4,   ///< a file violates its format or checksum
};

enum class Coding { kText, kHex };

std::string Encode(const leveldb::Slice& bytes, Coding coding);
/// The inverse of Encode; nullopt if `text` is not in that form.
std::optional<std::string> Decode(const std::string& text, Coding coding);

/// "512 B", "1.5 MiB".
std::string BytesText(uint64_t bytes);

/// Prints bytes, or a line, on standard output. Returns false once a line could not be written, so
/// that a long output can end.
bool PrintBytes(const std::string& bytes);
bool PrintLine(const std::string& line);

/// Writes what PrintLine has buffered. Returns whether the whole output so far is written.
bool FlushOutput();

/// The last call of the program: flushes the output, and prints an error if some of it was not
/// written. Then the exit code is not 0. A closed pipe is no error worth a message.
int FinishOutput(int exit_code);

/// One line of JSON; returns as PrintLine.
bool PrintJson(const Json& value);

/// Prints a result as JSON or as text; returns kDone.
int PrintResult(bool json, const Json& value, const std::string& text);

/// The library's advice names its functions; the program's names its commands.
std::string MessageOf(const std::string& text);

/// Prints the error as text or JSON; returns its exit code.
int Fail(const leveldb::Status& status, bool json);

}  // namespace lull::tools
