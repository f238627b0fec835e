"""Bits of science: DNA, chemistry formulas, population genetics, chaos, optics."""
import math
import random
import re
from collections import Counter, defaultdict
from dataclasses import dataclass

import statistics as stats

CODONS = dict(zip(
    (a + b + c for a in "TCAG" for b in "TCAG" for c in "TCAG"),
    "FFLLSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG"))
MASS = {"H": 1.008, "C": 12.011, "N": 14.007, "O": 15.999, "Na": 22.990, "Cl": 35.453, "Ca": 40.078, "S": 32.06}


def reverse_complement(dna):
    return dna[::-1].translate(str.maketrans("ACGT", "TGCA"))


def orfs(dna):
    for frame in range(3):
        protein = "".join(CODONS[dna[i:i + 3]] for i in range(frame, len(dna) - 2, 3))
        yield from re.findall(r"(M[^*]*)\*", protein)


def gc_content(dna):
    return (dna.count("G") + dna.count("C")) / len(dna)


def parse_formula(formula):
    stack = [Counter()]
    for name, n, open_, close, m in re.findall(r"([A-Z][a-z]?)(\d*)|(\()|(\))(\d*)", formula):
        if name:
            stack[-1][name] += int(n or 1)
        elif open_:
            stack.append(Counter())
        elif close:
            top = stack.pop()
            for k, v in top.items():
                stack[-1][k] += v * int(m or 1)
    (result,) = stack
    return result


def molar_mass(formula):
    return sum(MASS[e] * n for e, n in parse_formula(formula).items())


def needleman_wunsch(a, b, match=1, mismatch=-1, gap=-1):
    score = defaultdict(int)
    for i in range(len(a) + 1): score[i, 0] = i * gap
    for j in range(len(b) + 1): score[0, j] = j * gap
    for i, x in enumerate(a, 1):
        for j, y in enumerate(b, 1):
            score[i, j] = max(score[i - 1, j - 1] + (match if x == y else mismatch),
                              score[i - 1, j] + gap, score[i, j - 1] + gap)
    i, j, out = len(a), len(b), []
    while i or j:
        if i and j and score[i, j] == score[i - 1, j - 1] + (match if a[i - 1] == b[j - 1] else mismatch):
            i, j = i - 1, j - 1
            out.append((a[i], b[j]))
        elif i and score[i, j] == score[i - 1, j] + gap:
            i -= 1
            out.append((a[i], "-"))
        else:
            j -= 1
            out.append(("-", b[j]))
    return score[len(a), len(b)], *map("".join, zip(*out[::-1]))


def wright_fisher(p, n, generations, rng):
    for _ in range(generations):
        p = sum(rng.random() < p for _ in range(n)) / n
    return p


@dataclass(frozen=True)
class Measurement:
    value: float
    error: float = 0.0

    def __add__(self, o): return Measurement(self.value + o.value, math.hypot(self.error, o.error))
    def __mul__(self, o):
        v = self.value * o.value
        return Measurement(v, abs(v) * math.hypot(self.error / self.value, o.error / o.value))
    def __str__(self): return f"{self.value:.3g} ± {self.error:.1g}"


dna = "ATGGCCATTGTAATGGGCCGCTGAAAGGGTGCCCGATAG"
assert reverse_complement(reverse_complement(dna)) == dna and reverse_complement("AAGC") == "GCTT"
print(list(orfs(dna)), f"GC {gc_content(dna):.1%}")
assert list(orfs(dna))[0] == "MAIVMGR"
assert parse_formula("Ca(NO3)2") == {"Ca": 1, "N": 2, "O": 6}
print("H2O %.3f, C6H12O6 %.2f" % (molar_mass("H2O"), molar_mass("C6H12O6")))
assert math.isclose(molar_mass("NaCl"), 58.443)
score, top, bottom = needleman_wunsch("GATTACA", "GCATGCU")
print(score, top, bottom, sep="\n")
assert score == 0 and len(top) == len(bottom)
rng = random.Random(11)
fixed = [wright_fisher(.5, 10, 60, rng) for _ in range(40)]
assert sum(p in (0, 1) for p in fixed) > 25 and 0.2 < stats.fmean(fixed) < 0.8
x, y = 0.4, 0.4000001
for _ in range(40):
    x, y = 3.9 * x * (1 - x), 3.9 * y * (1 - y)
assert abs(x - y) > 1e-3, "chaos"
print(Measurement(2.0, .1) + Measurement(3, .2), "|", Measurement(2, .1) * Measurement(3, .2))
snell = lambda deg, n1=1.0, n2=1.33: math.degrees(math.asin(n1 * math.sin(math.radians(deg)) / n2))
assert round(snell(30), 2) == 22.08
