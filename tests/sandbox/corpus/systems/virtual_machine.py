"""An assembler and a stack machine with labels, calls and a disassembler."""
import operator
import re
from enum import IntEnum, auto
from typing import NamedTuple

class Op(IntEnum):
    HALT, PUSH, POP, DUP, SWAP = range(5)
    ADD, SUB, MUL, DIV, MOD, EQ, LT = range(16, 23)
    JMP, JZ, CALL, RET = range(32, 36)
    LOAD = auto()
    STORE = auto()
    PRINT = auto()
    PRINTC = auto()

    @property
    def has_argument(self):
        return self in ARGUMENTS

ARGUMENTS = {Op.PUSH, Op.JMP, Op.JZ, Op.CALL, Op.LOAD, Op.STORE}
BINARY = {Op.ADD: operator.add, Op.SUB: operator.sub, Op.MUL: operator.mul, Op.DIV: operator.floordiv,
          Op.MOD: operator.mod, Op.EQ: operator.eq, Op.LT: operator.lt}

class AssemblyError(Exception):
    pass

class MachineError(Exception):
    pass

class Program(NamedTuple):
    code: bytes
    labels: dict

def assemble(source):
    labels, variables, items, address = {}, {}, [], 0
    for number, line in enumerate(source.splitlines(), 1):
        line = line.partition(";")[0].strip()
        if m := re.match(r"(\w+):\s*", line):
            if m[1] in labels:
                raise AssemblyError(f"line {number}: label {m[1]} again")
            labels[m[1]] = address
            line = line[m.end():]
        if not line:
            continue
        name, *args = line.split()
        try:
            op = Op[name.upper()]
        except KeyError as exc:
            raise AssemblyError(f"line {number}: unknown instruction {name}") from exc
        if len(args) != op.has_argument:
            raise AssemblyError(f"line {number}: {op.name} takes {int(op.has_argument)} argument(s)")
        items.append((number, op, args))
        address += 1 + 2 * op.has_argument
    code = bytearray()
    for number, op, args in items:
        code.append(op)
        for arg in args:
            if op in (Op.LOAD, Op.STORE):
                value = variables.setdefault(arg, len(variables))
            elif arg in labels:
                value = labels[arg]
            elif re.fullmatch(r"-?\d+", arg):
                value = int(arg)
            elif re.fullmatch(r"'.'", arg):
                value = ord(arg[1])
            else:
                raise AssemblyError(f"line {number}: undefined {arg}")
            code += value.to_bytes(2, "big", signed=True)
    return Program(bytes(code), labels)

def disassemble(program):
    names = {v: k for k, v in program.labels.items()}
    pc = 0
    while pc < len(program.code):
        op = Op(program.code[pc])
        text = f"{names.get(pc, ''):>8} {pc:04d} {op.name.lower()}"
        pc += 1
        if op.has_argument:
            text += f" {int.from_bytes(program.code[pc:pc + 2], 'big', signed=True)}"
            pc += 2
        yield text

class Machine:
    def __init__(self, program, max_steps=100_000):
        self.code = program.code
        self.stack, self.calls, self.memory = [], [], {}
        self.output = []
        self.pc = self.steps = 0
        self.max_steps = max_steps

    def fetch(self):
        value = int.from_bytes(self.code[self.pc:self.pc + 2], "big", signed=True)
        self.pc += 2
        return value

    def run(self):
        push, pop = self.stack.append, self.stack.pop
        while self.pc < len(self.code):
            self.steps += 1
            if self.steps > self.max_steps:
                raise MachineError("too many steps")
            op = Op(self.code[self.pc])
            self.pc += 1
            try:
                match op:
                    case Op.HALT:
                        break
                    case Op.PUSH:
                        push(self.fetch())
                    case Op.POP:
                        pop()
                    case Op.DUP:
                        push(self.stack[-1])
                    case Op.SWAP:
                        self.stack[-2:] = self.stack[:-3:-1]
                    case Op.JMP:
                        self.pc = self.fetch()
                    case Op.JZ:
                        target = self.fetch()
                        if not pop():
                            self.pc = target
                    case Op.CALL:
                        self.calls.append(self.pc + 2)
                        self.pc = self.fetch()
                    case Op.RET:
                        self.pc = self.calls.pop()
                    case Op.LOAD:
                        push(self.memory.get(self.fetch(), 0))
                    case Op.STORE:
                        self.memory[self.fetch()] = pop()
                    case Op.PRINT:
                        self.output.append(str(pop()))
                    case Op.PRINTC:
                        self.output.append(chr(pop()))
                    case _:
                        b, a = pop(), pop()
                        push(int(BINARY[op](a, b)))
            except (IndexError, ZeroDivisionError) as exc:
                raise MachineError(f"{op.name} at {self.pc - 1}: {exc}") from exc
        return "".join(self.output)

FACTORIAL = """
        push 6
        call fact
        print
        halt
fact:   dup             ; n n
        push 2
        lt
        jz more
        pop
        push 1
        ret
more:   dup
        push 1
        sub
        call fact
        mul
        ret
"""
COUNT = """
        push 3
        store n
loop:   load n
        jz end
        load n
        print
        push ' '
        printc
        load n
        push 1
        sub
        store n
        jmp loop
end:    halt
""".replace("' '", "32")

def execute(source, **options):
    return Machine(assemble(source), **options).run()

assert execute(FACTORIAL) == "720"
assert execute(COUNT) == "3 2 1 "
assert execute("push 'H'\nprintc\npush -5\npush 2\nswap\nmod\nprint") == "H-3"
listing = list(disassemble(assemble(FACTORIAL)))
print(*listing, sep="\n")
assert listing[4] == "    fact 0008 dup" and len(listing) == 17
for source, error in [("jmp nowhere", "line 1: undefined nowhere"), ("add", "ADD at 0: pop from empty list"),
                      ("a:\na: halt", "line 2: label a again"), ("push", "line 1: PUSH takes 1 argument(s)"),
                      ("x: jmp x", "too many steps"), ("fly", "line 1: unknown instruction fly"),
                      ("push 1\npush 0\ndiv", "DIV at 6: ")]:
    try:
        execute(source, max_steps=500)
    except (AssemblyError, MachineError) as e:
        assert str(e).startswith(error), e
    else:
        raise AssertionError(source)
