// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "db/tools/output.h"

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <utility>

#include "util/logging.h"

namespace lull::tools {
namespace {

/// Decodes the two hexadecimal digits at `at`.
std::optional<char> HexByte(const std::string& text, size_t at) {
  if (at + 2 > text.size()) return std::nullopt;
  const char* const digits = text.data() + at;
  unsigned char byte = 0;
  const bool is_valid = std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2;
  return is_valid ? std::optional(static_cast<char>(byte)) : std::nullopt;
}

/// Of the first write that failed; 0: none has. Only the main thread prints.
int output_errno = 0;

bool NoteOutput(bool written) {
  if (!written && output_errno == 0) output_errno = errno;
  return output_errno == 0;
}

}  // namespace

std::string Encode(const leveldb::Slice& bytes, Coding coding) {
  std::string text;
  for (size_t i = 0; i < bytes.size(); ++i) {
    const char byte = bytes[i];
    if (coding == Coding::kHex) {
      AppendHex(byte, &text);
    } else if (byte == '\\') {
      text += "\\\\";
    } else if (byte >= ' ' && byte <= '~') {
      text.push_back(byte);
    } else {
      text += "\\x";
      AppendHex(byte, &text);
    }
  }
  return text;
}

std::optional<std::string> Decode(const std::string& text, Coding coding) {
  std::string bytes;
  for (size_t at = 0; at < text.size();) {
    if (coding == Coding::kText && text[at] != '\\') {
      bytes.push_back(text[at++]);
    } else if (coding == Coding::kText && text.compare(at, 2, "\\\\") == 0) {
      bytes.push_back('\\');
      at += 2;
    } else {
      if (coding == Coding::kText && text.compare(at, 2, "\\x") != 0) return std::nullopt;
      if (coding == Coding::kText) at += 2;
      const std::optional<char> byte = HexByte(text, at);
      if (!byte) return std::nullopt;
      bytes.push_back(*byte);
      at += 2;
    }
  }
  return bytes;
}

std::string BytesText(uint64_t bytes) {
  static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  auto value = static_cast<double>(bytes);
  while (value >= 1024 && unit + 1 < std::size(kUnits)) {
    value /= 1024;
    ++unit;
  }
  return Format("%.*f %s", unit == 0 ? 0 : 1, value, kUnits[unit]);
}

bool PrintBytes(const std::string& bytes) {
  return NoteOutput(std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size());
}

bool PrintLine(const std::string& line) {
  return PrintBytes(line) && NoteOutput(std::putc('\n', stdout) != EOF);
}

bool FlushOutput() {
  // The parser of the command line prints too, without PrintLine.
  return NoteOutput(std::fflush(stdout) == 0 && std::ferror(stdout) == 0);
}

int FinishOutput(int exit_code) {
  if (FlushOutput()) return exit_code;
  if (output_errno != EPIPE)
    std::fprintf(stderr, "lull: cannot write output: %s\n", std::strerror(output_errno));
  return exit_code == kDone ? kFailed : exit_code;
}

bool PrintJson(const Json& value) {
  // Replaces invalid UTF-8, which for example a directory name can contain, instead of failing.
  return PrintLine(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

int PrintResult(bool json, const Json& value, const std::string& text) {
  if (json) {
    PrintJson(value);
  } else {
    PrintLine(text);
  }
  return kDone;
}

std::string MessageOf(const std::string& text) {
  static constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {"RepairDB", "lull repair"},
      {"does not exist (create_if_missing is false)", "contains no store"},
  };
  std::string message = text;
  for (const auto& [library, program] : kWords) {
    const size_t at = message.find(library);
    if (at != message.npos) message.replace(at, library.size(), program);
  }
  return message;
}

int Fail(const leveldb::Status& status, bool json) {
  const std::string message = MessageOf(status.ToString());
  if (json) {
    PrintJson({{"error", message}});
  } else {
    std::fprintf(stderr, "lull: %s\n", message.c_str());
  }
  return status.IsCorruption() ? kDamaged : kFailed;
}

}  // namespace lull::tools
