# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#
# Installs the library, headers, a CMake package, pkg-config files, and the programs with manual
# page and bash completion. A drop-in build (LULL_DROP_IN) also installs LevelDB's packages.

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

install(TARGETS lull EXPORT lullTargets
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.h")

# Installs the CMake package NAME made from cmake/NAMEConfig.cmake.in.
function(lull_install_package name version compatibility)
  set(folder "${CMAKE_INSTALL_LIBDIR}/cmake/${name}")
  configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/${name}Config.cmake.in"
    "${PROJECT_BINARY_DIR}/package/${name}Config.cmake" INSTALL_DESTINATION "${folder}")
  write_basic_package_version_file("${PROJECT_BINARY_DIR}/package/${name}ConfigVersion.cmake"
    VERSION ${version} COMPATIBILITY ${compatibility})
  install(FILES
    "${PROJECT_BINARY_DIR}/package/${name}Config.cmake"
    "${PROJECT_BINARY_DIR}/package/${name}ConfigVersion.cmake"
    DESTINATION "${folder}")
endfunction()

# Installs NAME.pc. Its paths are relative to its own location, so the prefix can be moved. An
# archive does not record its dependencies, so for an archive NAME.pc lists them.
function(lull_install_pkgconfig name version)
  set(pc_name ${name})
  set(pc_version ${version})
  set(pc_library $<TARGET_FILE_BASE_NAME:lull>)
  get_target_property(type lull TYPE)
  file(RELATIVE_PATH up "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
  string(REGEX REPLACE "/$" "" pc_prefix "\${pcfiledir}/${up}")
  set(pc_more "")
  if(type STREQUAL "STATIC_LIBRARY")
    set(pc_more " -pthread")
    foreach(library IN LISTS LULL_COMPRESSION)
      string(REPLACE "lull::" " -l" flag "${library}")
      set(pc_more "${flag}${pc_more}")
    endforeach()
  endif()
  configure_file("${PROJECT_SOURCE_DIR}/cmake/lull.pc.in"
    "${PROJECT_BINARY_DIR}/package/${name}.pc.in" @ONLY)
  file(GENERATE OUTPUT "${PROJECT_BINARY_DIR}/package/${name}.pc"
    INPUT "${PROJECT_BINARY_DIR}/package/${name}.pc.in")
  install(FILES "${PROJECT_BINARY_DIR}/package/${name}.pc"
    DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endfunction()

install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/NOTICE"
  DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(EXPORT lullTargets NAMESPACE lull:: DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/lull")
install(FILES "${PROJECT_SOURCE_DIR}/cmake/LullFindLibrary.cmake"
  DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/lull")
# Until 1.0, the interface can change with each minor version.
lull_install_package(lull ${PROJECT_VERSION} SameMinorVersion)
lull_install_pkgconfig(lull ${PROJECT_VERSION})
if(LULL_DROP_IN)
  lull_install_package(leveldb ${LULL_LEVELDB_VERSION} SameMajorVersion)
  lull_install_pkgconfig(leveldb ${LULL_LEVELDB_VERSION})
endif()

if(LULL_BUILD_TOOLS)
  install(TARGETS lull_tool leveldbutil RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
  install(FILES "${PROJECT_SOURCE_DIR}/db/tools/lull.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
  install(FILES "${PROJECT_SOURCE_DIR}/db/tools/lull.bash"
    DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions" RENAME lull)
endif()
