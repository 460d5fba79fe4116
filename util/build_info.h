// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// What this build was made from. Constant; any thread.
#pragma once

#include <string>

namespace lull {

/// The commit of the source, with "-dirty" if files differ from it; "unknown" if the source was not
/// a git work tree.
const char* BuildCommit();
/// For example "gcc 12.2.0".
std::string BuildCompiler();
/// "@(#)Lull 0.1.0, commit COMMIT", at most 128 bytes. LOG prints it without "@(#)", so every file
/// that contains the library contains it, where what(1) and `lull which` find it.
const char* BuildMark();

}  // namespace lull
