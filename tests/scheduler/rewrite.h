// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#pragma once

namespace lull::testing {

/// Whether this run was started with --rewrite: transcripts are then replaced by what the policies
/// do now, for a reviewer to read as a diff.
bool RewriteTranscripts();

}  // namespace lull::testing
