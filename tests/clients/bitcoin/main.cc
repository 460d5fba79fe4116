// Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
//
// The main program of the tests of dbwrapper, and what Bitcoin Core's programs define.

#define BOOST_TEST_MODULE dbwrapper
#include <boost/test/included/unit_test.hpp>

#include <util/translation.h>

const TranslateFn G_TRANSLATION_FUN{nullptr};
