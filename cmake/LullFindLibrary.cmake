# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#
# lull_find_library(NAME): defines the imported target lull::NAME from a library of the system and
# its header, if both exist. Also installed, for programs that link the archive.

function(lull_find_library name)
  if(TARGET lull::${name})
    return()
  endif()
  set(names ${name})
  if(name STREQUAL "z")
    set(names zlib z)  # zlib.h; the library is zlib on Windows
  endif()
  list(TRANSFORM names APPEND .h OUTPUT_VARIABLE headers)
  find_path(LULL_${name}_INCLUDE_DIR NAMES ${headers})
  find_library(LULL_${name}_LIBRARY NAMES ${names})
  mark_as_advanced(LULL_${name}_INCLUDE_DIR LULL_${name}_LIBRARY)
  if(NOT LULL_${name}_INCLUDE_DIR OR NOT LULL_${name}_LIBRARY)
    return()
  endif()
  add_library(lull::${name} UNKNOWN IMPORTED GLOBAL)
  set_target_properties(lull::${name} PROPERTIES
    IMPORTED_LOCATION "${LULL_${name}_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${LULL_${name}_INCLUDE_DIR}")
endfunction()
