// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include "util/coding.h"

namespace lull {
namespace {

using leveldb::Slice;

/// Seven bits per byte, lowest first. The top bit is set if more bytes follow.
template <typename Unsigned>
char* EncodeVarint(char* out, Unsigned value) {
  while (value > 0x7f) {
    *out++ = static_cast<char>(value | 0x80);
    value >>= 7;
  }
  *out++ = static_cast<char>(value);
  return out;
}

/// Drops bits of the last permitted byte that exceed the width of `Unsigned`, as LevelDB does.
template <typename Unsigned, int kBytesMax>
const char* DecodeVarint(const char* in, const char* limit, Unsigned* value) {
  Unsigned sum = 0;
  for (int i = 0; i < kBytesMax && in + i < limit; i++) {
    const auto byte = static_cast<unsigned char>(in[i]);
    sum |= static_cast<Unsigned>(static_cast<Unsigned>(byte & 0x7f) << (7 * i));
    if (byte < 0x80) {
      *value = sum;
      return in + i + 1;
    }
  }
  return nullptr;
}

/// Advances `input` to `end`, a position inside it or null; returns false if null.
bool AdvanceTo(Slice* input, const char* end) {
  if (end == nullptr) return false;
  input->remove_prefix(static_cast<size_t>(end - input->data()));
  return true;
}

}  // namespace

char* EncodeVarint32(char* out, uint32_t value) { return EncodeVarint(out, value); }

void PutFixed32(std::string* out, uint32_t value) {
  char bytes[sizeof(value)];
  EncodeFixed32(bytes, value);
  out->append(bytes, sizeof(bytes));
}

void PutFixed64(std::string* out, uint64_t value) {
  char bytes[sizeof(value)];
  EncodeFixed64(bytes, value);
  out->append(bytes, sizeof(bytes));
}

void PutVarint32(std::string* out, uint32_t value) {
  char bytes[kVarint32BytesMax];
  out->append(bytes, static_cast<size_t>(EncodeVarint(bytes, value) - bytes));
}

void PutVarint64(std::string* out, uint64_t value) {
  char bytes[kVarint64BytesMax];
  out->append(bytes, static_cast<size_t>(EncodeVarint(bytes, value) - bytes));
}

void PutLengthPrefixed(std::string* out, const Slice& value) {
  PutVarint32(out, static_cast<uint32_t>(value.size()));
  out->append(value.data(), value.size());
}

const char* DecodeVarint32Slow(const char* in, const char* limit, uint32_t* value) {
  return DecodeVarint<uint32_t, kVarint32BytesMax>(in, limit, value);
}

const char* DecodeVarint64(const char* in, const char* limit, uint64_t* value) {
  return DecodeVarint<uint64_t, kVarint64BytesMax>(in, limit, value);
}

bool GetFixed64(Slice* input, uint64_t* value) {
  if (input->size() < sizeof(*value)) return false;
  *value = DecodeFixed64(input->data());
  input->remove_prefix(sizeof(*value));
  return true;
}

bool GetVarint32(Slice* input, uint32_t* value) {
  return AdvanceTo(input, DecodeVarint32(input->data(), input->data() + input->size(), value));
}

bool GetVarint64(Slice* input, uint64_t* value) {
  return AdvanceTo(input, DecodeVarint64(input->data(), input->data() + input->size(), value));
}

bool GetLengthPrefixed(Slice* input, Slice* value) {
  uint32_t size;
  if (!GetVarint32(input, &size) || size > input->size()) return false;
  *value = Slice(input->data(), size);
  input->remove_prefix(size);
  return true;
}

}  // namespace lull
