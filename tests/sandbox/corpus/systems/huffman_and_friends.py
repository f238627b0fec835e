"""Codecs: Huffman with a bit stream, LZ77, base58, Luhn, ISBN, Hamming(7,4), Morse, Roman."""
import heapq
import itertools as it
from collections import Counter
from functools import reduce
from operator import xor


class BitWriter:
    def __init__(self):
        self._bits = []

    def write(self, bits):
        self._bits += map(int, bits)

    def getvalue(self):
        pad = -len(self._bits) % 8
        bits = self._bits + [0] * pad
        out = bytearray([pad])
        for i in range(0, len(bits), 8):
            out.append(reduce(lambda n, b: n << 1 | b, bits[i:i + 8], 0))
        return bytes(out)


def read_bits(data):
    pad, *rest = data
    total = len(rest) * 8 - pad
    for i, byte in enumerate(rest):
        for shift in range(7, -1, -1):
            if i * 8 + 7 - shift < total:
                yield byte >> shift & 1


class Huffman:
    """Codes for the symbols of a text.

    >>> Huffman('aab').codes
    {'b': '0', 'a': '1'}
    """

    def __init__(self, text):
        tick = it.count()
        heap = [(n, next(tick), ch) for ch, n in sorted(Counter(text).items())]
        heapq.heapify(heap)
        while len(heap) > 1:
            (n, _, a), (m, _, b) = heapq.heappop(heap), heapq.heappop(heap)
            heapq.heappush(heap, (n + m, next(tick), (a, b)))
        self.tree = heap[0][2]
        self.codes = dict(self._walk(self.tree))

    def _walk(self, node, prefix=''):
        if isinstance(node, str):
            yield node, prefix or '0'
        else:
            for bit, child in zip('01', node):
                yield from self._walk(child, prefix + bit)

    def encode(self, text):
        w = BitWriter()
        for ch in text:
            w.write(self.codes[ch])
        return w.getvalue()

    def decode(self, data):
        out, node = [], self.tree
        for bit in read_bits(data):
            if not isinstance(node, str):
                node = node[bit]
            if isinstance(node, str):
                out.append(node)
                node = self.tree
        return ''.join(out)


def lz77(text, window=32):
    i = 0
    while i < len(text):
        best = (0, 0)
        for start in range(max(0, i - window), i):
            length = 0
            while i + length < len(text) - 1 and text[start + length] == text[i + length]:
                length += 1
            best = max(best, (length, i - start))
        length, distance = best
        yield distance, length, text[i + length]
        i += length + 1


def unlz77(triples):
    out = ''
    for distance, length, ch in triples:
        for _ in range(length):
            out += out[-distance]
        out += ch
    return out


B58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'


def base58(data):
    n, out = int.from_bytes(data, 'big'), ''
    while n:
        n, r = divmod(n, 58)
        out = B58[r] + out
    return '1' * (len(data) - len(data.lstrip(b'\0'))) + out


def unbase58(text):
    n = reduce(lambda n, c: n * 58 + B58.index(c), text, 0)
    body = n.to_bytes((n.bit_length() + 7) // 8, 'big')
    return b'\0' * (len(text) - len(text.lstrip('1'))) + body


def luhn(number):
    digits = [int(d) for d in str(number) if d.isdigit()][::-1]
    return sum(digits[::2] + [sum(divmod(2 * d, 10)) for d in digits[1::2]]) % 10 == 0


def isbn13(text):
    digits = [int(c) for c in text if c.isdigit()]
    return len(digits) == 13 and sum(d * w for d, w in zip(digits, it.cycle((1, 3)))) % 10 == 0


def fletcher16(data):
    a = b = 0
    for byte in data:
        a = (a + byte) % 255
        b = (b + a) % 255
    return b << 8 | a


def hamming_encode(nibble):
    d = [nibble >> i & 1 for i in range(4)]
    return [d[0] ^ d[1] ^ d[3], d[0] ^ d[2] ^ d[3], d[0], d[1] ^ d[2] ^ d[3], d[1], d[2], d[3]]


def hamming_decode(bits):
    bits = list(bits)
    wrong = reduce(xor, (i for i, b in enumerate(bits, 1) if b), 0)
    if wrong:
        bits[wrong - 1] ^= 1
    return bits[2] | bits[4] << 1 | bits[5] << 2 | bits[6] << 3


MORSE = dict(zip('ETIANMSURWDKGOHVFLPJBXCYZQ', '. - .. .- -. -- ... ..- .-. .-- -.. -.- --. --- .... ...- '
                 '..-. .-.. .--. .--- -... -..- -.-. -.-- --.. --.-'.split()))
UNMORSE = {v: k for k, v in MORSE.items()}
ROMAN = list(zip('M CM D CD C XC L XL X IX V IV I'.split(), (1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1)))


def roman(n):
    out = []
    for letters, value in ROMAN:
        times, n = divmod(n, value)
        out.append(letters * times)
    return ''.join(out)


def unroman(text):
    values = [dict(ROMAN)[c] for c in text] + [0]
    return sum(-a if a < b else a for a, b in it.pairwise(values))


def gray(n):
    return n ^ n >> 1


TEXT = 'she sells sea shells by the sea shore; the shells she sells are sea shells for sure'
h = Huffman(TEXT)
packed = h.encode(TEXT)
assert h.decode(packed) == TEXT and len(packed) < len(TEXT) * 0.6
assert all(not b.startswith(a) for a, b in it.permutations(h.codes.values(), 2))
assert Huffman('aab').codes == {'b': '0', 'a': '1'} and Huffman('zzz').decode(Huffman('zzz').encode('zzz')) == 'zzz'
triples = list(lz77(TEXT))
assert unlz77(triples) == TEXT and len(triples) < len(TEXT) / 1.5 and unlz77(lz77('aaaaaa')) == 'aaaaaa'
assert base58(b'Hello World!') == '2NEpo7TZRRrLZSi2U' and unbase58(base58(b'\0\0abc')) == b'\0\0abc'
assert luhn('4539 1488 0343 6467') and not luhn(8273123273520569)
assert isbn13('978-0-306-40615-7') and not isbn13('978-0-306-40615-8') and fletcher16(b'abcde') == 0xC8F0
for n, flip in it.product(range(16), range(8)):
    word = hamming_encode(n)
    if flip < 7:
        word[flip] ^= 1
    assert hamming_decode(word) == n, (n, flip)
assert ' '.join(MORSE[c] for c in 'SOS') == '... --- ...' and ''.join(UNMORSE[m] for m in '.... ..'.split()) == 'HI'
assert all(unroman(roman(n)) == n for n in range(1, 4000)) and roman(1994) == 'MCMXCIV'
assert [f'{gray(n):03b}' for n in range(4)] == ['000', '001', '011', '010']
print(f'{len(TEXT)} -> {len(packed)} bytes')
