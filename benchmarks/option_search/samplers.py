# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Samplers choose the next trial's point.

suggest() returns a point, or None when no points are left. register(point, cost) reports the
result; a lower cost is better. replay(points and costs) brings a new sampler to the state of one
with the same seed after those trials.
"""

import logging
import random
import warnings

INITIAL_SHARE_MAX = 0.5  # of all trials: the rest use what was learned from these
TRIALS_MAX = 10_000  # only for SMAC: the search itself stops earlier, and can be extended


class Sampler:
    def replay(self, told):
        for point, cost in told:
            self.suggest()
            self.register(point, cost)


class RandomSampler(Sampler):
    """Uniform points on the parameters' scales: the baseline for a search."""

    def __init__(self, space, seed):
        self.space = space
        self.random = random.Random(seed)
        self.seen = set()

    def suggest(self):
        for _ in range(1000):
            point = {p.name: p.at(self.random.random()) for p in self.space.parameters}
            key = tuple(point.values())
            if key not in self.seen:
                self.seen.add(key)
                return point
        return None

    def register(self, point, cost):
        """Does nothing: random points do not depend on results."""


class GridSampler(Sampler):
    """One parameter, from its minimum to its maximum."""

    def __init__(self, parameter):
        self.points = [{parameter.name: value} for value in parameter.grid()]
        self.left = iter(self.points)

    def suggest(self):
        return next(self.left, None)

    def register(self, point, cost):
        """Does nothing: the grid is fixed."""


class StartingSampler(Sampler):
    """The given points first, then those of another sampler, which learns from all."""

    def __init__(self, points, sampler):
        self.points = list(points)
        self.sampler = sampler

    def replay(self, told):
        begun = told[: len(self.points)]
        super().replay(begun)
        self.sampler.replay(told[len(begun) :])

    def suggest(self):
        return self.points.pop(0) if self.points else self.sampler.suggest()

    def register(self, point, cost):
        self.sampler.register(point, cost)


def initial_trials(parameters, trials):
    """How many evenly spread points to measure before learning from them."""
    return max(2, min(4 + 2 * parameters, int(INITIAL_SHARE_MAX * trials)))


class SmacSampler(Sampler):
    """Bayesian optimisation as in the paper: mlos-core with SMAC's random forest."""

    def __init__(self, space, seed, initial, explore):
        # Imported here because it takes seconds, and other samplers do not need it.
        import ConfigSpace
        import mlos_core.data_classes
        import mlos_core.optimizers
        import pandas

        logging.getLogger('smac').setLevel(logging.ERROR)
        warnings.filterwarnings('ignore', module='mlos_core|smac|sklearn')
        self.pandas = pandas
        self.observation = mlos_core.data_classes.Observation
        self.space = space
        self.initial = initial
        declared = ConfigSpace.ConfigurationSpace(seed=seed)
        for p in space.parameters:
            bounds = (p.low // p.step, p.high // p.step)
            declared.add(ConfigSpace.Integer(p.name, bounds, log=p.scale == 'log'))
        self.optimizer = mlos_core.optimizers.SmacOptimizer(
            parameter_space=declared,
            optimization_targets=['cost'],
            seed=seed,
            max_trials=TRIALS_MAX,
            n_random_init=initial,
            max_ratio=1.0,
            n_random_probability=explore,
        )

    def replay(self, told):
        """Learns from all trials at once, because step by step each would take seconds. The search
        then continues equally well, but differently from one that was never stopped."""
        super().replay(told[: self.initial])
        for point, cost in told[self.initial :]:
            self.register(point, cost)

    def suggest(self):
        try:
            config = self.optimizer.suggest().config
        except Exception as end:  # the class differs between versions
            if 'Exhausted' in type(end).__name__ or isinstance(end, StopIteration):
                return None
            raise
        return {p.name: int(config[p.name]) * p.step for p in self.space.parameters}

    def register(self, point, cost):
        config = {p.name: point[p.name] // p.step for p in self.space.parameters}
        self.optimizer.register(
            self.observation(
                config=self.pandas.Series(config, dtype=object),
                score=self.pandas.Series({'cost': cost}),
            )
        )
