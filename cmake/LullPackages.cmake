# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#
# Describes the packages that cpack makes of the installed components: .deb (LULL_PACKAGES=deb) or
# .rpm (rpm). cmake/package calls it. A drop-in build makes one package, with the library that
# replaces LevelDB's; any other build makes three: the library, what builds need, and the programs.

# lull_describe_package(COMPONENT DEB_NAME RPM_NAME SECTION SUMMARY TEXT)
function(lull_describe_package component deb rpm section summary text)
  string(TOUPPER ${component} id)
  set(name ${${LULL_PACKAGES}})
  set(CPACK_COMPONENT_${id}_DESCRIPTION "${text}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${id}_PACKAGE_NAME ${deb} PARENT_SCOPE)
  set(CPACK_DEBIAN_${id}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_DEBIAN_${id}_DESCRIPTION "${summary}\n${text}" PARENT_SCOPE)
  set(CPACK_RPM_${id}_PACKAGE_NAME ${rpm} PARENT_SCOPE)
  set(CPACK_RPM_${id}_PACKAGE_SUMMARY "${summary}" PARENT_SCOPE)
  set(CPACK_COMPONENTS_ALL ${CPACK_COMPONENTS_ALL} ${component} PARENT_SCOPE)

  set(folder "${CMAKE_INSTALL_DATADIR}/doc/${name}")
  if(LULL_PACKAGES STREQUAL "deb")
    install(FILES "${LULL_PACKAGE_FILES}/copyright" "${LULL_PACKAGE_FILES}/changelog.Debian.gz"
      DESTINATION "${folder}" COMPONENT ${component})
  else()
    install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/NOTICE"
      DESTINATION "${folder}" COMPONENT ${component})
  endif()
endfunction()

# lull_compress(FILE RESULT)
function(lull_compress file result)
  execute_process(COMMAND gzip -9 --no-name --stdout "${file}" OUTPUT_FILE "${result}"
    COMMAND_ERROR_IS_FATAL ANY)
endfunction()

set(LULL_PACKAGE_FILES "${PROJECT_BINARY_DIR}/package")
set(CPACK_PACKAGE_NAME lull)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_VENDOR "The Lull Authors")
set(CPACK_PACKAGE_CONTACT "The Lull Authors <lull@localdomain.net>" CACHE STRING
    "Maintainer of the packages")
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}/packages")
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_COMPONENTS_ALL)

if(LULL_PACKAGES STREQUAL "deb")
  # SOURCE_DATE_EPOCH sets the date.
  string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
  file(WRITE "${LULL_PACKAGE_FILES}/changelog"
"lull (${PROJECT_VERSION}-1) unstable; urgency=medium

  * Release ${PROJECT_VERSION}.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
  lull_compress("${LULL_PACKAGE_FILES}/changelog" "${LULL_PACKAGE_FILES}/changelog.Debian.gz")
  file(READ "${PROJECT_SOURCE_DIR}/LICENSE" license)
  file(READ "${PROJECT_SOURCE_DIR}/NOTICE" notice)
  file(WRITE "${LULL_PACKAGE_FILES}/copyright" "${license}\n${notice}")
  set(CPACK_GENERATOR DEB)
  set(CPACK_DEB_COMPONENT_INSTALL ON)
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
  set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${PROJECT_BINARY_DIR}")
  set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
  file(WRITE "${LULL_PACKAGE_FILES}/triggers" "activate-noawait ldconfig\n")
  set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA "${LULL_PACKAGE_FILES}/triggers")
else()
  set(CPACK_GENERATOR RPM)
  set(CPACK_RPM_COMPONENT_INSTALL ON)
  set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
  set(CPACK_RPM_PACKAGE_LICENSE BSD-3-Clause)
  set(CPACK_RPM_PACKAGE_GROUP Unspecified)
  set(CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION
    ${CMAKE_INSTALL_PREFIX}/share/man ${CMAKE_INSTALL_PREFIX}/share/man/man1
    ${CMAKE_INSTALL_PREFIX}/share/bash-completion
    ${CMAKE_INSTALL_PREFIX}/share/bash-completion/completions
    ${CMAKE_INSTALL_PREFIX}/share/zsh ${CMAKE_INSTALL_PREFIX}/share/zsh/site-functions
    ${CMAKE_INSTALL_PREFIX}/share/fish ${CMAKE_INSTALL_PREFIX}/share/fish/vendor_completions.d)
endif()

string(CONCAT LULL_IS
  "Lull is an embedded key-value store with the interface and files of LevelDB.\n"
  "Its background scheduler keeps bursts of writes from waiting for compactions.\n")
set(LULL_SHORT_VERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
if(LULL_DROP_IN)
  string(REPLACE "libleveldb.so." "" soversion "${LULL_DROP_IN}")
  lull_describe_package(runtime libleveldb${soversion}-lull lull-leveldb libs
    "Lull as a drop-in replacement for LevelDB's library"
    "${LULL_IS}This package is for programs linked with LevelDB's library ${LULL_DROP_IN}.")
  set(CPACK_DEBIAN_RUNTIME_PACKAGE_PROVIDES "libleveldb${soversion} (= ${LULL_LEVELDB_VERSION})")
  set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONFLICTS libleveldb${soversion})
  set(CPACK_DEBIAN_RUNTIME_PACKAGE_REPLACES libleveldb${soversion})
  set(CPACK_RPM_RUNTIME_PACKAGE_PROVIDES "leveldb = ${LULL_LEVELDB_VERSION}")
  set(CPACK_RPM_RUNTIME_PACKAGE_CONFLICTS leveldb)
else()
  lull_describe_package(runtime liblull${LULL_SHORT_VERSION} lull libs
    "Embedded key-value store for bursts of writes" "${LULL_IS}This package has the library.")
  lull_describe_package(dev liblull-dev lull-devel libdevel
    "Embedded key-value store for bursts of writes (development files)"
    "${LULL_IS}This package has the headers, and files for CMake and pkg-config.")
  lull_describe_package(tools lull-tools lull-tools database
    "Programs to inspect and maintain Lull and LevelDB stores"
    "${LULL_IS}This package has the programs lull and leveldbutil.")
  set(library "liblull${LULL_SHORT_VERSION} (= ${PROJECT_VERSION}-1)")
  set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "${library}")
  set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS "${library}")
  # Both have LevelDB's headers.
  set(CPACK_DEBIAN_DEV_PACKAGE_CONFLICTS libleveldb-dev)
  set(CPACK_RPM_DEV_PACKAGE_REQUIRES "lull = ${PROJECT_VERSION}")
  set(CPACK_RPM_DEV_PACKAGE_CONFLICTS leveldb-devel)
endif()
include(CPack)
