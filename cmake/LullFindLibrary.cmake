# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#
# lull_find_library(NAME header library): defines the imported target lull::NAME from a header and a
# library of the system, if both exist. Also installed, for programs that link the archive.

function(lull_find_library name header library)
  if(TARGET lull::${name})
    return()
  endif()
  find_path(LULL_${name}_INCLUDE_DIR ${header})
  find_library(LULL_${name}_LIBRARY ${library})
  mark_as_advanced(LULL_${name}_INCLUDE_DIR LULL_${name}_LIBRARY)
  if(NOT LULL_${name}_INCLUDE_DIR OR NOT LULL_${name}_LIBRARY)
    return()
  endif()
  add_library(lull::${name} UNKNOWN IMPORTED GLOBAL)
  set_target_properties(lull::${name} PROPERTIES
    IMPORTED_LOCATION "${LULL_${name}_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${LULL_${name}_INCLUDE_DIR}")
endfunction()
