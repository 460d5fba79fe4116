# Copyright (c) 2026 The Lull Authors. BSD-3-Clause; see LICENSE.
"""Where the next trial's point comes from.

All samplers have suggest(), a point, or None when there is none left; register(point, cost), which
tells what came of it, the smaller the better; and replay(points and costs), which puts a new one
where another with the same seed was after those.
"""

import logging
import random
import warnings

INITIAL_SHARE_MAX = 0.5  # of all trials: the rest is for what is learned from these
TRIALS_MAX = 10_000  # what SMAC is told: the search itself ends sooner, and may be prolonged


class Sampler:
    def replay(self, told):
        for point, cost in told:
            self.suggest()
            self.register(point, cost)


class RandomSampler(Sampler):
    """Points of equal weight in the scales of the parameters: what a search must do better than."""

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
        """Learns nothing."""


class GridSampler(Sampler):
    """One parameter, from its least value to its largest."""

    def __init__(self, parameter):
        self.points = [{parameter.name: value} for value in parameter.grid()]
        self.left = iter(self.points)

    def suggest(self):
        return next(self.left, None)

    def register(self, point, cost):
        """The grid is what it is."""


class StartingSampler(Sampler):
    """The points that were named to begin with, then those of another, which learns from all."""

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
    """How many points are spread evenly before anything is learned from them."""
    return max(2, min(4 + 2 * parameters, int(INITIAL_SHARE_MAX * trials)))


class SmacSampler(Sampler):
    """Bayesian optimisation as in the paper: mlos-core, with SMAC's random forest behind it."""

    def __init__(self, space, seed, initial, explore):
        # Here, since this takes seconds, and other samplers need nothing of it.
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
        """Learns from all at once, where each step by itself would take seconds. So what follows
        is as good as, but not the same as, in a search that was never stopped."""
        super().replay(told[: self.initial])
        for point, cost in told[self.initial :]:
            self.register(point, cost)

    def suggest(self):
        try:
            config = self.optimizer.suggest().config
        except Exception as end:  # its class is not the same in all versions
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
