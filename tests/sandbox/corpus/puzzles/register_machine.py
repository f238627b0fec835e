"""A little assembler and a virtual machine with jumps, a stack and input as generators."""
from __future__ import annotations

import operator
from collections import defaultdict
from typing import Callable, Generator


class MachineError(RuntimeError): pass


class Machine:
    """Runs a program; instructions are the methods whose names begin with op_."""
    def __init__(self, source: str, limit: int = 10_000):
        self.registers: dict[str, int] = defaultdict(int)
        self.stack: list[int] = []
        self.labels: dict[str, int] = {}
        self.program: list[tuple[str, list[str]]] = []
        self.counter = self.steps = 0
        self.limit = limit
        for line in source.splitlines():
            line = line.partition(";")[0].strip()
            if line.endswith(":"):
                self.labels[line[:-1]] = len(self.program)
            elif line:
                name, *args = line.replace(",", " ").split()
                self.program.append((name.lower(), args))

    def value(self, text: str) -> int:
        try:
            return int(text, 0)
        except ValueError:
            return self.registers[text]

    def run(self) -> Generator[int, int, None]:
        """Yields what the program prints; what is sent answers its `in`."""
        while 0 <= self.counter < len(self.program):
            self.steps += 1
            if self.steps > self.limit:
                raise MachineError(f"still running after {self.limit} steps")
            name, args = self.program[self.counter]
            self.counter += 1
            if name == "out":
                yield self.value(args[0])
            elif name == "in":
                self.registers[args[0]] = yield None
            elif name == "halt":
                return
            else:
                handler = getattr(self, "op_" + name, None)
                if handler is None:
                    raise MachineError(f"line {self.counter}: unknown instruction {name!r}")
                try:
                    handler(*args)
                except (TypeError, IndexError, KeyError) as e:
                    raise MachineError(f"line {self.counter}: {name}: {e}") from e

    def op_mov(self, target, source): self.registers[target] = self.value(source)

    def op_push(self, source): self.stack.append(self.value(source))

    def op_pop(self, target): self.registers[target] = self.stack.pop()

    def op_jmp(self, label): self.counter = self.labels[label]

    def op_jz(self, source, label):
        self.value(source) or self.op_jmp(label)

    def op_jnz(self, source, label):
        self.value(source) and self.op_jmp(label)

    def op_call(self, label):
        self.stack.append(self.counter)
        self.op_jmp(label)

    def op_ret(self): self.counter = self.stack.pop()


def binary(function: Callable[[int, int], int]):
    def instruction(self, target, source):
        self.registers[target] = function(self.registers[target], self.value(source))

    return instruction


for _name in ("add", "sub", "mul", "mod", "floordiv", "xor", "lt", "eq"):
    setattr(Machine, f"op_{_name}", binary(getattr(operator, _name)))


def execute(source: str, *inputs: int, **registers: int) -> list[int]:
    machine = Machine(source)
    machine.registers |= registers
    process, waiting, out = machine.run(), iter(inputs), []
    try:
        item = next(process)
        while True:
            if item is None:
                item = process.send(next(waiting))
            else:
                out.append(int(item))
                item = next(process)
    except StopIteration:
        return out


GCD = """
again:
    mov t, b      ; the old b
    mod a, b
    mov b, a
    mov a, t
    jnz b, again
    out a
"""

FIB = """
    in n
    call fib
    out r
    halt
fib:
    mov t, n
    lt t, 2
    jz t, deeper
    mov r, n
    ret
deeper:
    push n
    sub n, 1
    call fib
    pop n
    push r
    sub n, 2
    call fib
    pop t
    add r, t
    ret
"""

assert execute(GCD, a=1071, b=462) == [21]
assert [execute(FIB, n)[0] for n in range(10)] == [0, 1, 1, 2, 3, 5, 8, 13, 21, 34]
assert execute("mov a 0xff\nxor a, 0b1111\nout a") == [0xF0]
for bad, why in {"l:\njmp l": "still running", "jump x": "unknown", "pop a": "pop", "jmp x": "'x'", "mov a": "missing"}.items():
    try:
        execute(bad)
    except MachineError as e:
        assert why in str(e), e
        print(e)
    else:
        raise AssertionError(bad)
