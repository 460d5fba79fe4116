# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""The papers of benchmarks/papers: one module each."""

from drivers.papers import adoc, data_driven, silk, vlsm

PAPERS = {paper.name: paper for paper in (data_driven.PAPER, silk.PAPER, adoc.PAPER, vlsm.PAPER)}
