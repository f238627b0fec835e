"""Numbers in any base, balanced ternary, factoradic, and base64 by hand."""
import base64
import string

DIGITS = string.digits + string.ascii_lowercase


def to_base(n: int, base: int = 10) -> str:
    if not 2 <= base <= len(DIGITS):
        raise ValueError(f"{base=} is not supported")
    if n < 0:
        return "-" + to_base(-n, base)
    out = ""
    while True:
        n, d = divmod(n, base)
        out = DIGITS[d] + out
        if not n:
            return out


def from_base(text: str, base: int = 10) -> int:
    text = text.strip().lower().replace("_", "")
    sign = -1 if text.startswith("-") else 1
    value = 0
    for c in text.removeprefix("-"):
        d = DIGITS.find(c)
        if not 0 <= d < base:
            raise ValueError(f"{c!r} is not a digit of base {base}")
        value = value * base + d
    return sign * value


def fraction_to_base(x: float, base: int, places: int = 12) -> str:
    out = []
    while x and len(out) < places:
        x *= base
        whole = int(x)
        out.append(DIGITS[whole])
        x -= whole
    return "0." + ("".join(out) or "0")


def negabinary(n: int) -> str:
    out = []
    while n:
        n, d = divmod(n, -2)
        if d < 0:
            n, d = n + 1, d + 2
        out.append(str(d))
    return "".join(reversed(out)) or "0"


def balanced(n: int) -> str:
    out = []
    while n:
        d = (n + 1) % 3 - 1
        out.insert(0, "T01"[d + 1])
        n = (n - d) // 3
    return "".join(out) or "0"


def unbalanced(text: str) -> int:
    value = 0
    for c in text:
        value = 3 * value + {"T": -1, "0": 0, "1": 1}[c]
    return value


def factoradic(n: int) -> list[int]:
    out, radix = [], 1
    while n or not out:
        n, d = divmod(n, radix)
        out.append(d)
        radix += 1
    return out[::-1]


def permutation(n: int, items: str) -> str:
    digits = factoradic(n)
    pool, digits = list(items), [0] * (len(items) - len(digits)) + digits
    return "".join(pool.pop(d) for d in digits)


B64 = string.ascii_uppercase + string.ascii_lowercase + string.digits + "+/"


def my_b64(data: bytes) -> str:
    out = []
    for i in range(0, len(data), 3):
        chunk = data[i:i + 3]
        n = int.from_bytes(chunk.ljust(3, b"\0"), "big")
        letters = [B64[n >> shift & 63] for shift in (18, 12, 6, 0)]
        letters[len(chunk) + 1:] = "=" * (3 - len(chunk))
        out += letters
    return "".join(out)


for n in (0, 1, -1, 255, 2**40 + 7, -98765):
    for base in range(2, 37):
        text = to_base(n, base)
        assert from_base(text, base) == int(text, base) == n
    assert unbalanced(balanced(n)) == n
assert to_base(255, 16) == f"{255:x}" == hex(255)[2:] and to_base(8, 8) == oct(8)[2:]
assert from_base("FF_ff", 16) == 0xFFFF
assert negabinary(2) == "110" and negabinary(-3) == "1101" and balanced(8) == "10T"
assert fraction_to_base(0.625, 2) == "0.101" and fraction_to_base(0.1, 3, 5) == "0.00220"
assert factoradic(463) == [3, 4, 1, 0, 1, 0] and permutation(5, "abc") == "cba"
assert [permutation(i, "abcd") for i in range(3)] == ["abcd", "abdc", "acbd"]
for data in (b"", b"M", b"Ma", b"Man", bytes(range(100))):
    assert my_b64(data) == base64.b64encode(data).decode("ascii")
assert base64.b32encode(b"hi") == b"NBUQ====" and (1.5).hex() == "0x1.8000000000000p+0"
for call in (lambda: to_base(1, 99), lambda: from_base("12", 2)):
    try:
        call()
    except ValueError as e:
        print(e)
    else:
        assert 0
