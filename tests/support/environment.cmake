# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#
# For ctest. In a shell that runs other programs on the drop-in library, programs with stock LevelDB
# would use Lull. Tests that swap the library set these variables themselves.

unset(ENV{LD_LIBRARY_PATH})
unset(ENV{LD_PRELOAD})
