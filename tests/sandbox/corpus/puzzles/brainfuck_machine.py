"""An interpreter for the eight-letter language, compiled to tuples first."""
from itertools import groupby
import io
import typing


class Syntax(Exception):
    ...


class OutOfSteps(Exception):
    def __init__(self, output: bytes):
        super().__init__(f"gave up; so far {output!r}")
        self.output = output


Op = tuple[str, int]


def compile_(source: str) -> list[Op]:
    ops: list[Op] = []
    loops: list[int] = []
    code = (c for c in source if c in "+-<>.,[]")
    for c, run in groupby(code):
        n = sum(1 for _ in run)
        if c in "+-":
            ops.append(("add", n if c == "+" else -n))
        elif c in "<>":
            ops.append(("move", n if c == ">" else -n))
        elif c == "[":
            for _ in range(n):
                loops.append(len(ops))
                ops.append(("open", -1))
        elif c == "]":
            for _ in range(n):
                if not loops:
                    raise Syntax("] without [")
                start = loops.pop()
                body = ops[start + 1:]
                if body == [("add", -1)]:
                    ops[start:] = [("zero", 0)]
                else:
                    ops[start] = "open", len(ops)
                    ops.append(("close", start))
        else:
            ops.extend([(c, 1)] * n)
    if loops:
        raise Syntax("%d unclosed [" % len(loops))
    return ops


def run(source: str, given: bytes | str = b"", *, limit: int = 200_000, size: int = 300) -> bytes:
    if isinstance(given, str):
        given = given.encode()
    ops, stdin, out = compile_(source), io.BytesIO(given), bytearray()
    tape, at, pc = bytearray(size), 0, 0
    while pc < len(ops):
        limit -= 1
        if limit < 0:
            raise OutOfSteps(bytes(out))
        op, n = ops[pc]
        if op == "add":
            tape[at] = (tape[at] + n) % 256
        elif op == "move":
            at = (at + n) % size
        elif op == "open":
            if not tape[at]:
                pc = n
        elif op == "close":
            if tape[at]:
                pc = n
        elif op == "zero":
            tape[at] = 0
        elif op == ".":
            out.append(tape[at])
        elif op == ",":
            tape[at] = int.from_bytes(stdin.read(1), "big")
        pc += 1
    return bytes(out)


def encode(text: str) -> typing.Iterator[str]:
    """A program that prints the text, one difference at a time."""
    last = 0
    for byte in text.encode("latin-1"):
        step = byte - last
        yield ("+" if step > 0 else "-") * abs(step) + "."
        last = byte


HELLO = """
++++++++[>++++[>++>+++>+++>+<<<<-]>+>+>->>+[<]<-]>>.>---.+++++++..+++.>>.
<-.<.+++.------.--------.>>+.>++.
"""
REVERSE = ">,[>,]<[.<]"
ADD = ",>,[<+>-]<."
UPPER = ",[--------------------------------.,]"

assert run(HELLO) == b"Hello World!\n"
assert run(REVERSE, "stressed") == b"desserts"
assert run(ADD, bytes([40, 2])) == b"*"
assert run(UPPER, "loud").decode() == "LOUD"
assert run("".join(encode("caf\u00e9!"))) == "caf\u00e9!".encode("latin-1")
assert run("-.") == b"\xff" and run("") == b"" and run("comments only") == b""
assert compile_("+++[-]>>") == [("add", 3), ("zero", 0), ("move", 2)]
assert compile_("[[]]")[0] == ("open", 3)
for bad in "[", "]", "[[]", "][":
    try:
        compile_(bad)
    except Syntax as e:
        print(bad, "->", e)
    else:
        assert False
try:
    run("+[.]", limit=10)
except OutOfSteps as e:
    assert e.output == b"\x01" * 4, e
