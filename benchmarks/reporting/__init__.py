# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Parts of benchmarks/report."""
