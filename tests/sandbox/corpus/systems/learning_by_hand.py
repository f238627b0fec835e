"""k-means, a perceptron, linear and logistic regression, and naive Bayes, in plain Python."""
from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from statistics import fmean

Vector = tuple[float, ...]


def add(*vs: Vector) -> Vector:
    return tuple(map(sum, zip(*vs)))


def scale(k: float, v: Vector) -> Vector:
    return tuple(k * x for x in v)


def dot(u: Vector, v: Vector) -> float:
    return sum(x * y for x, y in zip(u, v, strict=True))


class Model:
    """Base class: fit() gives the model back, so that calls can be chained."""

    def fit(self, xs, ys):
        raise NotImplementedError(f"{type(self).__name__}.fit")

    def predict(self, x):
        raise NotImplementedError

    def accuracy(self, xs, ys) -> float:
        return sum(self.predict(x) == y for x, y in zip(xs, ys)) / len(ys)

    def __repr__(self):
        params = ", ".join(f"{k}={v!r}" for k, v in vars(self).items() if not k.endswith("_"))
        return f"{self.__class__.__name__}({params})"


class KMeans(Model):
    def __init__(self, k: int = 2, seed: int = 0):
        self.k, self.seed = k, seed

    def fit(self, xs, ys=None):
        rng = random.Random(self.seed)
        self.centers_ = rng.sample(xs, self.k)
        while True:
            groups = defaultdict(list)
            for x in xs:
                groups[self.predict(x)].append(x)
            centers = [scale(1 / len(g), add(*g)) for _, g in sorted(groups.items())]
            if centers == self.centers_:
                return self
            self.centers_ = centers

    def predict(self, x):
        return min(range(len(self.centers_)), key=lambda i: math.dist(self.centers_[i], x))


class Perceptron(Model):
    def __init__(self, epochs=50, rate=0.1):
        self.epochs = epochs
        self.rate = rate

    def fit(self, xs, ys):
        self.weights_ = (0.0,) * (len(xs[0]) + 1)
        for self.epochs_used_ in range(1, self.epochs + 1):
            errors = 0
            for x, y in zip(xs, ys):
                if delta := y - self.predict(x):
                    errors += 1
                    self.weights_ = add(self.weights_, scale(self.rate * delta, (1.0, *x)))
            if not errors:
                break
        return self

    def predict(self, x):
        return int(dot(self.weights_, (1.0, *x)) > 0)


class LinearRegression(Model):
    """Ordinary least squares through the normal equations."""

    def fit(self, xs, ys):
        rows = [(1.0, *x) for x in xs]
        n = len(rows[0])
        a = [[sum(r[i] * r[j] for r in rows) for j in range(n)] + [sum(r[i] * y for r, y in zip(rows, ys))] for i in range(n)]
        for i in range(n):
            pivot = max(range(i, n), key=lambda r: abs(a[r][i]))
            a[i], a[pivot] = a[pivot], a[i]
            a[i] = [v / a[i][i] for v in a[i]]
            for r in range(n):
                if r != i:
                    a[r] = [v - a[r][i] * w for v, w in zip(a[r], a[i])]
        self.intercept_, *self.slopes_ = (row[-1] for row in a)
        return self

    def predict(self, x):
        return self.intercept_ + dot(tuple(self.slopes_), x)

    def r_squared(self, xs, ys):
        mean = fmean(ys)
        return 1 - sum((y - self.predict(x)) ** 2 for x, y in zip(xs, ys)) / sum((y - mean) ** 2 for y in ys)


class LogisticRegression(Perceptron):
    def fit(self, xs, ys):
        self.weights_ = (0.0,) * (len(xs[0]) + 1)
        for _ in range(self.epochs):
            for x, y in zip(xs, ys):
                self.weights_ = add(self.weights_, scale(self.rate * (y - self.probability(x)), (1.0, *x)))
        return self

    def probability(self, x):
        return 1 / (1 + math.exp(-dot(self.weights_, (1.0, *x))))

    def predict(self, x):
        return int(self.probability(x) >= 0.5)


class NaiveBayes(Model):
    def fit(self, xs, ys):
        self.classes_ = Counter(ys)
        self.words_ = defaultdict(Counter)
        for x, y in zip(xs, ys):
            self.words_[y].update(x.lower().split())
        self.vocabulary_ = set().union(*self.words_.values())
        return self

    def predict(self, x):
        def score(c):
            total = self.words_[c].total() + len(self.vocabulary_)
            return math.log(self.classes_[c]) + sum(math.log((self.words_[c][w] + 1) / total) for w in x.lower().split())
        return max(self.classes_, key=score)


def blobs(rng, *centers, n=30):
    xs = [tuple(rng.gauss(c, 0.5) for c in center) for center in centers for _ in range(n)]
    return xs, [i for i in range(len(centers)) for _ in range(n)]


def main():
    rng = random.Random(42)
    xs, ys = blobs(rng, (0, 0), (5, 5))
    km = KMeans(k=2, seed=1).fit(xs)
    found = [km.predict(x) for x in xs]
    assert found == ys or found == [1 - y for y in ys]
    assert repr(km) == "KMeans(k=2, seed=1)"
    p = Perceptron().fit(xs, ys)
    assert p.accuracy(xs, ys) == 1.0 and p.epochs_used_ <= 50
    xor = [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert Perceptron().fit(xor, [0, 0, 0, 1]).accuracy(xor, [0, 0, 0, 1]) == 1
    assert Perceptron().fit(xor, [0, 1, 1, 0]).accuracy(xor, [0, 1, 1, 0]) < 1
    line = [(x, x * x) for x in range(6)]
    lr = LinearRegression().fit(line, [3 + 2 * a - b for a, b in line])
    assert [round(v, 6) for v in (lr.intercept_, *lr.slopes_)] == [3, 2, -1] and lr.r_squared(line, [3 + 2 * a - b for a, b in line]) > 0.999
    log = LogisticRegression(epochs=20).fit(xs, ys)
    assert log.accuracy(xs, ys) > 0.95 and log.probability((5, 5)) > 0.9 > 0.5 > log.probability((0, 0))
    spam = NaiveBayes().fit(["buy cheap pills now", "cheap watches buy", "lunch at noon", "meeting at ten now"], [1, 1, 0, 0])
    assert spam.predict("buy pills") == 1 and spam.predict("lunch meeting") == 0
    try:
        Model().fit([], [])
    except NotImplementedError as e:
        assert str(e) == "Model.fit"


main()
