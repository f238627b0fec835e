"""LZ77 over bytes with a tiny container format, compared with zlib."""
import io
import struct
import zlib
from contextlib import suppress

MAGIC = b"LZ7\x01"
HEADER = struct.Struct(">4sII")
TOKEN = struct.Struct(">HBB")


class CorruptData(Exception):
    pass


def tokens(data: bytes, window: int = 2000, longest: int = 255):
    i = 0
    view = memoryview(data)
    while i < len(data):
        best_length = best_offset = 0
        length = 3
        start = max(0, i - window)
        while length < longest and i + length < len(data):
            where = data.rfind(bytes(view[i:i + length]), start, i + length - 1)
            if where < 0:
                break
            best_length, best_offset = length, i - where
            length += 1
        yield best_offset, best_length, data[i + best_length]
        i += best_length + 1


def compress(data: bytes) -> bytes:
    out = io.BytesIO()
    out.write(HEADER.pack(MAGIC, len(data), zlib.crc32(data)))
    for token in tokens(data):
        out.write(TOKEN.pack(*token))
    return out.getvalue()


def decompress(packed: bytes) -> bytes:
    stream = io.BytesIO(packed)
    try:
        magic, size, crc = HEADER.unpack(stream.read(HEADER.size))
    except struct.error as e:
        raise CorruptData("no header") from e
    if magic != MAGIC:
        raise CorruptData(f"bad magic {magic!r}")
    out = bytearray()
    while chunk := stream.read(TOKEN.size):
        offset, length, literal = TOKEN.unpack(chunk)
        if offset > len(out):
            raise CorruptData("points before the beginning")
        for _ in range(length):
            out.append(out[-offset])
        out.append(literal)
    if len(out) != size or zlib.crc32(out) != crc:
        raise CorruptData("the checksum differs")
    return bytes(out)


samples = {
    "empty": b"",
    "one": b"x",
    "run": b"a" * 500,
    "song": b"".join(b"%d bottles of beer on the wall, %d bottles of beer.\n" % (n, n) for n in range(40, 0, -1)),
    "every byte": bytes(range(256)),
    "utf-8": "na\u00efve caf\u00e9 \u2013 ".encode() * 12,
}
for name, sample in samples.items():
    packed = compress(sample)
    assert decompress(packed) == sample, name
    print("{:<11}{:>6}{:>6} (zlib {})".format(name, len(sample), len(packed), len(zlib.compress(sample))))

assert len(compress(samples["run"])) < 30
assert len(compress(samples["song"])) < len(samples["song"]) * 0.6

good = bytearray(compress(b"hello hello hello"))
for damage in (b"", b"nonsense", b"PK\x03\x04" + bytes(8)):
    with suppress(CorruptData):
        decompress(damage)
        raise AssertionError(damage)
good[-1] ^= 0xFF
try:
    decompress(bytes(good))
except CorruptData as error:
    assert error.__cause__ is None and "checksum" in error.args[0]
try:
    decompress(b"short")
except CorruptData as error:
    assert isinstance(error.__cause__, struct.error)
