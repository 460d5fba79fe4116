// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#pragma once

namespace lull::testing {

/// Whether this run was started with --rewrite, which replaces the transcripts with the current
/// output, for review as a diff.
bool RewriteTranscripts();

}  // namespace lull::testing
