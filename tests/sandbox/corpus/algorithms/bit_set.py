"""A set of small natural numbers, kept as the bits of one integer."""
from typing import AbstractSet, Iterable, Iterator


class BitSet(AbstractSet[int]):
    __slots__ = ("bits",)

    def __init__(self, items: Iterable[int] = (), *, bits: int = 0):
        for item in items:
            bits |= 1 << item
        self.bits = bits

    def __contains__(self, item: object) -> bool:
        return isinstance(item, int) and item >= 0 and bool(self.bits >> item & 1)

    def __iter__(self) -> Iterator[int]:
        bits = self.bits
        while bits:
            low = bits & -bits
            yield low.bit_length() - 1
            bits ^= low

    def __len__(self) -> int:
        return self.bits.bit_count()

    def __and__(self, other):
        if isinstance(other, BitSet):
            return BitSet(bits=self.bits & other.bits)
        return super().__and__(other)

    def __or__(self, other):
        if isinstance(other, BitSet):
            return BitSet(bits=self.bits | other.bits)
        return super().__or__(other)

    def __xor__(self, other):
        return BitSet(bits=self.bits ^ BitSet(other).bits)

    def __sub__(self, other):
        return BitSet(bits=self.bits & ~BitSet(other).bits)

    def __hash__(self):
        return hash(self.bits)

    def __str__(self) -> str:
        return "{" + ", ".join(map(str, self)) + "}"

    def to_bytes(self) -> bytes:
        return self.bits.to_bytes((self.bits.bit_length() + 7) // 8 or 1, "little")

    @classmethod
    def from_bytes(cls, data: bytes) -> "BitSet":
        return cls(bits=int.from_bytes(data, byteorder="little"))

    def subsets(self) -> Iterator["BitSet"]:
        sub = self.bits
        while True:
            yield BitSet(bits=sub)
            if not sub:
                break
            sub = (sub - 1) & self.bits


def sieve(n: int) -> BitSet:
    bits = (1 << n) - 1 & ~0b11
    for p in range(2, int(n**0.5) + 1):
        if bits >> p & 1:
            for multiple in range(p * p, n, p):
                bits &= ~(1 << multiple)
    return BitSet(bits=bits)


def gray(n: int) -> list[str]:
    return [f"{i ^ i >> 1:0{n}b}" for i in range(1 << n)]


a, b = BitSet([1, 3, 5, 64]), BitSet(range(3, 7))
assert a & b == {3, 5} and (a & {3, 4}) == {3}
assert str(a | b) == "{1, 3, 4, 5, 6, 64}"
assert set(a ^ b) == {1, 4, 6, 64} and a - b == BitSet({1, 64})
assert len(a) == 4 and 64 in a and -1 not in a and "x" not in a
assert BitSet([3]) < b <= b and not a.isdisjoint(b) and b > {5}
assert a.to_bytes().hex(" ") == "2a 00 00 00 00 00 00 00 01"
assert BitSet.from_bytes(a.to_bytes()) == a
assert {a: "first"}[BitSet([64, 5, 3, 1])] == "first"
assert sorted(map(len, BitSet([2, 4, 9]).subsets())) == [0, 1, 1, 1, 2, 2, 2, 3]
assert list(sieve(30)) == [2, 3, 5, 7, 11, 13, 17, 19, 23, 29]
codes = gray(4)
assert all(sum(x != y for x, y in zip(p, q)) == 1 for p, q in zip(codes, codes[1:] + codes[:1]))
assert bin(b.bits) == "0b1111000" and ~b.bits & 0xFF == 0b10000111
print(f"{len(sieve(1000))} primes below {1000:_}, mask {b.bits:#06x}")
