"""Toy public-key cryptography. For understanding only, never for secrets."""
import hashlib
import math
import random
from dataclasses import InitVar, dataclass, field


def probably_prime(n, rounds=8, rng=random.Random(17)):
    if n < 4:
        return n in (2, 3)
    if n % 2 == 0:
        return False
    s = ((n - 1) & -(n - 1)).bit_length() - 1
    d = n - 1 >> s
    for _ in range(rounds):
        x = pow(rng.randrange(2, n - 1), d, n)
        if x == 1 or x == n - 1:
            continue
        for _ in range(s - 1):
            x = pow(x, 2, n)
            if x == n - 1:
                break
        else:
            return False
    return True


def random_prime(bits, rng):
    while not probably_prime(p := rng.getrandbits(bits) | 1 | 1 << bits - 1):
        pass
    return p


@dataclass(frozen=True)
class PublicKey:
    n: int
    e: int = 65537

    @property
    def block(self):
        return (self.n.bit_length() - 1) // 8

    def encrypt(self, message: bytes) -> list:
        size = self.block - 1
        chunks = (message[i:i + size] for i in range(0, len(message), size))
        return [pow(int.from_bytes(b"\x01" + c, "big"), self.e, self.n) for c in chunks]

    def verify(self, message: bytes, signature: int) -> bool:
        return pow(signature, self.e, self.n) == fingerprint(message, self.n)


@dataclass
class KeyPair:
    bits: InitVar[int] = 128
    seed: InitVar[object] = None
    public: PublicKey = field(init=False)
    _d: int = field(init=False, repr=False)

    def __post_init__(self, bits, seed):
        rng = random.Random(seed)
        e = 65537
        while True:
            p, q = random_prime(bits // 2, rng), random_prime(bits // 2, rng)
            phi = math.lcm(p - 1, q - 1)
            if p != q and math.gcd(e, phi) == 1:
                break
        self.public = PublicKey(p * q, e)
        self._d = pow(e, -1, phi)

    def decrypt(self, blocks) -> bytes:
        out = b""
        for block in blocks:
            n = pow(block, self._d, self.public.n)
            out += n.to_bytes((n.bit_length() + 7) // 8, "big")[1:]
        return out

    def sign(self, message: bytes) -> int:
        return pow(fingerprint(message, self.public.n), self._d, self.public.n)


def fingerprint(message, n):
    return int(hashlib.sha256(message).hexdigest(), base=16) % n


class Party:
    """One side of a Diffie-Hellman exchange."""

    P, G = 2**127 - 1, 3

    def __init__(self, name, secret):
        self.name = name
        self.__secret = secret
        self.public = pow(self.G, secret, self.P)

    def shared(self, other):
        return pow(other.public, self.__secret, self.P)


def feistel(block, keys):
    left, right = divmod(block, 1 << 32)
    for key in keys:
        noise = int.from_bytes(hashlib.md5(b"%d:%d" % (right, key)).digest()[:4], "little")
        left, right = right, left ^ noise
    return right << 32 | left


pair = KeyPair(192, seed="alice")
message = "Attack at dawn \u2014 bring caf\u00e9!".encode("utf-8") * 3
blocks = pair.public.encrypt(message)
assert pair.decrypt(blocks) == message
assert all(b < pair.public.n for b in blocks)
signature = pair.sign(b"I owe you 5")
assert pair.public.verify(b"I owe you 5", signature)
assert not pair.public.verify(b"I owe you 500", signature)
assert "_d" not in repr(pair) and pair.public.n.bit_length() in (191, 192)
assert KeyPair(64, "x").public == KeyPair(64, "x").public != KeyPair(64, "y").public
alice, bob, eve = Party("alice", 12345678901), Party("bob", 98765432109), Party("eve", 42)
assert alice.shared(bob) == bob.shared(alice) != eve.shared(bob)
assert not hasattr(alice, "__secret")
keys = [3, 1, 4, 1, 5, 9]
cipher = feistel(0x0123456789ABCDEF, keys)
assert cipher != 0x0123456789ABCDEF and feistel(cipher, keys[::-1]) == 0x0123456789ABCDEF
print(f"{len(blocks)} blocks, n = {pair.public.n:#x}"[:60])
