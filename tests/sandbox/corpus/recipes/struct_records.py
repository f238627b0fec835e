"""Packing binary records with struct, array, int.to_bytes and memoryview."""
import array
import io
import struct
from collections import namedtuple
from struct import calcsize, iter_unpack, pack, pack_into, unpack, unpack_from

Student = namedtuple('Student', 'name serialnum school gradelevel')
POINT = struct.Struct('<hhI')


class Field:
    def __init__(self, fmt, default=0):
        self.fmt, self.default = fmt, default

    def __set_name__(self, owner, name):
        self.name = name
        owner._fields = getattr(owner, '_fields', ()) + (self,)

    def __get__(self, obj, owner):
        if obj is None:
            return self
        return obj._values.get(self.name, self.default)

    def __set__(self, obj, value):
        try:
            pack('>' + self.fmt, value)
        except struct.error as exc:
            raise ValueError(f'{self.name}: {exc}') from exc
        obj._values[self.name] = value


class Record:
    def __init__(self, **kw):
        self._values = {}
        for name, value in kw.items():
            setattr(self, name, value)

    @classmethod
    def layout(cls):
        return struct.Struct('>' + ''.join(f.fmt for f in cls._fields))

    def __bytes__(self):
        return self.layout().pack(*(getattr(self, f.name) for f in self._fields))

    @classmethod
    def from_bytes(cls, data):
        return cls(**dict(zip((f.name for f in cls._fields), cls.layout().unpack(data))))

    def __repr__(self):
        inner = ', '.join('%s=%r' % (f.name, getattr(self, f.name)) for f in self._fields)
        return '%s(%s)' % (type(self).__name__, inner)


class Header(Record):
    magic = Field('4s', b'DEMO')
    version = Field('H', 1)
    flags = Field('B')
    size = Field('I')


class PackedFlags:
    """Several small integers inside one word."""

    LAYOUT = (('kind', 3), ('urgent', 1), ('length', 12))

    def __init__(self, word=0):
        self.word = word

    def __getattr__(self, name):
        shift = 0
        for field, bits in self.LAYOUT:
            if field == name:
                return self.word >> shift & (1 << bits) - 1
            shift += bits
        raise AttributeError(name)

    def with_(self, **kw):
        word, shift = 0, 0
        for field, bits in self.LAYOUT:
            value = kw.get(field, getattr(self, field))
            if value >> bits:
                raise OverflowError(f'{field} needs more than {bits} bits')
            word |= value << shift
            shift += bits
        return PackedFlags(word)


def varint(n):
    out = bytearray()
    while n > 0x7f:
        out.append(n & 0x7f | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)


def read_varint(stream):
    shift = result = 0
    while True:
        byte = stream.read(1)
        if not byte:
            raise EOFError('truncated')
        result |= (byte[0] & 0x7f) << shift
        if not byte[0] & 0x80:
            return result
        shift += 7


def wav_header(rate, samples):
    data = array.array('h', samples).tobytes()
    return struct.pack('<4sI4s4sIHHIIHH4sI', b'RIFF', 36 + len(data), b'WAVE', b'fmt ', 16, 1, 1, rate,
                       rate * 2, 2, 16, b'data', len(data)) + data


def main():
    record = b'raymond   \x32\x12\x08\x01\x08'
    s = Student._make(unpack('<10sHHb', record))
    assert s == Student(b'raymond   ', 4658, 264, 8)
    assert calcsize('<10sHHb') == len(record) == 15
    assert pack('>bhl', 1, 2, 3) == b'\x01\x00\x02\x00\x00\x00\x03'
    assert pack('<f', 0.5).hex() == '0000003f' and unpack('>d', bytes.fromhex('400921fb54442d18'))[0] > 3.14159
    buf = bytearray(POINT.size * 2)
    POINT.pack_into(buf, 0, -1, 2, 3)
    pack_into('<hhI', buf, POINT.size, 4, 5, 6)
    assert list(iter_unpack('<hhI', buf)) == [(-1, 2, 3), (4, 5, 6)]
    assert unpack_from('<I', buf, 4) == (3,) and POINT.format == '<hhI'

    h = Header(size=1000, flags=0b101)
    raw = bytes(h)
    assert raw == b'DEMO\x00\x01\x05\x00\x00\x03\xe8'
    assert repr(Header.from_bytes(raw)) == "Header(magic=b'DEMO', version=1, flags=5, size=1000)"
    try:
        h.flags = 256
    except ValueError as e:
        assert str(e).startswith('flags: ') and isinstance(e.__cause__, struct.error)
    else:
        raise AssertionError
    assert isinstance(Header.magic, Field)

    f = PackedFlags().with_(kind=5, length=300)
    assert f.word == 5 | 300 << 4 and f.kind == 5 and f.urgent == 0
    assert f.with_(urgent=1).length == 300
    for bad in (lambda: f.with_(kind=8), lambda: f.colour):
        try:
            bad()
        except (OverflowError, AttributeError) as e:
            print(type(e).__name__, e)
        else:
            raise AssertionError

    stream = io.BytesIO(b''.join(map(varint, (0, 127, 128, 300, 2**40))))
    assert [read_varint(stream) for _ in range(5)] == [0, 127, 128, 300, 2**40]
    try:
        read_varint(stream)
    except EOFError:
        pass
    wav = wav_header(8000, [0, 1000, -1000])
    assert wav[:4] == b'RIFF' and len(wav) == 50
    view = memoryview(wav)[44:].cast('h')
    assert view.tolist() == [0, 1000, -1000]
    a = array.array('i', range(5))
    a.append(9)
    a[0] = -1
    assert a.tolist() == [-1, 1, 2, 3, 4, 9] and a.typecode == 'i' and sum(a[1:4]) == 6
    assert (1024).to_bytes(2, 'big') == b'\x04\x00' and int.from_bytes(b'\xff\xfe', 'little', signed=True) == -257


main()
