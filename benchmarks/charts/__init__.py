# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""The page and the charts of benchmarks/report."""
