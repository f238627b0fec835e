"""A seccomp filter interpreted in Python, so that filters can be compared by what they decide."""

from __future__ import annotations

import struct
from collections.abc import Callable

_JUMPS: dict[int, Callable[[int, int], bool]] = {
    0x15: lambda accumulator, constant: accumulator == constant,
    0x25: lambda accumulator, constant: accumulator > constant,
    0x35: lambda accumulator, constant: accumulator >= constant,
    0x45: lambda accumulator, constant: bool(accumulator & constant),
}


def decide(program: bytes, architecture: int, number: int, arguments: tuple[int, ...] = ()) -> int:
    """What the filter returns for one system call."""
    padded = (*arguments, *[0] * (6 - len(arguments)))
    call = struct.pack("<iIQ6Q", number, architecture, 0, *padded)
    instructions = list(struct.iter_unpack("<HBBI", program))
    accumulator, at = 0, 0
    while True:
        code, if_true, if_false, constant = instructions[at]
        at += 1
        if code == 0x20:
            (accumulator,) = struct.unpack_from("<I", call, constant)
        elif code == 0x54:
            accumulator &= constant
        elif code == 0x05:
            at += constant
        elif code == 0x06:
            return int(constant)
        else:
            at += if_true if _JUMPS[code](accumulator, constant) else if_false
