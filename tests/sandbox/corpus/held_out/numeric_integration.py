# Numerical Methods, assignment 2
from math import sin, cos, pi, exp, sqrt, erf, log

def trapezoid(f, a, b, n):
    h = (b - a) / float(n)
    s = 0.5 * (f(a) + f(b))
    for i in range(1, n):
        s += f(a + i * h)
    return h * s

def simpson(f, a, b, n):
    if n % 2 == 1:
        n += 1
    h = (b - a) / n
    odd = sum(f(a + i * h) for i in range(1, n, 2))
    even = sum(f(a + i * h) for i in range(2, n, 2))
    return h / 3 * (f(a) + 4 * odd + 2 * even + f(b))

def romberg(f, a, b, max_k=8):
    R = [[0.0] * max_k for _ in range(max_k)]
    for k in range(max_k):
        R[k][0] = trapezoid(f, a, b, 2 ** k)
        for j in range(1, k + 1):
            R[k][j] = R[k][j - 1] + (R[k][j - 1] - R[k - 1][j - 1]) / (4 ** j - 1)
    return R[-1][-1]

def adaptive(f, a, b, eps=1e-10):
    def quad(fa, fm, fb, a, b):
        return (b - a) / 6 * (fa + 4 * fm + fb)
    def rec(a, fa, b, fb, m, fm, whole, eps):
        lm, rm = (a + m) / 2, (m + b) / 2
        flm, frm = f(lm), f(rm)
        left, right = quad(fa, flm, fm, a, m), quad(fm, frm, fb, m, b)
        delta = left + right - whole
        if abs(delta) <= 15 * eps:
            return left + right + delta / 15
        return rec(a, fa, m, fm, lm, flm, left, eps / 2) + rec(m, fm, b, fb, rm, frm, right, eps / 2)
    fa, fb, m = f(a), f(b), (a + b) / 2
    fm = f(m)
    return rec(a, fa, b, fb, m, fm, quad(fa, fm, fb, a, b), eps)

def gauss_legendre_3(f, a, b):
    nodes = {-sqrt(3 / 5): 5 / 9, 0.0: 8 / 9, sqrt(3 / 5): 5 / 9}
    mid, half = (a + b) / 2, (b - a) / 2
    return half * sum(w * f(mid + half * x) for x, w in nodes.items())

tests = [
    ("sin on [0, pi]", sin, 0, pi, 2.0),
    ("exp on [0, 1]", exp, 0, 1, exp(1) - 1),
    ("x^3 on [-1, 2]", lambda x: x ** 3, -1, 2, 3.75),
    ("1/x on [1, e]", lambda x: 1 / x, 1, exp(1), log(exp(1))),
    ("gauss on [0, 1]", lambda x: 2 / sqrt(pi) * exp(-x * x), 0, 1, erf(1)),
]
print("%-18s" % "integral" + "".join("%12s" % m for m in ("trapezoid", "simpson", "romberg", "adaptive")))
for name, f, a, b, exact in tests:
    row = [trapezoid(f, a, b, 100), simpson(f, a, b, 100), romberg(f, a, b), adaptive(f, a, b)]
    print("%-18s" % name + "".join("%12.1e" % round(abs(r - exact), 6) for r in row))
    assert abs(row[0] - exact) < 1e-3
    for r in row[1:]:
        assert abs(r - exact) < 1e-7, (name, r, exact)

assert abs(gauss_legendre_3(lambda x: x ** 5 - x ** 2, 0, 2) - (64 / 6 - 8 / 3)) < 1e-12

# order of convergence of the trapezoid rule is two
errors = [abs(trapezoid(cos, 0, 1, n) - sin(1)) for n in (10, 20, 40)]
ratios = [errors[i] / errors[i + 1] for i in range(2)]
assert all(3.9 < r < 4.1 for r in ratios), ratios
print("ratios: " + ", ".join(map("{:.3f}".format, ratios)))
