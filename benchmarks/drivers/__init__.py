# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""What the scripts of benchmarks/ share, and what each measures and shows."""
