// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The byte encodings of LevelDB's files: little-endian fixed integers, base-128 varints and
// length-prefixed strings.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>

#include "leveldb/slice.h"

namespace lull {

inline uint16_t SwapBytes(uint16_t value) { return __builtin_bswap16(value); }
inline uint32_t SwapBytes(uint32_t value) { return __builtin_bswap32(value); }
inline uint64_t SwapBytes(uint64_t value) { return __builtin_bswap64(value); }

/// Converts between the byte order of the machine and little-endian.
template <typename Integer>
inline Integer LittleEndian(Integer value) {
  if constexpr (std::endian::native == std::endian::big) return SwapBytes(value);
  return value;
}

template <typename Integer>
inline void EncodeFixed(char* out, Integer value) {
  value = LittleEndian(value);
  std::memcpy(out, &value, sizeof(value));
}
template <typename Integer>
inline Integer DecodeFixed(const char* in) {
  Integer value;
  std::memcpy(&value, in, sizeof(value));
  return LittleEndian(value);
}
inline void EncodeFixed16(char* out, uint16_t value) { EncodeFixed(out, value); }
inline void EncodeFixed32(char* out, uint32_t value) { EncodeFixed(out, value); }
inline void EncodeFixed64(char* out, uint64_t value) { EncodeFixed(out, value); }
inline uint16_t DecodeFixed16(const char* in) { return DecodeFixed<uint16_t>(in); }
inline uint32_t DecodeFixed32(const char* in) { return DecodeFixed<uint32_t>(in); }
inline uint64_t DecodeFixed64(const char* in) { return DecodeFixed<uint64_t>(in); }

constexpr int kVarint32BytesMax = 5;
constexpr int kVarint64BytesMax = 10;

/// Writes at `out`, which has room for the maximum; returns the end of the output.
char* EncodeVarint32(char* out, uint32_t value);

void PutFixed32(std::string* out, uint32_t value);
void PutFixed64(std::string* out, uint64_t value);
void PutVarint32(std::string* out, uint32_t value);
void PutVarint64(std::string* out, uint64_t value);
void PutLengthPrefixed(std::string* out, const leveldb::Slice& value);

/// Read from [in, limit); return the end of the input read, or nullptr if the value is truncated or
/// too long.
const char* DecodeVarint32Slow(const char* in, const char* limit, uint32_t* value);
const char* DecodeVarint64(const char* in, const char* limit, uint64_t* value);
inline const char* DecodeVarint32(const char* in, const char* limit, uint32_t* value) {
  if (in < limit && (static_cast<unsigned char>(*in) & 0x80) == 0) {
    *value = static_cast<unsigned char>(*in);
    return in + 1;
  }
  return DecodeVarint32Slow(in, limit, value);
}

/// Read from the front of `input` and advance it. Return false, with `input` unspecified, if
/// malformed.
bool GetFixed64(leveldb::Slice* input, uint64_t* value);
bool GetVarint32(leveldb::Slice* input, uint32_t* value);
bool GetVarint64(leveldb::Slice* input, uint64_t* value);
bool GetLengthPrefixed(leveldb::Slice* input, leveldb::Slice* value);

}  // namespace lull
