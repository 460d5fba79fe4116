/* Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.

   The version of these headers; lull::VersionString() and lull_version_string() return the
   library's. Until 1.0, a program runs with every library of the minor version that it was compiled
   with, or a later patch of it. */

#ifndef LULL_INCLUDE_LULL_VERSION_H_
#define LULL_INCLUDE_LULL_VERSION_H_

#define LULL_VERSION_MAJOR 0
#define LULL_VERSION_MINOR 1
#define LULL_VERSION_PATCH 0
#define LULL_VERSION_STRING "0.1.0"

#endif /* LULL_INCLUDE_LULL_VERSION_H_ */
