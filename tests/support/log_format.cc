// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#include "tests/support/log_format.h"

namespace lull::testing {

void AppendVarint(uint64_t value, std::string* out) {
  for (; value > 0x7f; value >>= 7) out->push_back(static_cast<char>((value & 0x7f) | 0x80));
  out->push_back(static_cast<char>(value));
}

void AppendLengthPrefixed(std::string_view bytes, std::string* out) {
  AppendVarint(bytes.size(), out);
  out->append(bytes);
}

uint32_t MaskedCrc(std::string_view bytes) {
  uint32_t crc = 0xffffffffu;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 1) != 0 ? (crc >> 1) ^ 0x82f63b78u : crc >> 1;
  }
  crc = ~crc;
  return ((crc << 17) | (crc >> 15)) + 0xa282ead8u;
}

std::string LogRecord(std::string_view payload) {
  constexpr char kWholeRecord = 1;
  const uint32_t crc = MaskedCrc(std::string(1, kWholeRecord) + std::string(payload));
  std::string record;
  for (int shift = 0; shift < 32; shift += 8) record.push_back(static_cast<char>(crc >> shift));
  record.push_back(static_cast<char>(payload.size()));
  record.push_back(static_cast<char>(payload.size() >> 8));
  record.push_back(kWholeRecord);
  record.append(payload);
  return record;
}

}  // namespace lull::testing
