"""Number theory: gcds, inverses, primality, factors, residues."""
import math
import random
from collections import Counter
from functools import reduce
from itertools import count, takewhile
from typing import Iterable, Tuple


class NoInverse(ArithmeticError):
    pass


def egcd(a: int, b: int) -> Tuple[int, int, int]:
    """Return (g, x, y) with a*x + b*y == g."""
    x0, x1, y0, y1 = 1, 0, 0, 1
    while b:
        q, (a, b) = a // b, (b, a % b)
        x0, x1 = x1, x0 - q * x1
        y0, y1 = y1, y0 - q * y1
    return a, x0, y0


def inverse(a: int, m: int) -> int:
    g, x, _ = egcd(a % m, m)
    if g != 1:
        raise NoInverse(f"{a} mod {m}: they share {g}")
    return x % m


def crt(*congruences: Tuple[int, int]) -> int:
    """Chinese remainders: crt((2, 3), (3, 5), (2, 7)) is 23."""
    modulus = math.prod(m for _, m in congruences)
    total = 0
    for r, m in congruences:
        p = modulus // m
        total += r * p * inverse(p, m)
    return total % modulus


def is_prime(n: int) -> bool:
    if n < 2:
        return False
    small = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)
    for p in small:
        if n % p == 0:
            return n == p
    d, s = n - 1, 0
    while not d & 1:
        d >>= 1
        s += 1
    for a in small:
        x = pow(a, d, n)
        if x in (1, n - 1):
            continue
        for _ in range(s - 1):
            x = x * x % n
            if x == n - 1:
                break
        else:
            return False
    return True


def rho(n: int, rng=random.Random(1)) -> int:
    if n % 2 == 0:
        return 2
    while True:
        c = rng.randrange(1, n)
        x = y = rng.randrange(n)
        d = 1
        while d == 1:
            x = (x * x + c) % n
            y = (y * y + c) % n
            y = (y * y + c) % n
            d = math.gcd(abs(x - y), n)
        if d != n:
            return d


def factor(n: int) -> Counter:
    if n == 1:
        return Counter()
    if is_prime(n):
        return Counter([n])
    d = rho(n)
    return factor(d) + factor(n // d)


def totient(n: int) -> int:
    return reduce(lambda t, p: t // p * (p - 1), factor(n), n)


def divisors(n: int) -> list:
    out = [1]
    for p, e in factor(n).items():
        out = [d * p**k for d in out for k in range(e + 1)]
    return sorted(out)


def mersenne_exponents() -> Iterable[int]:
    return (p for p in count(2) if is_prime(p) and is_prime(2**p - 1))


def main():
    g, x, y = egcd(240, 46)
    assert (g, 240 * x + 46 * y) == (2, 2)
    assert inverse(3, 11) == 4 == pow(3, -1, 11)
    assert crt((2, 3), (3, 5), (2, 7)) == 23
    try:
        inverse(6, 9)
    except ArithmeticError as e:
        assert isinstance(e, NoInverse) and "share 3" in str(e)
    assert [n for n in range(40) if is_prime(n)] == [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37]
    assert not is_prime(561) and is_prime(2**61 - 1)
    assert factor(2**4 * 3 * 1009 * 10007) == {2: 4, 3: 1, 1009: 1, 10007: 1}
    assert totient(36) == 12 and totient(97) == 96
    assert divisors(28) == [1, 2, 4, 7, 14, 28]
    assert sum(divisors(496)) == 2 * 496
    assert list(takewhile(lambda p: p < 90, mersenne_exponents())) == [2, 3, 5, 7, 13, 17, 19, 31, 61, 89]
    assert math.isqrt(10**20 + 1) == 10**10 and math.lcm(4, 6, 10) == 60
    print(*(f"{p}^{e}" for p, e in sorted(factor(math.factorial(20)).items())), sep=" * ")


if __name__ == "__main__":
    main()
