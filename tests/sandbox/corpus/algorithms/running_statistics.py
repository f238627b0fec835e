"""Online statistics that can be merged, compared with the statistics module."""
from __future__ import annotations

import math
import random
import statistics
from dataclasses import dataclass, replace
from heapq import heappush, heappushpop


@dataclass
class Moments:
    """Welford's method: count, mean and the sum of squared deviations."""

    n: int = 0
    mean: float = 0.0
    m2: float = 0.0
    low: float = math.inf
    high: float = -math.inf

    def push(self, x: float) -> Moments:
        self.n += 1
        delta = x - self.mean
        self.mean += delta / self.n
        self.m2 += delta * (x - self.mean)
        self.low, self.high = min(self.low, x), max(self.high, x)
        return self

    def __iadd__(self, other: float | Moments) -> Moments:
        if isinstance(other, Moments):
            merged = self + other
            self.__dict__.update(merged.__dict__)
            return self
        return self.push(other)

    def __add__(self, other: Moments) -> Moments:
        n = self.n + other.n
        if not n:
            return replace(self)
        delta = other.mean - self.mean
        return Moments(
            n,
            self.mean + delta * other.n / n,
            self.m2 + other.m2 + delta**2 * self.n * other.n / n,
            min(self.low, other.low),
            max(self.high, other.high),
        )

    @property
    def variance(self) -> float:
        return self.m2 / (self.n - 1) if self.n > 1 else math.nan

    @property
    def stdev(self) -> float:
        return math.sqrt(self.variance)


class RunningMedian:
    def __init__(self):
        self._low, self._high = [], []

    def push(self, x):
        if len(self._low) == len(self._high):
            heappush(self._low, -heappushpop(self._high, x))
        else:
            heappush(self._high, -heappushpop(self._low, -x))

    def __float__(self):
        if not self._low:
            return math.nan
        if len(self._low) > len(self._high):
            return float(-self._low[0])
        return (self._high[0] - self._low[0]) / 2


def averager():
    """A coroutine: send numbers, receive their mean so far."""
    total = count = 0
    average = None
    while True:
        try:
            x = yield average
        except GeneratorExit:
            return
        total += x
        count += 1
        average = total / count


def histogram(data, bins=5, width=30):
    low, high = min(data), max(data)
    counts = [0] * bins
    for x in data:
        counts[min(int((x - low) / (high - low) * bins), bins - 1)] += 1
    for i, n in enumerate(counts):
        edge = low + i * (high - low) / bins
        yield f"{edge:8.2f} | {'=' * (n * width // max(counts)):<{width}} {n:3}"


rng = random.Random(0)
data = [rng.gauss(mu=100, sigma=15) for _ in range(500)]
everything, left, right = Moments(), Moments(), Moments()
median = RunningMedian()
for i, x in enumerate(data):
    everything += x
    (left if i < 200 else right).push(x)
    median.push(x)
    if i % 50 == 0:
        assert math.isclose(float(median), statistics.median(data[:i + 1]))

assert everything.n == 500
assert math.isclose(everything.mean, statistics.fmean(data))
assert math.isclose(everything.stdev, statistics.stdev(data))
both = left + right
assert math.isclose(both.variance, everything.variance) and both.n == 500
assert (both.low, both.high) == (min(data), max(data))
left += right
assert left == both
assert math.isnan(Moments().variance) and math.isnan(float(RunningMedian()))
assert Moments() + Moments() == Moments()

co = averager()
next(co)
assert [co.send(x) for x in (10, 20, 60)] == [10, 15, 30]
co.close()

q1, q2, q3 = statistics.quantiles(data, n=4)
assert q1 < q2 < q3 and math.isclose(q2, statistics.median(data))
slope, intercept = statistics.linear_regression(range(5), [1, 3, 5, 7, 9])
assert (slope, intercept) == (2, 1) and statistics.mode("abracadabra") == "a"
assert sum(int(line.split()[-1]) for line in histogram(data)) == 500
print(*histogram(data), sep="\n")
