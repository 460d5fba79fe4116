/* Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
   The interface of version 0.1, without comments; see interface_test.py. */
#ifndef LULL_INCLUDE_LULL_VERSION_H_
#define LULL_INCLUDE_LULL_VERSION_H_ 
#define LULL_VERSION_MAJOR 0
#define LULL_VERSION_MINOR 1
#define LULL_VERSION_PATCH 0
#define LULL_VERSION_STRING "0.1.0"
#endif
