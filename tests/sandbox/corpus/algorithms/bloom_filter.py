"""Bloom filters and a count-min sketch over bytearrays."""
import hashlib
import math
import struct


class BloomFilter:
    def __init__(self, capacity, error_rate=0.01):
        if not 0 < error_rate < 1:
            raise ValueError("error_rate should be between 0 and 1, got %r" % (error_rate,))
        self.capacity = capacity
        self.error_rate = error_rate
        self.bits = math.ceil(-capacity * math.log(error_rate) / math.log(2) ** 2)
        self.hashes = max(1, round(self.bits / capacity * math.log(2)))
        self._array = bytearray((self.bits + 7) // 8)
        self._added = 0

    def _positions(self, item):
        digest = hashlib.sha256(repr(item).encode("utf-8")).digest()
        h1, h2 = struct.unpack_from("<QQ", digest)
        for i in range(self.hashes):
            yield (h1 + i * h2) % self.bits

    def add(self, item):
        for p in self._positions(item):
            self._array[p // 8] |= 1 << p % 8
        self._added += 1

    def __contains__(self, item):
        return all(self._array[p >> 3] & (1 << (p & 7)) for p in self._positions(item))

    def __or__(self, other):
        if (self.bits, self.hashes) != (other.bits, other.hashes):
            raise ValueError("filters of different shapes")
        union = type(self)(self.capacity, self.error_rate)
        union._array[:] = bytes(a | b for a, b in zip(self._array, other._array))
        union._added = self._added + other._added
        return union

    @property
    def fill(self):
        return sum(bin(byte).count("1") for byte in self._array) / self.bits

    def __len__(self):
        "An estimate of how many different items were added."
        if self.fill >= 1:
            return self.capacity
        return round(-self.bits / self.hashes * math.log(1 - self.fill))


class CountMin:
    def __init__(self, width=64, depth=4):
        self.table = [[0] * width for _ in range(depth)]
        self.width = width

    def _cells(self, item):
        for row in range(len(self.table)):
            h = hashlib.blake2b(str(item).encode(), digest_size=8, salt=bytes([row])).digest()
            yield row, int.from_bytes(h, "big") % self.width

    def __setitem__(self, item, times):
        raise TypeError("add() only: a sketch can't be set")

    def __getitem__(self, item):
        return min(self.table[r][c] for r, c in self._cells(item))

    def add(self, item, times=1):
        for r, c in self._cells(item):
            self.table[r][c] += times


def main():
    evens, threes = BloomFilter(500), BloomFilter(500)
    for n in range(0, 1000, 2):
        evens.add(n)
    for n in range(0, 600, 3):
        threes.add(n)
    assert all(n in evens for n in range(0, 1000, 2))
    wrong = sum(n in evens for n in range(1001, 3001, 2))
    assert wrong < 40, wrong
    assert 470 <= len(evens) <= 530
    either = evens | threes
    assert 9 in either and 10 in either
    assert 560 <= len(either) <= 640, len(either)
    try:
        evens | BloomFilter(7)
    except ValueError as e:
        print("no union:", e)
    try:
        BloomFilter(10, error_rate=2)
    except ValueError as e:
        assert "got 2" in str(e)

    sketch = CountMin()
    for i, word in enumerate("to be or not to be that is the question to ask".split()):
        sketch.add(word)
    sketch.add("be", times=10)
    assert sketch["to"] >= 3 and sketch["be"] >= 12 and sketch["absent"] <= 3
    try:
        sketch["to"] = 5
    except TypeError:
        pass
    else:
        assert False
    print("%d bits, %d hashes, %.1f%% full" % (evens.bits, evens.hashes, 100 * evens.fill))


if __name__ == "__main__":
    main()
