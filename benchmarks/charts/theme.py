# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Colours, light and dark, and dashes.

A chart is drawn once, with placeholder colours. They become CSS variables in the page, which follow
the reader's light or dark setting, and real colours in a PNG.
"""

import re

# name -> (light, dark). A store has the same colour in every chart. The colours differ in lightness
# as well as hue, so that they are distinguishable without colour vision.
STORES = [
    ('#0b62c4', '#6cb6ff'),
    ('#d4570a', '#ff9d5c'),
    ('#0f8a5f', '#5fd6a4'),
    ('#8a3fb5', '#d29cf5'),
    ('#a8791a', '#f0ca62'),
    ('#c8302e', '#ff8d85'),
    ('#0d7fa5', '#74d3f2'),
    ('#57606a', '#b9c2cc'),
]
# A store's lines also have their own dashes, in points at a width of one point.
DASHES = [
    'solid',
    (0, (5, 1.5)),
    (0, (1.5, 1.2)),
    (0, (6, 1.5, 1.5, 1.5)),
    (0, (10, 3)),
    (0, (3, 3)),
    (0, (6, 1.5, 1.5, 1.5, 1.5, 1.5)),
    (0, (1, 3)),
]
FIXED = {'Lull': 0, 'LevelDB': 1, 'RocksDB': 2, 'RocksDB matched': 3, 'RocksDB tuned': 4}
NAMES = {
    'paper': ('#ffffff', '#15181d'),
    'card': ('#f5f6f8', '#1e232a'),
    'ink': ('#1b1f24', '#e8ebef'),
    'muted': ('#5b6470', '#a3adb9'),
    'grid': ('#dde1e6', '#333b45'),
    'shade': ('#e6ebf2', '#2a313b'),
    # Causes of stalls: different from the stores' colours.
    'memory': ('#2c7a80', '#7fd0d6'),
    'l0': ('#a33b6c', '#f29ac0'),
    'debt': ('#6f7020', '#c9ca6a'),
    'unknown': ('#8b949e', '#8b949e'),
}
NAMES.update({f'store{i}': pair for i, pair in enumerate(STORES)})

# Placeholder of each name: a colour that is used for nothing else.
TOKENS = {name: f'#fe{i:02x}01' for i, name in enumerate(NAMES)}


def color_indices(stores):
    """store -> index of its colour."""
    indices = {store: FIXED[store] for store in stores if store in FIXED}
    spare = [i for i in range(len(STORES)) if i not in indices.values()]
    for store in stores:
        if store not in indices:
            indices[store] = spare.pop(0) if spare else len(indices) % len(STORES)
    return indices


def to_css(svg):
    """Replaces placeholders by CSS variables."""
    for name, token in TOKENS.items():
        svg = svg.replace(token, f'var(--{name})')
    return svg


def light():
    """name -> colour, for pictures with fixed colours."""
    return {name: pair[0] for name, pair in NAMES.items()}


def separate_ids(svg, prefix):
    """Prefixes the ids of a drawing, so that one page can contain several drawings."""
    svg = re.sub(r'\bid="([^"]+)"', rf'id="{prefix}-\1"', svg)
    svg = re.sub(r'url\(#([^)]+)\)', rf'url(#{prefix}-\1)', svg)
    return re.sub(r'href="#([^"]+)"', rf'href="#{prefix}-\1"', svg)


def css_variables(dark):
    return ' '.join(f'--{name}: {pair[dark]};' for name, pair in NAMES.items())
