"""Hacker's delight in Python."""
import struct
import sys
from functools import reduce


def popcount(x):
    c = 0
    while x:
        x &= x - 1
        c += 1
    return c


def is_power_of_two(x):
    return x > 0 and not x & (x - 1)


def next_power_of_two(x):
    return 1 << (x - 1).bit_length()


def gray(n):
    return n ^ (n >> 1)


def ungray(g):
    n = 0
    while g:
        n ^= g
        g >>= 1
    return n


def reverse_bits(x, width=32):
    return int(format(x, "0%db" % width)[::-1], 2)


def subsets(mask):
    s = mask
    while True:
        yield s
        if s == 0:
            return
        s = (s - 1) & mask


def same_popcount_next(x):
    """Gosper's hack."""
    c = x & -x
    r = x + c
    return (((r ^ x) >> 2) // c) | r


def float_bits(f):
    (n,) = struct.unpack(">Q", struct.pack(">d", f))
    return n >> 63, (n >> 52 & 0x7FF) - 1023, n & ((1 << 52) - 1)


def single_number(nums):
    return reduce(lambda a, b: a ^ b, nums)


class Flags:
    NAMES = "bold italic underline strike".split()

    def __init__(self, bits=0):
        self.bits = bits

    def __getattr__(self, name):
        try:
            return bool(self.bits >> Flags.NAMES.index(name) & 1)
        except ValueError:
            raise AttributeError(name) from None

    def __setattr__(self, name, value):
        if name in Flags.NAMES:
            bit = 1 << Flags.NAMES.index(name)
            self.bits = self.bits | bit if value else self.bits & ~bit
        else:
            super().__setattr__(name, value)

    def __repr__(self):
        return "|".join(n for n in self.NAMES if getattr(self, n)) or "none"


assert [popcount(n) for n in (0, 7, 255, 1 << 40)] == [0, 3, 8, 1]
assert all(popcount(n) == n.bit_count() == bin(n).count("1") for n in range(500))
assert [n for n in range(70) if is_power_of_two(n)] == [1, 2, 4, 8, 16, 32, 64]
assert next_power_of_two(33) == 64 and next_power_of_two(32) == 32
codes = [gray(i) for i in range(16)]
assert all(popcount(a ^ b) == 1 for a, b in zip(codes, codes[1:])) and [ungray(c) for c in codes] == list(range(16))
print(" ".join("{:04b}".format(c) for c in codes))
assert reverse_bits(0b1101) == 0xB0000000
assert sorted(subsets(0b1010)) == [0, 2, 8, 10]
x, seen = 0b111, []
while x < 1 << 5:
    seen.append(x)
    x = same_popcount_next(x)
assert len(seen) == 10
assert float_bits(-2.5) == (1, 1, 1 << 50) and (0.1).hex() == "0x1.999999999999ap-4"
assert single_number([4, 1, 2, 1, 2]) == 4
f = Flags()
f.bold = f.underline = True
f.bold = False
print(f, f.bits)
assert f.underline and not f.bold and f.bits == 4
try:
    f.colour
except AttributeError as e:
    print("no", e)
print((1234).to_bytes(4, "little"), int.from_bytes(b"\x04\xd2", "big"), ~5, -7 >> 1, -7 // 2, sys.byteorder, sys.maxsize == 2 ** 63 - 1)
a, b = 5, 9
a ^= b; b ^= a; a ^= b
assert (a, b) == (9, 5)
