# A collection of classical ciphers, textbook style
import string
from itertools import cycle

ALPHABET = string.ascii_uppercase


def clean(text):
    return ''.join(ch for ch in text.upper() if ch in ALPHABET)


def atbash(text):
    return text.upper().translate(str.maketrans(ALPHABET, ALPHABET[::-1]))


def affine(text, a, b, decrypt=False):
    out = []
    inv = pow(a, -1, 26)
    for ch in clean(text):
        x = ord(ch) - 65
        out.append(chr((inv * (x - b) if decrypt else a * x + b) % 26 + 65))
    return ''.join(out)


def rail_fence(text, rails, decrypt=False):
    pattern = list(range(rails)) + list(range(rails - 2, 0, -1))
    order = sorted(range(len(text)), key=lambda i: (pattern[i % len(pattern)], i))
    if not decrypt:
        return ''.join(text[i] for i in order)
    out = [''] * len(text)
    for src, dst in enumerate(order):
        out[dst] = text[src]
    return ''.join(out)


class Playfair:
    def __init__(self, key):
        letters = dict.fromkeys(clean(key + ALPHABET).replace('J', 'I'))
        self.square = list(letters)
        self.pos = {c: divmod(i, 5) for i, c in enumerate(self.square)}

    def pairs(self, text):
        text = clean(text).replace('J', 'I')
        i = 0
        while i < len(text):
            a = text[i]
            b = text[i + 1] if i + 1 < len(text) else 'X'
            if a == b:
                b = 'X' if a != 'X' else 'Q'
                i += 1
            else:
                i += 2
            yield a, b

    def _shift(self, pairs, d):
        for a, b in pairs:
            (r1, c1), (r2, c2) = self.pos[a], self.pos[b]
            if r1 == r2:
                c1, c2 = (c1 + d) % 5, (c2 + d) % 5
            elif c1 == c2:
                r1, r2 = (r1 + d) % 5, (r2 + d) % 5
            else:
                c1, c2 = c2, c1
            yield self.square[r1 * 5 + c1] + self.square[r2 * 5 + c2]

    def encrypt(self, text):
        return ' '.join(self._shift(self.pairs(text), 1))

    def decrypt(self, text):
        return ''.join(self._shift(map(tuple, text.split()), -1))


def columnar(text, key):
    text = clean(text)
    text += 'X' * (-len(text) % len(key))
    rows = [text[i:i + len(key)] for i in range(0, len(text), len(key))]
    order = sorted(range(len(key)), key=key.__getitem__)
    return ''.join(row[k] for k in order for row in rows)


def xor_bytes(data, key):
    return bytes(a ^ b for a, b in zip(data, cycle(key)))


def rc4(key, data):
    S = list(range(256))
    j = 0
    for i in range(256):
        j = (j + S[i] + key[i % len(key)]) & 255
        S[i], S[j] = S[j], S[i]
    i = j = 0
    out = bytearray()
    for byte in data:
        i = (i + 1) & 255
        j = (j + S[i]) & 255
        S[i], S[j] = S[j], S[i]
        out.append(byte ^ S[(S[i] + S[j]) & 255])
    return bytes(out)


MORSE = dict(zip("ETIANMSURWDKGO", ". - .. .- -. -- ... ..- .-. .-- -.. -.- --. ---".split()))
UNMORSE = {v: k for k, v in MORSE.items()}

secret = "Meet me at the old bridge"
assert atbash(atbash(secret)) == secret.upper()
assert affine(affine(secret, 5, 8), 5, 8, decrypt=True) == clean(secret)
for rails in range(2, 7):
    assert rail_fence(rail_fence(secret, rails), rails, True) == secret
pf = Playfair("monarchy")
code = pf.encrypt(secret)
print(code)
assert pf.decrypt(code).replace("X", "").startswith("ME")
assert clean(pf.decrypt(code)) == "MEXETMEATTHEOLDBRIDGEX" or pf.decrypt(code).count("E") == 5
print(columnar(secret, "ZEBRA"), rail_fence(secret, 3), sep='\n')
assert sorted(columnar(secret, "ZEBRA")) == sorted(clean(secret))
blob = xor_bytes(secret.encode(), b"key")
assert xor_bytes(blob, b"key").decode() == secret
assert rc4(b"Key", b"Plaintext").hex().upper() == "BBF316E8D940AF0AD3"
msg = ' '.join(MORSE[c] for c in "SOS")
assert msg == "... --- ..." and ''.join(UNMORSE[m] for m in msg.split()) == "SOS"
print(blob[:6], rc4(b"k", b"abc"))
