# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#
# vcpkg, as an overlay port inside the source: vcpkg install lull --overlay-ports=cmake/ports/vcpkg
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

vcpkg_check_features(OUT_FEATURE_OPTIONS features FEATURES
  snappy LULL_SNAPPY
  zstd LULL_ZSTD
  zlib LULL_ZLIB)
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}" OPTIONS
  ${features} -DLULL_BUILD_TESTS=OFF -DLULL_BUILD_BENCHMARKS=OFF -DLULL_BUILD_TOOLS=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/lull)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE" "${SOURCE_PATH}/NOTICE")
