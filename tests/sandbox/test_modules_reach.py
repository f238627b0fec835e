"""Nothing that can be imported leads out of the language."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from runner.sandbox import Verdict
from tests.sandbox.conftest import RunSource

PROGRAM = Path(__file__).with_name("reaching.py")


def reached(*planted: str) -> tuple[list[str], int]:
    """What should not have been reached, and how many objects were looked at."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(PROGRAM), *planted],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(PROGRAM.parents[2])},
    )
    *found, count = done.stdout.splitlines()
    return found, int(count)


def test_nothing_leads_to_modules_frames_code_or_what_makes_classes() -> None:
    # A module that is planted shows that it would be found.
    found, count = reached("textwrap")
    assert found == ["planted.textwrap.inner: a module"]
    assert count > 20_000


# Each calls `reached(...)` with what it was after, if it gets that far.
ABUSES = {
    "all of a module, as members of an enum": (
        "import enum\nclass E(enum.Enum): pass\nreached(E._convert_('X', 'os', lambda n: True))"
    ),
    "a default that a docstring names": (
        "import inspect\nclass A:\n    'A(x=os.system)\\n--\\n\\n'\n"
        "reached(inspect.signature(A).parameters['x'].default)"
    ),
    "annotations run by a signature": (
        "import inspect\ndef f(x: 'print.__self__'): pass\n"
        "reached(inspect.Signature.from_callable(f, eval_str=True))"
    ),
    "annotations of a library's function": (
        "import textwrap, typing\ntextwrap.dedent.__annotations__['x'] = 're'\n"
        "reached(typing.get_type_hints(textwrap.dedent)['x'])"
    ),
    "an annotation that calls": (
        "import typing\nclass A:\n    x: 'A()'\nreached(typing.get_type_hints(A))"
    ),
    "an annotation that names a guard": (
        "import typing\ndef f(x): pass\nf.__annotations__ = {'x': '_getattr_'}\n"
        "reached(typing.get_type_hints(f))"
    ),
    "an annotation that names what is private": (
        "import typing\ndef f(x): pass\nf.__annotations__ = {'x': 'f.__globals__'}\n"
        "reached(typing.get_type_hints(f))"
    ),
    "fields of a node that is none": (
        "import ast\ndef f(): pass\nf._fields = ('__globals__',)\nreached(dict(ast.iter_fields(f)))"
    ),
    "fields of a node of one's own": (
        "import ast\nclass N(ast.AST):\n    _fields = ('__dict__',)\n"
        "reached(dict(ast.iter_fields(N())))"
    ),
    "a module through a recorder of warnings": (
        "import warnings\nclass C(warnings.catch_warnings):\n    def m(self): return self._module\n"
        "reached(C().m())"
    ),
    "a redirection of another attribute of sys": (
        "import contextlib\nclass R(contextlib.redirect_stdout):\n    _stream = _name = 'modules'\n"
        "with R({}): reached(1)"
    ),
    "a path's module": (
        "import pathlib\nclass P(pathlib.PurePosixPath):\n"
        "    def m(self): return self._flavour.pathmod\nreached(P().m())"
    ),
    "frames of a task": (
        "import asyncio\nasync def f():\n    return asyncio.current_task().get_stack()\n"
        "frames = asyncio.run(f())\nreached(frames) if frames else 1 / 0"
    ),
    "the formatter of strings": (
        "import string\nclass F(string.Formatter): pass\n"
        "reached(F().vformat('{0.__init__.__globals__}', (F,), {}))"
    ),
    "logging in another style": (
        "import logging\ndef f(): pass\nr = logging.LogRecord('n', 10, 'p', 1, f, (), None)\n"
        "reached(logging.Formatter('{msg.__init__.__globals__}', style='{').format(r))"
    ),
    "a record that is none, to be written to": (
        "import logging.handlers, textwrap\nclass F(logging.Formatter):\n"
        "    def format(self, record): return 'x'\nclass Q:\n"
        "    put_nowait = staticmethod(reached)\nh = logging.handlers.QueueHandler(Q)\n"
        "h.setFormatter(F())\nh.emit(textwrap.TextWrapper)"
    ),
    "a record formatted that is a class": (
        "import logging, textwrap\nlogging.Formatter().format(textwrap.TextWrapper)\nreached(1)"
    ),
    "extra attributes of a record by other names": (
        "import logging\nlogging.error('x', extra={'__class__': int})\nreached(1)"
    ),
    "what is wrong with a record, passed over": (
        "import logging\nclass S:\n    def write(self, text): return getattr(text, '__globals__')\n"
        "logging.StreamHandler(S()).emit(logging.LogRecord('n', 10, 'p', 1, 'm', (), None))\n"
        "reached(1)"
    ),
    "a dataclass of fields by other names": (
        "import dataclasses\nreached(dataclasses.make_dataclass('A', [('__globals__', int)]))"
    ),
    "a dataclass with a method by another name": (
        "import dataclasses\n"
        "reached(dataclasses.make_dataclass('A', [], namespace={'__reduce__': len}))"
    ),
    "an enum of other names": (
        "import enum\nreached(enum.Enum('E', {'__reduce_ex__': lambda s, p: 1}))"
    ),
    "an enum of two minds about its names": (
        "import enum\nclass S(str):\n    def startswith(self, *a): return False\n"
        "reached(enum.Enum('E', [S('__init__')]))"
    ),
    "a wrapper of what isn't one's own": (
        "import functools, textwrap\ndef f(): 'changed'\n"
        "functools.update_wrapper(textwrap.dedent, f)\n"
        "reached(1) if textwrap.dedent.__doc__ == 'changed' else 1 / 0"
    ),
    "members of an object": (
        "import inspect\nfound = [n for n, _ in inspect.getmembers(len) if n == '__self__']\n"
        "reached(found) if found else 1 / 0"
    ),
    "threads of a loop": (
        "import asyncio\nasync def f():\n"
        "    return asyncio.get_running_loop().run_in_executor(None, print)\n"
        "reached(asyncio.run(f()))"
    ),
    "a converter of a parser": (
        "import configparser\n"
        "p = configparser.ConfigParser(converters={'x': reached})\nassert p.read('/etc/passwd')"
    ),
    "text that is timed": "import timeit\ntimeit.timeit('reached(1)', number=1)",
    "a dictionary of a module": (
        "import math\nmath.__dict__['pi'] = 3\nreached(1) if math.pi == 3 else 1 / 0"
    ),
    "a module made anew": "import math\nreached(type(math)('os', {}).system)",
}


@pytest.mark.parametrize("name", ABUSES)
def test_what_could_be_abused_is_closed(run_test: RunSource, name: str) -> None:
    outcome = run_test(
        "def F(thing): log('reached', type(thing))", ABUSES[name].replace("reached(", "F(")
    )
    assert [line.text for line in outcome.log if line.text.startswith("reached")] == []
    assert outcome.verdict is not Verdict.PASSED, outcome


def test_memory_that_runs_out_in_a_task_is_the_programs(run_code: RunSource) -> None:
    outcome = run_code(
        "import asyncio\nasync def f():\n    return bytearray(10 ** 12)\nasync def main():\n"
        "    await asyncio.gather(f(), return_exceptions=True)\nasyncio.run(main())"
    )
    assert outcome.verdict is Verdict.MEMORY_LIMIT, outcome
