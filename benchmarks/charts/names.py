# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""What the pictures of a report are called."""

import re


def picture_name(title):
    """The file of the chart that the page calls `title`."""
    return re.sub(r'[^A-Za-z0-9.]+', '-', title).strip('-') + '.png'
