// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include "util/crc32c.h"

#include <array>
#include <atomic>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "util/coding.h"
#include "util/os.h"

namespace lull::crc32c {
namespace {

/// The polynomial with its bits reflected: bit 31 is the coefficient of x^0.
constexpr uint32_t kPolynomial = 0x82f63b78u;

/// Times x, modulo the polynomial, in reflected bits.
constexpr uint32_t TimesX(uint32_t value) {
  return (value >> 1) ^ ((value & 1) != 0 ? kPolynomial : 0u);
}

/// kTables[k][b]: the register after byte `b` and `k` zero bytes.
constexpr auto kTables = [] {
  std::array<std::array<uint32_t, 256>, 8> tables{};
  for (uint32_t byte = 0; byte < 256; byte++) {
    uint32_t remainder = byte;
    for (int bit = 0; bit < 8; bit++) remainder = TimesX(remainder);
    tables[0][byte] = remainder;
  }
  for (size_t k = 1; k < tables.size(); k++) {
    for (uint32_t byte = 0; byte < 256; byte++) {
      const uint32_t shorter = tables[k - 1][byte];
      tables[k][byte] = (shorter >> 8) ^ tables[0][shorter & 0xff];
    }
  }
  return tables;
}();

inline uint64_t Load64(const unsigned char* in) {
  return DecodeFixed64(reinterpret_cast<const char*>(in));
}

// One instruction takes 8 bytes. Its result takes three cycles, but a new one can start every
// cycle. So long input is split into three lanes that advance in parallel. The lane registers are
// joined at the end: a register is a polynomial modulo P, and the bytes of the lanes that follow
// multiply it by x^(8 * their number).
constexpr size_t kLaneBytes[] = {2048, 512, 128};

#if defined(__x86_64__)

/// x^exponent modulo the polynomial.
constexpr uint32_t PowerOfX(size_t exponent) {
  uint32_t value = 0x80000000u;
  while (exponent-- > 0) value = TimesX(value);
  return value;
}

/// crc * x^(8 * kBytes). The carry-less product of two reflected values is their product times x.
/// The CRC of the resulting 64-bit word multiplies by x^32 and reduces. So the constant omits 33
/// powers.
template <size_t kBytes>
__attribute__((target("sse4.2,pclmul"))) inline uint32_t ShiftBehind(uint32_t crc) {
  constexpr uint32_t kFactor = PowerOfX(8 * kBytes - 33);
  const __m128i product = _mm_clmulepi64_si128(_mm_cvtsi32_si128(static_cast<int>(crc)),
                                               _mm_cvtsi32_si128(static_cast<int>(kFactor)), 0);
  return static_cast<uint32_t>(_mm_crc32_u64(0, static_cast<uint64_t>(_mm_cvtsi128_si64(product))));
}

template <size_t kLane>
__attribute__((target("sse4.2,pclmul"))) inline uint32_t ThreeLanes(uint32_t crc,
                                                                    const unsigned char* in) {
  uint64_t first = crc, second = 0, third = 0;
  for (size_t i = 0; i < kLane; i += 8) {
    first = _mm_crc32_u64(first, Load64(in + i));
    second = _mm_crc32_u64(second, Load64(in + kLane + i));
    third = _mm_crc32_u64(third, Load64(in + 2 * kLane + i));
  }
  return ShiftBehind<2 * kLane>(static_cast<uint32_t>(first)) ^
         ShiftBehind<kLane>(static_cast<uint32_t>(second)) ^ static_cast<uint32_t>(third);
}

__attribute__((target("sse4.2,pclmul"))) uint32_t ExtendSse42(uint32_t crc, const char* data,
                                                              size_t size) {
  const auto* in = reinterpret_cast<const unsigned char*>(data);
  uint32_t state = ~crc;
  for (; size >= 3 * kLaneBytes[0]; in += 3 * kLaneBytes[0], size -= 3 * kLaneBytes[0])
    state = ThreeLanes<kLaneBytes[0]>(state, in);
  for (; size >= 3 * kLaneBytes[1]; in += 3 * kLaneBytes[1], size -= 3 * kLaneBytes[1])
    state = ThreeLanes<kLaneBytes[1]>(state, in);
  for (; size >= 3 * kLaneBytes[2]; in += 3 * kLaneBytes[2], size -= 3 * kLaneBytes[2])
    state = ThreeLanes<kLaneBytes[2]>(state, in);
  uint64_t wide = state;
  for (; size >= 8; in += 8, size -= 8) wide = _mm_crc32_u64(wide, Load64(in));
  state = static_cast<uint32_t>(wide);
  for (; size > 0; in++, size--) state = _mm_crc32_u8(state, *in);
  return ~state;
}

#elif defined(__aarch64__)

/// Inline assembly, because compilers differ in how a single function can use more than the base
/// architecture.
inline uint32_t Crc32cDoubleword(uint32_t crc, uint64_t word) {
  asm(".arch_extension crc\n\tcrc32cx %w0, %w0, %x1" : "+r"(crc) : "r"(word));
  return crc;
}
inline uint32_t Crc32cByte(uint32_t crc, uint32_t byte) {
  asm(".arch_extension crc\n\tcrc32cb %w0, %w0, %w1" : "+r"(crc) : "r"(byte));
  return crc;
}

/// kBehind<n>[k][b]: byte `k` of a register, with value `b`, after n zero bytes. Four lookups join
/// a lane.
template <size_t kBytes>
constexpr auto kBehind = [] {
  uint32_t shifted[32] = {};
  for (int bit = 31; bit >= 0; bit--) {
    uint32_t value = 1u << bit;
    for (size_t i = 0; i < kBytes; i++) value = (value >> 8) ^ kTables[0][value & 0xff];
    shifted[bit] = value;
  }
  std::array<std::array<uint32_t, 256>, 4> tables{};
  for (size_t k = 0; k < 4; k++)
    for (size_t byte = 0; byte < 256; byte++)
      for (size_t bit = 0; bit < 8; bit++)
        if ((byte >> bit & 1) != 0) tables[k][byte] ^= shifted[8 * k + bit];
  return tables;
}();

template <size_t kBytes>
inline uint32_t ShiftBehind(uint32_t crc) {
  const auto& tables = kBehind<kBytes>;
  return tables[0][crc & 0xff] ^ tables[1][crc >> 8 & 0xff] ^ tables[2][crc >> 16 & 0xff] ^
         tables[3][crc >> 24];
}

uint32_t ExtendArmv8(uint32_t crc, const char* data, size_t size) {
  constexpr size_t kLane = kLaneBytes[1];
  const auto* in = reinterpret_cast<const unsigned char*>(data);
  uint32_t state = ~crc;
  for (; size >= 3 * kLane; in += 3 * kLane, size -= 3 * kLane) {
    uint32_t second = 0, third = 0;
    for (size_t i = 0; i < kLane; i += 8) {
      state = Crc32cDoubleword(state, Load64(in + i));
      second = Crc32cDoubleword(second, Load64(in + kLane + i));
      third = Crc32cDoubleword(third, Load64(in + 2 * kLane + i));
    }
    state = ShiftBehind<2 * kLane>(state) ^ ShiftBehind<kLane>(second) ^ third;
  }
  for (; size >= 8; in += 8, size -= 8) state = Crc32cDoubleword(state, Load64(in));
  for (; size > 0; in++, size--) state = Crc32cByte(state, *in);
  return ~state;
}

#endif

struct Choice {
  uint32_t (*extend)(uint32_t crc, const char* data, size_t size);
  const char* name;
};

Choice Choose() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul"))
    return {&ExtendSse42, "sse4.2"};
#elif defined(__aarch64__)
  if (os::HasArmCrc32c()) return {&ExtendArmv8, "armv8"};
#endif
  return {&internal::ExtendPortable, "portable"};
}

uint32_t ChooseAndExtend(uint32_t crc, const char* data, size_t size);

/// Threads that race to replace the first value all store the same one. Constant-initialized, so it
/// is usable before main.
constinit std::atomic<uint32_t (*)(uint32_t, const char*, size_t)> chosen_extend{&ChooseAndExtend};

uint32_t ChooseAndExtend(uint32_t crc, const char* data, size_t size) {
  const Choice choice = Choose();
  chosen_extend.store(choice.extend, std::memory_order_relaxed);
  return choice.extend(crc, data, size);
}

}  // namespace

namespace internal {

uint32_t ExtendPortable(uint32_t crc, const char* data, size_t size) {
  const auto* in = reinterpret_cast<const unsigned char*>(data);
  uint32_t state = ~crc;
  for (; size >= 8; in += 8, size -= 8) {
    const uint64_t word = Load64(in) ^ state;
    state = 0;
    for (size_t k = 0; k < 8; k++) state ^= kTables[7 - k][word >> (8 * k) & 0xff];
  }
  for (; size > 0; in++, size--) state = (state >> 8) ^ kTables[0][(state ^ *in) & 0xff];
  return ~state;
}

}  // namespace internal

uint32_t Extend(uint32_t crc, const char* data, size_t size) {
  return chosen_extend.load(std::memory_order_relaxed)(crc, data, size);
}

const char* Implementation() { return Choose().name; }

}  // namespace lull::crc32c
