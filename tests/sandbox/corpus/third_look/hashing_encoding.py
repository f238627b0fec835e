import base64
import binascii
import hashlib
import hmac
import uuid
import zlib
import codecs
from urllib.parse import quote, unquote, urlencode, urlparse, parse_qs, urljoin


class MerkleTree:
    def __init__(self, leaves):
        self.levels = [[self.h(b"\0" + l) for l in leaves]]
        while len(self.levels[-1]) > 1:
            cur = self.levels[-1]
            if len(cur) % 2:
                cur = cur + cur[-1:]
            self.levels.append([self.h(b"\1" + a + b) for a, b in zip(cur[::2], cur[1::2])])

    @staticmethod
    def h(b):
        return hashlib.sha256(b).digest()

    @property
    def root(self):
        return self.levels[-1][0].hex()

    def proof(self, i):
        path = []
        for level in self.levels[:-1]:
            j = i ^ 1
            path.append((level[j] if j < len(level) else level[i], j < i))
            i //= 2
        return path

    @classmethod
    def verify(cls, leaf, path, root):
        h = cls.h(b"\0" + leaf)
        for sib, left in path:
            h = cls.h(b"\1" + (sib + h if left else h + sib))
        return hmac.compare_digest(h.hex(), root)


class Block:
    def __init__(self, prev, data):
        self.prev, self.data, self.nonce = prev, data, 0

    @property
    def hash(self):
        return hashlib.sha256(f"{self.prev}{self.data}{self.nonce}".encode()).hexdigest()

    def mine(self, zeros):
        while not self.hash.startswith("0" * zeros):
            self.nonce += 1
        return self


leaves = [b"a", b"b", b"c", b"d", b"e"]
t = MerkleTree(leaves)
assert all(MerkleTree.verify(l, t.proof(i), t.root) for i, l in enumerate(leaves))
assert not MerkleTree.verify(b"x", t.proof(0), t.root)
b1 = Block("0" * 64, "genesis").mine(2)
assert b1.hash.startswith("00")
assert hashlib.md5(b"hello").hexdigest() == "5d41402abc4b2a76b9719d911017c592"
h = hashlib.new("sha1")
h.update(b"a")
h.update(b"bc")
assert h.hexdigest() == "a9993e364706816aba3e25717850c26c9cd0d89d"
assert hmac.new(b"k", b"m", hashlib.sha256).hexdigest()[:8] == hmac.new(b"k", b"m", "sha256").hexdigest()[:8]
assert base64.b64encode(b"\xff\xfe?") == b"//4/" and base64.urlsafe_b64decode("__4_") == b"\xff\xfe?"
assert base64.b32encode(b"hi") == b"NBUQ====" and base64.b16decode("6869") == b"hi" and base64.b85decode(base64.b85encode(b"xyz1")) == b"xyz1"
assert uuid.uuid5(uuid.NAMESPACE_DNS, "python.org") == uuid.UUID("886313e1-3b8a-5372-9b90-0c9aee199e5d")
data = b"abc" * 100
z = zlib.compress(data, 9)
assert zlib.decompress(z) == data and len(z) < 30 and zlib.adler32(b"a") == 6422626
assert binascii.hexlify(b"\x01\xab") == b"01ab" and binascii.crc32(b"hello") == 907060870
assert codecs.encode("uryyb", "rot13") == "hello" and "é".encode("latin-1") == b"\xe9"
try:
    "é".encode("ascii")
except UnicodeEncodeError as e:
    assert e.start == 0 and e.reason.startswith("ordinal")
assert b"\xff".decode("utf-8", "replace") == "\ufffd" and "é".encode("ascii", "backslashreplace") == b"\\xe9"
assert quote("a b/é") == "a%20b/%C3%A9" and unquote("%41") == "A" and urlencode({"q": "x y", "n": 1}) == "q=x+y&n=1"
u = urlparse("https://user@host:8080/p/a;x?q=1&q=2#frag")
assert (u.scheme, u.hostname, u.port, u.path) == ("https", "host", 8080, "/p/a") and parse_qs(u.query) == {"q": ["1", "2"]}
assert urljoin("http://a/b/c", "../d") == "http://a/d"
print(t.root[:16], b1.nonce, hashlib.pbkdf2_hmac("sha256", b"pw", b"salt", 10).hex()[:8])
