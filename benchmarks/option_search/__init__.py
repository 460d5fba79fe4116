# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""The search of benchmarks/tune."""
