// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The entry of a target that is linked with libFuzzer.
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  lull::fuzz::RunOne(lull::fuzz::Input(data, size));
  return 0;
}
