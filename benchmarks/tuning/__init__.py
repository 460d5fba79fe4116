# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""What benchmarks/tune is made of."""
