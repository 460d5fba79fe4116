// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#pragma once

#include <cstdio>

namespace lull {

/// Whether a person sees at once what is written to `file`.
bool IsTerminal(std::FILE* file);

}  // namespace lull
