// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// A function that takes every type of lull/*.h. Compiled with the headers of the baseline and with
// the present ones, for abidiff to compare what the debug information says of the types.
#include "lull/c.h"
#include "lull/listener.h"
#include "lull/lull.h"

namespace interface {

__attribute__((visibility("default"))) void UseTypes(
    lull::SchedulingOptions*, lull::EventListener*, lull::JobInfo*, lull::JobKind*,
    lull::JobOutcome*, lull::StallInfo*, lull::StallKind*, lull::WriteStallCause*,
    lull::OptionsInfo*, lull::WritesRefusedInfo*) {}

__attribute__((visibility("default"))) void UseTypesOfC(lull_callbacks_t*, lull_job_info_t*,
                                                        lull_stall_info_t*, lull_options_info_t*,
                                                        lull_refused_info_t*) {}

}  // namespace interface
