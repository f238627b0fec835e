"""Run lengths, three ways."""
import re
from itertools import chain, groupby, repeat

# --- with groupby ---------------------------------------------------------

def encode(s): return "".join(f"{n if (n := len(list(g))) > 1 else ''}{c}" for c, g in groupby(s))

def decode(s): return re.sub(r"(\d+)(\D)", lambda m: m[2] * int(m[1]), s)

# --- with a regular expression ---------------------------------------------

def encode_re(s):
    return re.sub(r"(.)\1*", lambda m: f"{len(m[0]):d}{m[1]}", s, flags=re.DOTALL)

# --- with a loop --------------------------------------------------------------

def pairs(iterable):
    iterator = iter(iterable)
    try:
        last = next(iterator)
    except StopIteration:
        return
    n = 1
    for item in iterator:
        if item == last:
            n += 1
        else:
            yield last, n
            last, n = item, 1
    yield last, n

def unpairs(ps): return chain.from_iterable(repeat(x, n) for x, n in ps)

# --- PackBits on bytes --------------------------------------------------------

def packbits(data: bytes) -> bytes:
    out = bytearray()
    literal = bytearray()

    def flush():
        nonlocal literal
        while literal:
            head, literal = literal[:128], literal[128:]
            out.append(len(head) - 1)
            out.extend(head)

    for byte, n in pairs(data):
        while n > 1:
            flush()
            m = min(n, 128)
            out += bytes([(257 - m) & 0xFF, byte])
            n -= m
        if n:
            literal.append(byte)
    flush()
    return bytes(out)

def unpackbits(data):
    out, it = bytearray(), iter(data)
    for head in it:
        if head < 128:
            out.extend(next(it) for _ in range(head + 1))
        else:
            out += bytes([next(it)]) * (257 - head)
    return bytes(out)

def look_and_say(seed="1"):
    while True:
        yield seed
        seed = encode_re(seed)

s = "WWWWWWWWWWWWBWWWWWWWWWWWWBBBWWWWWWWWWWWWWWWWWWWWWWWWBWWWWWWWWWWWWWW"
assert encode(s) == "12WB12W3B24WB14W"
assert decode(encode(s)) == s and encode("") == decode("") == ""
assert encode_re("aab\n\n") == "2a1b2\n"
assert list(pairs("aabbba")) == [("a", 2), ("b", 3), ("a", 1)] and list(pairs([])) == []
assert "".join(unpairs(pairs(s))) == s
terms = look_and_say()
assert [next(terms) for _ in range(6)] == ["1", "11", "21", "1211", "111221", "312211"]
for data in (b"", b"\xaa" * 300, bytes(range(200)), b"aaabcdddddef" * 9, b"\xaa\xaa\xaa\x80\x00\x2a\xaa\xaa"):
    assert unpackbits(packbits(data)) == data
assert packbits(b"\xaa\xaa\xaa\x80\x00\x2a") == b"\xfe\xaa\x02\x80\x00\x2a"
print(encode(s), len(packbits(s.encode("ascii"))))
