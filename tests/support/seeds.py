# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Shared code of the scripts that start lull_driver many times, with options drawn by a seed."""

import os

VSST = "layout=vsst;table_bytes_max=32K"
SCHEDULING = ["policy=lull", "policy=leveldb", "policy=silk", "policy=adoc", "policy=idle-quiet",
              "manifest_bytes_min=1;policy=lull",
              f"policy=leveldb;{VSST};growth_factor=2;vsst_phi=4"]


def strided(count):
    """How many of `count` cases a test runs: see tests/support/setting.h."""
    return max(1, count // int(os.environ.get("LULL_TEST_STRIDE", "1")))


def add_arguments(parser, seeds):
    parser.add_argument("--driver", required=True)
    parser.add_argument("--seeds", type=int, default=seeds)
    parser.add_argument("--first-seed", type=int, default=1)


def run_seeds(args, run_seed):
    """Calls run_seed(args, seed) until it returns an error. Returns an exit code."""
    for seed in range(args.first_seed, args.first_seed + strided(args.seeds)):
        error = run_seed(args, seed)
        if error:
            print(error)
            return 1
    return 0
