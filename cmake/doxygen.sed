# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
#
# Turns ordinary comments into those that Doxygen reads.
s,^( *)// ,\1/// ,
s,^( *)//$,\1///,
s,^( *)/[*] ,\1/** ,
