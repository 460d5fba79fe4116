// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#pragma once

#include <cstdio>

namespace lull {

/// True if `file` is a terminal, so that a person sees the output at once.
bool IsTerminal(std::FILE* file);

}  // namespace lull
