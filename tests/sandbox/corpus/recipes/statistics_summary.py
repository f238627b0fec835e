# Summary statistics the way a beginner would do homework.
import statistics
from statistics import NormalDist, mean, median, mode, multimode, quantiles, stdev
import math
import random

scores = [82, 91, 77, 68, 95, 88, 77, 64, 73, 99, 85, 77]
heights = [1.62, 1.75, 1.81, 1.68, 1.90, 1.55, 1.73]
total = 0
count = 0
for s in scores:
    total = total + s
    count = count + 1
average = total / count
assert average == mean(scores)

def describe(data, name="data"):
    """Print a little report and give the numbers back."""
    q1, q2, q3 = quantiles(data, n=4)
    numbers = {
        "n": len(data),
        "mean": mean(data),
        "median": median(data),
        "stdev": stdev(data),
        "iqr": q3 - q1,
        "min": min(data),
        "max": max(data),
    }
    print(name.center(30, "-"))
    for key in numbers:
        value = numbers[key]
        if type(value) == int:
            print("%-10s %10d" % (key, value))
        else:
            print("%-10s %10.3f" % (key, value))
    return numbers

report = describe(scores, "scores")
assert report["median"] == 79.5
assert math.isclose(report["stdev"], 10.6799, rel_tol=1e-4)
assert mode(scores) == 77
assert multimode("aabbc") == ["a", "b"]
assert statistics.median_low([1, 3, 5, 7]) == 3
assert statistics.median_high([1, 3, 5, 7]) == 5
assert statistics.fmean([1, 2, 4], weights=[1, 1, 2]) == 2.75
assert statistics.harmonic_mean([40, 60]) == 48
assert round(statistics.geometric_mean([54, 24, 36]), 1) == 36.0
assert statistics.pvariance([0.0, 0.25, 0.25, 1.25, 1.5, 1.75, 2.75, 3.25]) == 1.25

# histogram
buckets = {}
for s in scores:
    low = s // 10 * 10
    if low not in buckets:
        buckets[low] = 0
    buckets[low] += 1
picture = ""
for low in sorted(buckets):
    picture += str(low) + "s " + "*" * buckets[low] + "\n"
assert picture == "60s **\n70s ****\n80s ***\n90s ***\n"
print(picture)

# normal distributions
sat = NormalDist(1060, 195)
fraction = sat.cdf(1200 + 0.5) - sat.cdf(1100 - 0.5)
assert round(fraction * 100.0, 1) == 18.4
assert list(map(round, sat.quantiles())) == [928, 1060, 1192]
assert NormalDist.from_samples(heights).mean == mean(heights)
birth_weights = NormalDist.from_samples([2.5, 3.1, 2.1, 2.4, 2.7, 3.5])
drug_effects = NormalDist(0.4, 0.15)
combined = birth_weights + drug_effects
assert round(combined.mean, 1) == 3.1 and round(combined.stdev, 1) == 0.5
celsius = NormalDist(5, 2.5)
assert celsius * (9 / 5) + 32 == NormalDist(mu=41.0, sigma=4.5)

# does a simulated die look fair?
rng = random.Random(42)
rolls = [rng.randint(1, 6) for i in range(6000)]
expected = 6000 / 6
chi2 = 0
for face in range(1, 7):
    chi2 += (rolls.count(face) - expected) ** 2 / expected
assert chi2 < 20, chi2

# correlation and a straight line
hours = [1, 2, 3, 4, 5, 6]
marks = [52, 58, 61, 69, 73, 80]
slope, intercept = statistics.linear_regression(hours, marks)
assert round(slope, 3) == 5.514 and round(intercept, 3) == 46.2
assert 0.99 < statistics.correlation(hours, marks) < 1
assert statistics.covariance(hours, hours) == 3.5

try:
    mean([])
except statistics.StatisticsError as error:
    print("no data:", error)
else:
    assert False

def zscores(data):
    m = mean(data)
    s = stdev(data)
    return [(x - m) / s for x in data]

z = zscores(scores)
assert abs(sum(z)) < 1e-9
outliers = [x for x, score in zip(scores, z) if abs(score) > 1.5]
assert sorted(outliers) == [64, 99]
