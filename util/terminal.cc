// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

#include "util/terminal.h"

#include <unistd.h>

namespace lull {

bool IsTerminal(std::FILE* file) { return isatty(fileno(file)) == 1; }

}  // namespace lull
