// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// For Windows 10 and later.
#include "util/os.h"

#include <io.h>
#include <windows.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "util/windows/file.h"
#include "util/windows/text.h"

namespace lull::os {

// ---- memory

size_t PageBytes() {
  SYSTEM_INFO info;
  GetSystemInfo(&info);
  return info.dwPageSize;
}

char* MapMemory(size_t bytes) {
  return static_cast<char*>(VirtualAlloc(nullptr, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE));
}

void UnmapMemory(char* start, size_t) { VirtualFree(start, 0, MEM_RELEASE); }

int FaultIn(void*, size_t) { return EINVAL; }

/// The pages stay committed, but leave the working set without being written to the page file.
void DropPages(void* start, size_t bytes) {
  VirtualAlloc(start, bytes, MEM_RESET, PAGE_READWRITE);
  VirtualUnlock(start, bytes);
}

// ---- the calling thread

void NameThread(const char* name) {
  // Older SDKs do not declare it.
  using SetDescription = HRESULT(WINAPI*)(HANDLE, PCWSTR);
  static const auto set = reinterpret_cast<SetDescription>(reinterpret_cast<void*>(
      GetProcAddress(GetModuleHandleW(L"kernelbase.dll"), "SetThreadDescription")));
  if (set != nullptr) set(GetCurrentThread(), windows::Wide(name).c_str());
}

uint64_t ThreadId() { return GetCurrentThreadId(); }

// THREAD_PRIORITY_IDLE is below every other thread of normal processes. A thread that is ready for
// some seconds without running is still boosted for a moment, so it cannot hold a lock for ever.
void EnterIdleClass() { SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_IDLE); }
bool IsInIdleClass() { return GetThreadPriority(GetCurrentThread()) == THREAD_PRIORITY_IDLE; }

void WithoutSignals(const std::function<void()>& call) { call(); }
void ShortenSlices() {}

// ---- waiting

bool WaitWhile(const std::atomic<uint32_t>* word, uint32_t value, uint64_t nanos) {
  constexpr uint64_t kNanosPerMilli = 1'000'000;
  const uint64_t millis = std::min<uint64_t>(nanos / kNanosPerMilli + 1, INFINITE);
  auto* const address = const_cast<std::atomic<uint32_t>*>(word);
  return WaitOnAddress(address, &value, sizeof(value), static_cast<DWORD>(millis)) ||
         GetLastError() != ERROR_TIMEOUT;
}

void WakeAll(const std::atomic<uint32_t>* word) {
  WakeByAddressAll(const_cast<std::atomic<uint32_t>*>(word));
}

// ---- the process and the machine

void OnFork(void (*)()) {}
const char* Environment(const char* name) { return std::getenv(name); }
bool IsTerminal(std::FILE* file) { return _isatty(_fileno(file)) != 0; }

std::tm LocalTime(std::time_t seconds) {
  std::tm local = {};
  localtime_s(&local, &seconds);
  return local;
}

std::string RealName(const std::string& name) {
  windows::UniqueHandle file;
  if (!windows::Open(name, 0, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, &file).ok()) return "";
  std::wstring real;
  real.resize(GetFinalPathNameByHandleW(file.get(), nullptr, 0, VOLUME_NAME_DOS));
  real.resize(GetFinalPathNameByHandleW(file.get(), real.data(), static_cast<DWORD>(real.size()),
                                        VOLUME_NAME_DOS));
  // Without the prefix, which forbids names with slashes.
  if (real.starts_with(L"\\\\?\\UNC\\")) return windows::Utf8(L"\\" + real.substr(7));
  if (real.starts_with(L"\\\\?\\")) real.erase(0, 4);
  return windows::Utf8(real);
}

int CoreCount() {
  DWORD_PTR usable = 0;
  DWORD_PTR all = 0;
  int count = 0;
  if (GetProcessAffinityMask(GetCurrentProcess(), &usable, &all) != 0) {
    for (; usable != 0; usable &= usable - 1) ++count;
  }
  return std::max(count, 1);
}

bool HasArmCrc32c() {
  constexpr DWORD kFeature = 31;  // PF_ARM_V8_CRC32_INSTRUCTIONS_AVAILABLE
  return IsProcessorFeaturePresent(kFeature) != 0;
}

}  // namespace lull::os
