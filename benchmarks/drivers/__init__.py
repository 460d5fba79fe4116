# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Shared parts of the scripts in benchmarks/: workloads, measurements and tables."""
