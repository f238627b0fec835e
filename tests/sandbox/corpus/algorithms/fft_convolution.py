"""The fast Fourier transform, and multiplying with it."""
import cmath
import math
from array import array
from typing import Sequence


def fft(xs: Sequence[complex], inverse: bool = False) -> list[complex]:
    n = len(xs)
    if n & (n - 1):
        raise ValueError("the length must be a power of two")
    if n <= 1:
        return list(xs)
    even, odd = fft(xs[::2], inverse), fft(xs[1::2], inverse)
    sign = 2j if inverse else -2j
    twisted = [cmath.exp(sign * cmath.pi * k / n) * odd[k] for k in range(n // 2)]
    return [e + t for e, t in zip(even, twisted)] + [e - t for e, t in zip(even, twisted)]


def ifft(xs):
    return [x / len(xs) for x in fft(xs, inverse=True)]


def slow_dft(xs):
    n = len(xs)
    root = cmath.rect(1, -2 * math.pi / n)
    return [sum(x * root ** (j * k) for j, x in enumerate(xs)) for k in range(n)]


def convolve(a, b):
    need = len(a) + len(b) - 1
    size = 1 << (need - 1).bit_length()
    fa = fft([*a, *[0] * (size - len(a))])
    fb = fft([*b, *[0] * (size - len(b))])
    return [round(c.real) for c in ifft([x * y for x, y in zip(fa, fb)])][:need]


def multiply(x: int, y: int) -> int:
    digits = convolve([int(d) for d in str(x)[::-1]], [int(d) for d in str(y)[::-1]])
    carry, out = 0, []
    for d in digits:
        carry, digit = divmod(carry + d, 10)
        out.append(digit)
    while carry:
        carry, digit = divmod(carry, 10)
        out.append(digit)
    return int("".join(map(str, reversed(out))))


def peaks(samples, rate, least=0.25):
    spectrum = [abs(c) * 2 / len(samples) for c in fft(samples)]
    half = spectrum[:len(spectrum) // 2]
    return {k * rate / len(samples): round(a, 3) for k, a in enumerate(half) if a > least}


def goertzel(samples, k):
    w = 2 * math.cos(2 * math.pi * k / len(samples))
    s1 = s2 = 0.0
    for x in samples:
        s1, s2 = x + w * s1 - s2, s1
    return math.sqrt(s1 * s1 + s2 * s2 - w * s1 * s2)


close = lambda a, b: all(cmath.isclose(x, y, abs_tol=1e-9) for x, y in zip(a, b, strict=True))

signal = [1, 1, 1, 1, 0, 0, 0, 0]
assert close(fft(signal), slow_dft(signal))
assert close(ifft(fft(signal)), signal)
assert convolve([1, 2, 3], [4, 5]) == [4, 13, 22, 15]
assert multiply(123456789, 987654321) == 123456789 * 987654321
assert multiply(10**40 - 1, 10**40 + 7) == (10**40 - 1) * (10**40 + 7)

rate = 64
wave = array("d", (math.sin(2 * math.pi * 5 * t / rate) + 0.5 * math.cos(2 * math.pi * 12 * t / rate)
                   for t in range(rate)))
assert peaks(wave, rate) == {5.0: 1.0, 12.0: 0.5}
assert math.isclose(goertzel(wave, 5), abs(slow_dft(wave)[5]), rel_tol=1e-9)
magnitude, phase = cmath.polar(slow_dft(wave)[5])
assert math.isclose(phase, -math.pi / 2, abs_tol=1e-9) and round(magnitude) == 32
try:
    fft([1, 2, 3])
except ValueError as e:
    print(e, *(f"{c:.2f}" for c in fft(signal)[:3]))
