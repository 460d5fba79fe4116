# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#
# Conan 2: conan create cmake/ports
import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rm, rmdir

ROOT = os.path.join('..', '..')
SOURCES = ['CMakeLists.txt', 'LICENSE', 'NOTICE', 'cmake/*', 'include/*', 'util/*', 'table/*',
           'scheduler/*', 'db/*']  # fmt: skip


class LullConan(ConanFile):
    name = 'lull'
    description = 'Embedded key-value store with the interface and files of LevelDB'
    license = 'BSD-3-Clause'
    topics = ('key-value', 'database', 'leveldb')
    package_type = 'library'
    settings = 'os', 'arch', 'compiler', 'build_type'
    options = {name: [True, False] for name in ('shared', 'snappy', 'zstd', 'zlib')}
    default_options = {'shared': False, 'snappy': True, 'zstd': True, 'zlib': True}

    def set_version(self):
        header = load(self, os.path.join(self.recipe_folder, ROOT, 'include/lull/version.h'))
        self.version = re.search(r'LULL_VERSION_STRING "(.*)"', header)[1]

    def export_sources(self):
        for pattern in SOURCES:
            copy(self, pattern, os.path.join(self.recipe_folder, ROOT), self.export_sources_folder)

    def requirements(self):
        if self.options.snappy:
            self.requires('snappy/[>=1.1.9 <2]')
        if self.options.zstd:
            self.requires('zstd/[>=1.5 <2]')
        if self.options.zlib:
            self.requires('zlib/[>=1.2.11 <2]')

    def validate(self):
        check_min_cppstd(self, 17)  # of programs that include lull/*.h

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables['LULL_SNAPPY'] = bool(self.options.snappy)
        toolchain.cache_variables['LULL_ZSTD'] = bool(self.options.zstd)
        toolchain.cache_variables['LULL_ZLIB'] = bool(self.options.zlib)
        for part in 'TESTS', 'BENCHMARKS', 'TOOLS':
            toolchain.cache_variables[f'LULL_BUILD_{part}'] = False
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        licences = os.path.join(self.package_folder, 'licenses')
        for name in 'LICENSE', 'NOTICE':
            copy(self, name, self.source_folder, licences)
        # Conan writes files of this kind itself.
        rmdir(self, os.path.join(self.package_folder, 'lib', 'cmake'))
        rmdir(self, os.path.join(self.package_folder, 'lib', 'pkgconfig'))
        rmdir(self, os.path.join(self.package_folder, 'share'))
        rm(self, '*.cmake', self.package_folder, recursive=True)

    def package_info(self):
        self.cpp_info.libs = ['lull']
        self.cpp_info.set_property('cmake_target_name', 'lull::lull')
        self.cpp_info.set_property('pkg_config_name', 'lull')
        if self.settings.os in ('Linux', 'FreeBSD'):
            self.cpp_info.system_libs = ['pthread']
        elif self.settings.os == 'Windows':
            self.cpp_info.system_libs = ['synchronization']
