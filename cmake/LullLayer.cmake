# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#
# lull_add_layer(NAME): the sources of the current folder as object library lull_NAME.
#
# lull_add_library(NAME LAYERS layer...): those objects as the library that programs link, with
# alias NAME::NAME, and as NAME_internal for tests and benchmarks, which may also include and call
# what the library hides.

function(lull_add_layer name)
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cc")
  if(NOT sources)
    add_library(lull_${name} INTERFACE)
    return()
  endif()
  add_library(lull_${name} OBJECT ${sources})
  lull_compile_options(lull_${name})
  target_include_directories(lull_${name} PRIVATE
    "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/include")
  target_link_libraries(lull_${name} PRIVATE lull::snappy lull::zstd Threads::Threads)
endfunction()

# Makes a library of the given kind ("" for what BUILD_SHARED_LIBS says) from the layers' objects.
function(lull_make_library name kind layers)
  set(objects)
  foreach(layer IN LISTS layers)
    get_target_property(type lull_${layer} TYPE)
    if(type STREQUAL "OBJECT_LIBRARY")
      list(APPEND objects "$<TARGET_OBJECTS:lull_${layer}>")
    endif()
  endforeach()
  add_library(${name} ${kind} ${objects})
  lull_compile_options(${name})
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
  target_include_directories(${name} PUBLIC
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>" "$<INSTALL_INTERFACE:include>")
  target_link_libraries(${name} PRIVATE lull::snappy lull::zstd Threads::Threads)
endfunction()

function(lull_add_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LAYERS")
  lull_make_library(${name} "" "${arg_LAYERS}")
  add_library(${name}::${name} ALIAS ${name})

  set(archive ${name})
  if(BUILD_SHARED_LIBS)
    # A shared library hides what tests call, so they get an archive of the same objects.
    set(archive ${name}_archive)
    lull_make_library(${archive} STATIC "${arg_LAYERS}")
  endif()
  add_library(${name}_internal INTERFACE)
  target_include_directories(${name}_internal INTERFACE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${name}_internal INTERFACE ${archive} Threads::Threads)
endfunction()
