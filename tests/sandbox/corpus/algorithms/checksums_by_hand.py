"""Well-known hash functions written out, checked against the library's."""

import binascii
import hashlib
import hmac
import struct
import zlib

MASK = 0xFFFFFFFF


def crc32_table():
    table = []
    for n in range(256):
        for _ in range(8):
            n = n >> 1 ^ 0xEDB88320 if n & 1 else n >> 1
        table.append(n)
    return tuple(table)


TABLE = crc32_table()


def crc32(data, crc=0):
    crc ^= MASK
    for byte in data:
        crc = TABLE[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    return crc ^ MASK


def adler32(data):
    a, b = 1, 0
    for byte in data:
        a = (a + byte) % 65521
        b = (b + a) % 65521
    return b << 16 | a


def fnv1a(data):
    h = 0x811C9DC5
    for byte in data:
        h = (h ^ byte) * 0x01000193 & MASK
    return h


def rotl(x, n):
    return (x << n | x >> (32 - n)) & MASK


class SHA1:
    """The same interface as hashlib's."""

    name = "sha1"
    block_size = 64
    digest_size = 20

    def __init__(self, data=b""):
        self._h = [0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0]
        self._buffer = b""
        self._length = 0
        self.update(data)

    def update(self, data):
        self._length += len(data)
        self._buffer += data
        while len(self._buffer) >= 64:
            self._h = self._round(self._h, self._buffer[:64])
            self._buffer = self._buffer[64:]

    @staticmethod
    def _round(state, block):
        w = list(struct.unpack(">16I", block))
        for i in range(16, 80):
            w.append(rotl(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1))
        a, b, c, d, e = state
        for i, word in enumerate(w):
            if i < 20:
                f, k = d ^ (b & (c ^ d)), 0x5A827999
            elif i < 40:
                f, k = b ^ c ^ d, 0x6ED9EBA1
            elif i < 60:
                f, k = (b & c) | (d & (b | c)), 0x8F1BBCDC
            else:
                f, k = b ^ c ^ d, 0xCA62C1D6
            a, b, c, d, e = (rotl(a, 5) + f + e + k + word) & MASK, a, rotl(b, 30), c, d
        return [(x + y) & MASK for x, y in zip(state, (a, b, c, d, e))]

    def digest(self):
        pad = b"\x80" + b"\0" * ((55 - self._length) % 64) + struct.pack(">Q", self._length * 8)
        state, rest = self._h, self._buffer + pad
        for i in range(0, len(rest), 64):
            state = self._round(state, rest[i:i + 64])
        return struct.pack(">5I", *state)

    def hexdigest(self):
        return binascii.hexlify(self.digest()).decode()

    def copy(self):
        twin = SHA1()
        twin.__dict__.update(self.__dict__)
        return twin


def hmac_sha1(key, message):
    key = SHA1(key).digest() if len(key) > 64 else key
    key = key.ljust(64, b"\0")
    inner = SHA1(bytes(k ^ 0x36 for k in key) + message).digest()
    return SHA1(bytes(k ^ 0x5C for k in key) + inner).digest()


samples = [b"", b"abc", b"The quick brown fox", bytes(range(256)), b"x" * 119]
for s in samples:
    assert crc32(s) == zlib.crc32(s) == binascii.crc32(s)
    assert adler32(s) == zlib.adler32(s)
    assert SHA1(s).digest() == hashlib.sha1(s).digest()
    assert hmac_sha1(s, b"message") == hmac.new(s, b"message", "sha1").digest()
assert fnv1a(b"a") == 0xE40C292C
h = SHA1(b"The quick ")
twin = h.copy()
h.update(b"brown fox")
assert h.hexdigest() == SHA1(samples[2]).hexdigest() != twin.hexdigest()
assert crc32(b"world", crc32(b"hello ")) == zlib.crc32(b"hello world")
assert hmac.compare_digest(h.digest(), hashlib.new("sha1", samples[2]).digest())
print(h.hexdigest(), f"{crc32(b'abc'):08x}")
