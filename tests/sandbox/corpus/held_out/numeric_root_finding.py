import math
import cmath
from itertools import count


def bisect(f, a, b, tol=1e-12):
    fa, fb = f(a), f(b)
    if fa * fb > 0:
        raise ValueError("f(a) and f(b) must have opposite signs")
    while b - a > tol:
        m = 0.5 * (a + b)
        fm = f(m)
        if fm == 0:
            return m
        if fa * fm < 0:
            b, fb = m, fm
        else:
            a, fa = m, fm
    return 0.5 * (a + b)


def newton(f, df, x0, tol=1e-12, max_iter=50):
    x = x0
    for i in range(max_iter):
        dx = f(x) / df(x)
        x -= dx
        if abs(dx) < tol:
            return x, i + 1
    raise RuntimeError("no convergence after {} iterations".format(max_iter))


def secant(f, x0, x1, tol=1e-12):
    for n in count():
        f0, f1 = f(x0), f(x1)
        x0, x1 = x1, x1 - f1 * (x1 - x0) / (f1 - f0)
        if abs(x1 - x0) < tol:
            return x1, n


def fixed_point(g, x, tol=1e-10):
    while abs(g(x) - x) > tol:
        x = g(x)
    return x


def quadratic(a, b, c):
    d = cmath.sqrt(b * b - 4 * a * c)
    return (-b + d) / (2 * a), (-b - d) / (2 * a)


def durand_kerner(coeffs, iterations=60):
    """All complex roots of a monic polynomial at once."""
    n = len(coeffs) - 1
    p = lambda x: sum(c * x ** (n - i) for i, c in enumerate(coeffs))
    roots = [(0.4 + 0.9j) ** k for k in range(n)]
    for _ in range(iterations):
        for i, r in enumerate(roots):
            denom = math.prod(r - s for j, s in enumerate(roots) if j != i)
            roots[i] = r - p(r) / denom
    return roots


# bisection
r = bisect(lambda x: x ** 3 - x - 2, 1, 2)
print("bisect   %.10f" % r)
assert math.isclose(r, 1.5213797068045676)

# newton
r, n = newton(lambda x: x * x - 2, lambda x: 2 * x, 1.0)
print("newton   %.10f in %d steps" % (r, n))
assert math.isclose(r, math.sqrt(2)) and n < 8

# secant
r, n = secant(math.cos, 1, 2)
print("secant   %.10f in %d steps" % (r, n))
assert math.isclose(r, math.pi / 2)

# fixed point
dottie = fixed_point(math.cos, 1)
print("dottie   {:.8f}".format(dottie))
assert abs(math.cos(dottie) - dottie) < 1e-9

x1, x2 = quadratic(1, 2, 5)
assert x1 == -1 + 2j and x2 == x1.conjugate()

roots = sorted(durand_kerner([1, -6, 11, -6]), key=lambda z: z.real)
assert all(abs(z - k) < 1e-9 for z, k in zip(roots, (1, 2, 3)))
print("kerner  ", [round(z.real, 6) for z in roots])

try:
    bisect(math.exp, 0, 1)
except ValueError as e:
    print("error:", e)
try:
    newton(lambda x: x ** 2 + 1, lambda x: 2 * x, 0.5)
except (RuntimeError, ZeroDivisionError) as e:
    print("error:", type(e).__name__)
assert math.isclose(abs(cmath.exp(1j * math.pi) + 1), 0, abs_tol=1e-15)
