// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// Exceptions, which come from clients' code and the standard library. In a build without them
// (-fno-exceptions) nothing is caught, and what would throw ends the process.
#pragma once

#include <exception>
#include <string>

#ifdef __cpp_exceptions
#define LULL_TRY try
#define LULL_CATCH catch (...)
#define LULL_RETHROW throw
#define LULL_THROW(what) throw what
#else
#define LULL_TRY if (true)
#define LULL_CATCH else
#define LULL_RETHROW std::terminate()
#define LULL_THROW(what) std::terminate()
#endif

namespace lull {

/// What the exception says that LULL_CATCH has caught.
inline std::string ExceptionText() {
#ifdef __cpp_exceptions
  try {
    throw;
  } catch (const std::exception& exception) {
    return exception.what();
  } catch (...) {
  }
#endif
  return "an exception of an unknown type";
}

}  // namespace lull
