"""base64, binascii, zlib, hashlib, hmac: everyday bytes."""
import base64
import binascii
import hashlib
import hmac
import json
import zlib


def hexdump(data, width=8):
    for offset in range(0, len(data), width):
        chunk = data[offset:offset + width]
        hexes = ' '.join('%02x' % b for b in chunk)
        text = ''.join(chr(b) if 32 <= b < 127 else '.' for b in chunk)
        yield '%04x  %-*s  %s' % (offset, width * 3 - 1, hexes, text)


def b64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b'=').decode()


def unb64url(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + '=' * (-len(text) % 4))


class BadToken(Exception):
    pass


class Signer:
    def __init__(self, key: bytes):
        self.__key = key

    def _mac(self, body):
        return b64url(hmac.new(self.__key, body.encode(), hashlib.sha256).digest())

    def dumps(self, obj):
        body = b64url(json.dumps(obj, sort_keys=True).encode())
        return f'{body}.{self._mac(body)}'

    def loads(self, token):
        try:
            body, mac = token.split('.')
        except ValueError as exc:
            raise BadToken('malformed') from exc
        if not hmac.compare_digest(mac, self._mac(body)):
            raise BadToken('bad signature')
        return json.loads(unb64url(body))


def hotp(key, counter, digits=6):
    mac = hmac.digest(key, counter.to_bytes(8, 'big'), 'sha1')
    offset = mac[-1] & 15
    code = int.from_bytes(mac[offset:offset + 4], 'big') & 0x7fffffff
    return str(code % 10 ** digits).zfill(digits)


def hash_password(password, salt=b'0123456789abcdef', rounds=50):
    digest = hashlib.pbkdf2_hmac('sha256', password.encode(), salt, rounds)
    return '$'.join(['pbkdf2', str(rounds), salt.hex(), digest.hex()])


def check_password(password, stored):
    _, rounds, salt, _ = stored.split('$')
    return hmac.compare_digest(stored, hash_password(password, bytes.fromhex(salt), int(rounds)))


def proof_of_work(text, bits=8):
    nonce = 0
    while int(hashlib.sha256(b'%s%d' % (text, nonce)).hexdigest(), 16) >> (256 - bits):
        nonce += 1
    return nonce


def xor(data, key):
    return bytes(b ^ key[i % len(key)] for i, b in enumerate(data))


def rle(data):
    out = bytearray()
    i = 0
    while i < len(data):
        run = 1
        while i + run < len(data) and data[i + run] == data[i] and run < 255:
            run += 1
        out += bytes([run, data[i]])
        i += run
    return bytes(out)


def un_rle(data):
    return b''.join(bytes([value]) * count for count, value in zip(data[::2], data[1::2]))


lines = list(hexdump(b'Hello, World!\n'))
print(*lines, sep='\n')
assert lines[1] == '0008  6f 72 6c 64 21 0a        orld!.'
assert base64.b64encode(b'data to be encoded') == b'ZGF0YSB0byBiZSBlbmNvZGVk'
assert base64.b32encode(b'foo').decode() == 'MZXW6===' and base64.b16decode('ff0A', casefold=True) == b'\xff\n'
assert base64.b85decode(base64.b85encode(b'round')) == b'round' and base64.a85encode(b'test') == b'FCfN8'
for n in range(10):
    assert unb64url(b64url(bytes(range(250, 250 - n, -1)))) == bytes(range(250, 250 - n, -1))
assert binascii.hexlify(b'\x01\xfe', '-') == b'01-fe' and binascii.unhexlify('c0de') == b'\xc0\xde'
assert binascii.crc32(b'hello') == zlib.crc32(b'hello') == 0x3610a686
try:
    base64.b64decode('abc', validate=True)
except binascii.Error as e:
    assert 'padding' in str(e)
else:
    raise AssertionError

signer = Signer(b'secret')
token = signer.dumps({'user': 7})
assert signer.loads(token) == {'user': 7}
for bad in (token[:-1] + 'A', token.upper(), 'nodots'):
    try:
        signer.loads(bad)
    except BadToken:
        pass
    else:
        raise AssertionError(bad)
assert [hotp(b'12345678901234567890', i) for i in range(3)] == ['755224', '287082', '359152']
stored = hash_password('hunter2')
assert check_password('hunter2', stored) and not check_password('hunter3', stored)
assert hashlib.sha256(b'abc' + str(proof_of_work(b'abc')).encode()).hexdigest().startswith('00')

data = b'a' * 40 + b'bcd' + b'\0' * 300
packed = zlib.compress(data, level=9)
assert len(packed) < 40 and zlib.decompress(packed) == data
assert un_rle(rle(data)) == data and len(rle(data)) == 12
c = zlib.compressobj()
pieces = [c.compress(data[i:i + 50]) for i in range(0, len(data), 50)] + [c.flush()]
assert zlib.decompressobj().decompress(b''.join(pieces)) == data
assert xor(xor(b'attack at dawn', b'key'), b'key') == b'attack at dawn'
h = hashlib.md5()
h.update(b'hello ')
h.update(b'world')
assert h.hexdigest() == hashlib.new('md5', b'hello world').hexdigest() == '5eb63bbbe01eeed093cb22bb8f5acdc3'
assert h.digest_size == 16 and h.name == 'md5' and h.copy().digest() == h.digest()
assert hashlib.blake2b(b'x', digest_size=8).digest() != hashlib.blake2b(b'x', digest_size=8, key=b'k').digest()
assert hashlib.sha3_256().hexdigest()[:8] == 'a7ffc6f8'
