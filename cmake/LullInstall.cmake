# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#
# Installs, as components:
#   runtime   the shared library
#   dev       what builds need: headers, archive, CMake package, pkg-config files. A drop-in build
#             (LULL_DROP_IN) also installs LevelDB's packages
#   tools     the programs, with manual pages and completion for shells
#   licences  LICENSE and NOTICE

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

if(LULL_PACKAGES STREQUAL "rpm")
  set(CMAKE_INSTALL_SO_NO_EXE OFF)  # on RPM's systems, a library is executable
endif()
install(TARGETS ${LULL_LIBRARY} EXPORT lullTargets
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT dev
  RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT runtime
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT runtime NAMELINK_COMPONENT dev
  INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT dev FILES_MATCHING PATTERN "*.h")

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
    DESTINATION "${folder}" COMPONENT dev)
endfunction()

# Installs NAME.pc. Its paths are relative to its own location, so the prefix can be moved. An
# archive does not record its dependencies, so for an archive NAME.pc lists them.
function(lull_install_pkgconfig name version)
  set(pc_name ${name})
  set(pc_version ${version})
  set(pc_library $<TARGET_FILE_BASE_NAME:lull>)
  get_target_property(type lull TYPE)
  file(RELATIVE_PATH up "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
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
    DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT dev)
endfunction()

# Packages have these in the place and form that their system wants.
if(NOT LULL_PACKAGES)
  install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/NOTICE"
    DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT licences)
endif()
install(EXPORT lullTargets NAMESPACE lull:: DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/lull"
  COMPONENT dev)
install(FILES "${PROJECT_SOURCE_DIR}/cmake/LullFindLibrary.cmake"
  DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/lull" COMPONENT dev)
# Until 1.0, the interface can change with each minor version.
lull_install_package(lull ${PROJECT_VERSION} SameMinorVersion)
lull_install_pkgconfig(lull ${PROJECT_VERSION})
if(LULL_DROP_IN)
  lull_install_package(leveldb ${LULL_LEVELDB_VERSION} SameMajorVersion)
  lull_install_pkgconfig(leveldb ${LULL_LEVELDB_VERSION})
endif()

if(LULL_PACKAGES)
  include(LullPackages)
endif()

if(LULL_BUILD_TOOLS)
  # So that leveldbutil loads the library of its own installation. Packages install the library
  # where every program finds it.
  get_target_property(type lull TYPE)
  if(type STREQUAL "SHARED_LIBRARY" AND NOT LULL_PACKAGES)
    file(RELATIVE_PATH libraries "${CMAKE_INSTALL_FULL_BINDIR}" "${CMAKE_INSTALL_FULL_LIBDIR}")
    set_property(TARGET leveldbutil APPEND PROPERTY
      INSTALL_RPATH "$<IF:$<PLATFORM_ID:Darwin>,@loader_path,$ORIGIN>/${libraries}")
  endif()
  install(TARGETS lull_tool leveldbutil
    RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT tools)
  foreach(program lull leveldbutil)
    set(page "${PROJECT_SOURCE_DIR}/db/tools/${program}.1")
    if(LULL_PACKAGES)
      lull_compress("${page}" "${PROJECT_BINARY_DIR}/package/${program}.1.gz")
      set(page "${PROJECT_BINARY_DIR}/package/${program}.1.gz")
    endif()
    install(FILES "${page}" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT tools)
  endforeach()
  if(TARGET lull_completion)
    # Debian's zsh searches another directory than zsh's own installation.
    set(zsh "site-functions")
    if(LULL_PACKAGES STREQUAL "deb")
      set(zsh "vendor-completions")
    endif()
    foreach(place IN ITEMS "bash:bash-completion/completions/lull" "zsh:zsh/${zsh}/_lull"
        "fish:fish/vendor_completions.d/lull.fish")
      string(REGEX MATCH "^(.*):(.*)/(.*)$" place "${place}")
      install(FILES "${PROJECT_BINARY_DIR}/completion/lull.${CMAKE_MATCH_1}"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/${CMAKE_MATCH_2}" RENAME "${CMAKE_MATCH_3}"
        COMPONENT tools)
    endforeach()
  endif()
endif()
