"""Descriptive statistics, regression, histogram, bootstrap: no numpy needed."""
import math
import random
import statistics as st
from collections import Counter

random.seed(12345)


def mean(xs): return sum(xs) / len(xs)


def variance(xs, ddof=1):
    m = mean(xs)
    return sum((x - m) ** 2 for x in xs) / (len(xs) - ddof)


def std(xs): return math.sqrt(variance(xs))


def median(xs):
    s = sorted(xs)
    n = len(s)
    return s[n // 2] if n % 2 else (s[n // 2 - 1] + s[n // 2]) / 2


def mode(xs): return Counter(xs).most_common(1)[0][0]


def percentile(xs, p):
    s = sorted(xs)
    k = (len(s) - 1) * p / 100.0
    f, c = math.floor(k), math.ceil(k)
    return s[int(k)] if f == c else s[f] * (c - k) + s[c] * (k - f)


def pearson(xs, ys):
    mx, my = mean(xs), mean(ys)
    num = sum((x - mx) * (y - my) for x, y in zip(xs, ys))
    return num / math.sqrt(sum((x - mx) ** 2 for x in xs) * sum((y - my) ** 2 for y in ys))


def linreg(xs, ys):
    b = pearson(xs, ys) * std(ys) / std(xs)
    return b, mean(ys) - b * mean(xs)


def histogram(xs, bins=8, width=40):
    lo, hi = min(xs), max(xs)
    step = (hi - lo) / bins
    counts = [0] * bins
    for x in xs:
        counts[min(int((x - lo) / step), bins - 1)] += 1
    top = max(counts)
    for i, c in enumerate(counts):
        print("%7.2f | %-*s %d" % (lo + i * step, width, "#" * (c * width // top), c))
    return counts


def bootstrap(xs, stat, n=200):
    stats = sorted(stat(random.choices(xs, k=len(xs))) for _ in range(n))
    return stats[int(.025 * n)], stats[int(.975 * n)]


data = [random.gauss(50, 10) for _ in range(500)]
counts = histogram(data)
assert sum(counts) == 500

for ours, theirs in ((mean, st.mean), (std, st.stdev), (median, st.median), (variance, st.variance)):
    assert math.isclose(ours(data), theirs(data)), ours.__name__
    print("%-9s %8.4f" % (ours.__name__, ours(data)))

assert mode("abracadabra") == st.mode("abracadabra") == "a"
assert percentile([1, 2, 3, 4], 50) == 2.5 and percentile([1, 2, 3], 100) == 3
xs = list(range(50))
ys = [3 * x + 7 + random.uniform(-1, 1) for x in xs]
slope, intercept = linreg(xs, ys)
print("y = %.3fx + %.3f, r = %.5f" % (slope, intercept, pearson(xs, ys)))
assert abs(slope - 3) < .05 and abs(intercept - 7) < 1
lr = st.linear_regression(xs, ys)
assert math.isclose(lr.slope, slope) and math.isclose(lr.intercept, intercept)
lo, hi = bootstrap(data, mean)
assert lo < mean(data) < hi
print("95%% CI: [%.2f, %.2f]" % (lo, hi))
q = st.quantiles(data, n=4)
assert q[0] < q[1] < q[2] and abs(q[1] - median(data)) < 1e-9
nd = st.NormalDist.from_samples(data)
assert 0.4 < nd.cdf(50) < 0.6
try:
    st.mean([])
except st.StatisticsError as e:
    print("StatisticsError:", e)
