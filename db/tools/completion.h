// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Completion scripts for shells, made from the parser of the command line: commands, options, the
// values that an option can have, and directories otherwise.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace lull::tools {

inline constexpr const char* kShells[] = {"bash", "zsh", "fish"};

/// The commands of a command, in the order in which help shows them.
std::vector<const CLI::App*> CommandsOf(const CLI::App& app);

/// The script for one of kShells. `app` has commands, which can have commands themselves.
std::string CompletionScript(const CLI::App& app, const std::string& shell);

}  // namespace lull::tools
