"""MD5 and SHA-1 written out, compared with hashlib; CRC tables; consistent hashing."""
import base64
import binascii
import hashlib
import hmac
import math
import struct
import zlib
from bisect import bisect


def rotl(x, n):
    return ((x << n) | (x >> (32 - n))) & 0xFFFFFFFF


def md5(message: bytes) -> str:
    shifts = [7, 12, 17, 22] * 4 + [5, 9, 14, 20] * 4 + [4, 11, 16, 23] * 4 + [6, 10, 15, 21] * 4
    K = [int(abs(math.sin(i + 1)) * 2 ** 32) & 0xFFFFFFFF for i in range(64)]
    a0, b0, c0, d0 = 0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476
    length = len(message) * 8
    message += b"\x80"
    message += b"\0" * ((56 - len(message)) % 64) + struct.pack("<Q", length)
    for off in range(0, len(message), 64):
        M = struct.unpack("<16I", message[off:off + 64])
        a, b, c, d = a0, b0, c0, d0
        for i in range(64):
            if i < 16:
                f, g = (b & c) | (~b & d), i
            elif i < 32:
                f, g = (d & b) | (~d & c), (5 * i + 1) % 16
            elif i < 48:
                f, g = b ^ c ^ d, (3 * i + 5) % 16
            else:
                f, g = c ^ (b | ~d), (7 * i) % 16
            f = (f + a + K[i] + M[g]) & 0xFFFFFFFF
            a, d, c, b = d, c, b, (b + rotl(f, shifts[i])) & 0xFFFFFFFF
        a0, b0, c0, d0 = ((x + y) & 0xFFFFFFFF for x, y in ((a0, a), (b0, b), (c0, c), (d0, d)))
    return struct.pack("<4I", a0, b0, c0, d0).hex()


def sha1(data: bytes) -> str:
    h = [0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0]
    padded = data + b"\x80" + b"\0" * ((55 - len(data)) % 64) + struct.pack(">Q", len(data) * 8)
    for i in range(0, len(padded), 64):
        w = list(struct.unpack(">16L", padded[i:i + 64]))
        for t in range(16, 80):
            w.append(rotl(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1))
        a, b, c, d, e = h
        for t, x in enumerate(w):
            if t < 20:
                f, k = d ^ (b & (c ^ d)), 0x5A827999
            elif t < 40:
                f, k = b ^ c ^ d, 0x6ED9EBA1
            elif t < 60:
                f, k = (b & c) | (d & (b | c)), 0x8F1BBCDC
            else:
                f, k = b ^ c ^ d, 0xCA62C1D6
            a, b, c, d, e = (rotl(a, 5) + f + e + k + x) & 0xFFFFFFFF, a, rotl(b, 30), c, d
        h = [(x + y) & 0xFFFFFFFF for x, y in zip(h, (a, b, c, d, e))]
    return "".join("%08x" % x for x in h)


class Ring:
    def __init__(self, nodes, replicas=40):
        self.points = sorted((self.hash(f"{n}#{i}"), n) for n in nodes for i in range(replicas))

    @staticmethod
    def hash(key):
        return int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big")

    def node(self, key):
        i = bisect(self.points, (self.hash(key),)) % len(self.points)
        return self.points[i][1]


for text in (b"", b"a", b"message digest", b"x" * 200):
    assert md5(text) == hashlib.md5(text).hexdigest()
    assert sha1(text) == hashlib.sha1(text).hexdigest()
    print(md5(text), sha1(text)[:12])

ring, bigger = Ring("abc"), Ring("abcd")
keys = [f"user{i}" for i in range(300)]
moved = [k for k in keys if ring.node(k) != bigger.node(k)]
print("moved", len(moved))
assert 20 < len(moved) < 150 and all(bigger.node(k) == "d" for k in moved)
assert zlib.crc32(b"123456789") == binascii.crc32(b"123456789") == 0xCBF43926
assert zlib.decompress(zlib.compress(b"ab" * 500)) == b"ab" * 500
mac = hmac.new(b"key", b"msg", "sha256").hexdigest()
assert hmac.compare_digest(mac, hmac.new(b"key", b"msg", hashlib.sha256).hexdigest())
assert base64.b64encode(b"hello?>") == b"aGVsbG8/Pg==" and base64.urlsafe_b64decode("aGVsbG8_Pg==") == b"hello?>"
assert len({hash((1, "a")), hash((1, "a"))}) == 1 and hash(-1) == hash(-2)
