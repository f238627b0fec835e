import math
from dataclasses import dataclass
from typing import Callable, Sequence

State = Sequence[float]


def rk4(f: Callable[[float, State], State], y: State, t: float, dt: float) -> list[float]:
    k1 = f(t, y)
    k2 = f(t + dt / 2, [a + dt / 2 * b for a, b in zip(y, k1)])
    k3 = f(t + dt / 2, [a + dt / 2 * b for a, b in zip(y, k2)])
    k4 = f(t + dt, [a + dt * b for a, b in zip(y, k3)])
    return [a + dt / 6 * (p + 2 * q + 2 * r + s) for a, p, q, r, s in zip(y, k1, k2, k3, k4)]


def euler(f, y, t, dt):
    return [a + dt * b for a, b in zip(y, f(t, y))]


def integrate(step, f, y0, t0, t1, n):
    t, y, dt = t0, list(y0), (t1 - t0) / n
    for _ in range(n):
        y = step(f, y, t, dt)
        t += dt
    return y


def decay(t, y):
    return [-y[0]]


def lotka_volterra(alpha=1.1, beta=0.4, delta=0.1, gamma=0.4):
    def f(t, y):
        rabbits, foxes = y
        return [alpha * rabbits - beta * rabbits * foxes, delta * rabbits * foxes - gamma * foxes]
    return f


@dataclass
class Body:
    name: str
    mass: float
    x: float
    y: float
    vx: float = 0.0
    vy: float = 0.0


class System:
    G = 1.0

    def __init__(self, *bodies: Body):
        self.bodies = list(bodies)

    def accelerations(self):
        for a in self.bodies:
            ax = ay = 0.0
            for b in self.bodies:
                if b is a:
                    continue
                dx, dy = b.x - a.x, b.y - a.y
                d3 = math.hypot(dx, dy) ** 3
                ax += self.G * b.mass * dx / d3
                ay += self.G * b.mass * dy / d3
            yield ax, ay

    def kick(self, dt):
        for body, (ax, ay) in zip(self.bodies, list(self.accelerations())):
            body.vx += ax * dt
            body.vy += ay * dt

    def leapfrog(self, dt, steps):
        for _ in range(steps):
            self.kick(dt / 2)
            for b in self.bodies:
                b.x += b.vx * dt
                b.y += b.vy * dt
            self.kick(dt / 2)

    @property
    def energy(self):
        kinetic = sum(b.mass * (b.vx ** 2 + b.vy ** 2) / 2 for b in self.bodies)
        potential = -sum(self.G * a.mass * b.mass / math.dist((a.x, a.y), (b.x, b.y))
                         for i, a in enumerate(self.bodies) for b in self.bodies[:i])
        return kinetic + potential


exact = math.exp(-2)
for step, tol in ((euler, 1e-2), (rk4, 1e-9)):
    (y,) = integrate(step, decay, [1.0], 0, 2, 200)
    print(f"{step.__name__:6} {y:.10f}")
    assert abs(y - exact) < tol

r, f = integrate(rk4, lotka_volterra(), [10, 10], 0, 20, 800)
invariant = lambda r, f: 0.1 * r - 0.4 * math.log(r) + 0.4 * f - 1.1 * math.log(f)
assert abs(invariant(r, f) - invariant(10, 10)) < 1e-3
print(f"rabbits={r:.3f} foxes={f:.3f}")

solar = System(Body("sun", 1, 0, 0), Body("planet", 1e-6, 1, 0, 0, 1))
before = solar.energy
solar.leapfrog(2 * math.pi / 1000, 1000)
planet = solar.bodies[1]
print(f"{planet.name}: ({planet.x:.4f}, {planet.y:.4f})")
assert abs(solar.energy - before) < 1e-12
assert math.hypot(planet.x - 1, planet.y) < 1e-3
