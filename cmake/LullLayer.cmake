# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#
# lull_add_layer(NAME folder...): builds the sources of the current folder and of these subfolders
# as object library lull_NAME.
#
# lull_add_library(NAME LAYERS layer...): builds those objects as the library that programs link,
# with alias NAME::NAME, and as NAME_internal for tests and benchmarks, which can also include and
# call internal code. The library itself is target NAME, or leveldb where it takes LevelDB's place;
# LULL_LIBRARY is set to that.
#
# lull_make_drop_in(TARGET FILE): makes a library of those objects replace LevelDB's. FILE is its
# soname, or libleveldb.a.

function(lull_add_layer name)
  list(TRANSFORM ARGN REPLACE "(.+)" "${CMAKE_CURRENT_SOURCE_DIR}/\\1/*.cc" OUTPUT_VARIABLE folders)
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cc" ${folders})
  if(NOT sources)
    add_library(lull_${name} INTERFACE)
    return()
  endif()
  add_library(lull_${name} OBJECT ${sources})
  lull_batch(lull_${name})
  lull_compile_options(lull_${name})
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # Programs use stores until they end: in the destructors of their own static and thread-local
    # objects. So the library destroys none of its own.
    target_compile_options(lull_${name} PRIVATE -Werror=exit-time-destructors)
  endif()
  target_include_directories(lull_${name} PRIVATE
    "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/include")
  target_link_libraries(lull_${name} PRIVATE ${LULL_COMPRESSION} Threads::Threads)
endfunction()

# Limits the exported names of a shared library, and gives Lull's a version. Where the linker has no
# version scripts, the names marked LEVELDB_EXPORT are exported.
function(lull_limit_exports name)
  if(WIN32 OR APPLE)
    return()
  endif()
  set(script "${PROJECT_SOURCE_DIR}/cmake/exports.map")
  target_link_options(${name} PRIVATE
    "LINKER:--version-script=${script}" "LINKER:--exclude-libs,ALL")
  set_target_properties(${name} PROPERTIES LINK_DEPENDS "${script}")
endfunction()

# Makes a library of the given kind ("": BUILD_SHARED_LIBS decides) from the layers' objects.
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
  target_link_libraries(${name} PRIVATE ${LULL_COMPRESSION} Threads::Threads)
  if(WIN32)
    target_link_libraries(${name} PRIVATE synchronization)
  endif()
  get_target_property(type ${name} TYPE)
  if(type STREQUAL "SHARED_LIBRARY")
    lull_limit_exports(${name})
    set_target_properties(${name} PROPERTIES
      VERSION ${PROJECT_VERSION}
      SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  endif()
endfunction()

# The objects of a layer are compiled with what a project sets for the library, whenever it does.
function(lull_take_compile_settings layer library)
  get_target_property(type ${layer} TYPE)
  if(type STREQUAL "OBJECT_LIBRARY")
    target_compile_options(${layer} PRIVATE $<TARGET_PROPERTY:${library},COMPILE_OPTIONS>)
    target_compile_definitions(${layer} PRIVATE $<TARGET_PROPERTY:${library},COMPILE_DEFINITIONS>)
  endif()
endfunction()

function(lull_make_drop_in name file)
  set_target_properties(${name} PROPERTIES OUTPUT_NAME leveldb)
  if(file STREQUAL "libleveldb.a")
    return()
  endif()
  string(REPLACE "libleveldb.so." "" soversion "${file}")
  set_target_properties(${name} PROPERTIES
    VERSION ${LULL_LEVELDB_VERSION} SOVERSION ${soversion})
endfunction()

function(lull_add_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LAYERS")
  set(target ${name})
  if((LULL_DROP_IN OR NOT PROJECT_IS_TOP_LEVEL) AND NOT TARGET leveldb)
    # A project that adds LevelDB's folder to its build links one of these names, or sets properties
    # of the first.
    set(target leveldb)
  endif()
  lull_make_library(${target} "" "${arg_LAYERS}")
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} EXPORT_NAME ${name})
  if(LULL_DROP_IN)
    lull_make_drop_in(${target} "${LULL_DROP_IN}")
  endif()
  if(target STREQUAL "leveldb")
    add_library(${name} ALIAS leveldb)
    add_library(leveldb::leveldb ALIAS leveldb)
    foreach(layer IN LISTS arg_LAYERS)
      lull_take_compile_settings(lull_${layer} leveldb)
    endforeach()
  endif()
  add_library(${name}::${name} ALIAS ${target})
  set(LULL_LIBRARY ${target} PARENT_SCOPE)

  set(archive ${name})
  if(BUILD_SHARED_LIBS)
    # A shared library hides functions that tests call, so tests get an archive of the same objects.
    set(archive ${name}_archive)
    lull_make_library(${archive} STATIC "${arg_LAYERS}")
  endif()
  add_library(${name}_internal INTERFACE)
  target_include_directories(${name}_internal INTERFACE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${name}_internal INTERFACE ${archive} Threads::Threads)
endfunction()
