"""The modules that programs import do what they do in Python; the others say why they can't."""

from __future__ import annotations

import subprocess
import sys

import pytest

from runner.sandbox import Limits, Module, Pool, Program, Verdict
from runner.sandbox.catalogue import PAGE, page
from runner.sandbox.compilation import complaints
from runner.sandbox.importable import IMPORTABLE
from runner.sandbox.reasons import REFUSED
from tests.sandbox.conftest import RunSource
from tests.sandbox.modules_in_use import MISTAKEN, REWORDED, USES


def test_every_module_that_is_offered_is_tried() -> None:
    assert set(USES) == set(IMPORTABLE)


@pytest.mark.parametrize("module", USES)
def test_a_module_does_what_it_does_in_python(pool: Pool, module: str) -> None:
    if sys.version_info[:3] == MISTAKEN.get(module):
        pytest.skip("this release of Python gets it wrong")
    plain = subprocess.run(
        [sys.executable, "-I", "-W", "ignore", "-c", USES[module]],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={"PYTHONHASHSEED": "0"},
        check=False,
    )
    assert plain.returncode == 0, plain.stderr
    outcome = pool.run(Program((Module("F", USES[module]),), "script", "F"))
    assert outcome.verdict is Verdict.PASSED, f"{outcome.message} (line {outcome.line})"
    printed = "\n".join(line.text for line in outcome.log)
    expected = plain.stdout
    for new, old in REWORDED.items():
        expected = expected.replace(new, old)
    assert printed.rstrip("\n") == expected.rstrip("\n")


def test_the_page_shows_the_table() -> None:
    assert PAGE.read_text("utf-8") == page(), "run `python -m runner.sandbox.catalogue`"


@pytest.mark.parametrize("name", sorted(REFUSED.keys() - IMPORTABLE.keys()))
def test_a_well_known_module_is_refused_with_a_reason(name: str) -> None:
    (found,) = complaints(f"x = 1\nimport {name}.parts as y", name="F")
    assert (found.line, found.column, found.code) == (2, 1, "policy")
    assert found.message.endswith(f": {REFUSED[name]}")


REFUSALS = {
    "import maths": "can't be imported here; did you mean `math` or `cmath`?",
    "import urllib.request": "programs reach no network",
    "import threadin": "did you mean `threading`",
    "import nothing_like_it": "`nothing_like_it` can't be imported here; there are abc, ",
    "from random import SystemRandom": "needs the system's randomness",
    "from threading import Barrier": "asyncio has what waits for others",
    "from asyncio import to_thread": "a program has one thread",
    "from pathlib import Path": "PurePosixPath works on names alone",
    "from io import open": "programs reach no files",
    "from sys import modules": "the insides of the interpreter",
    "from typing import ForwardRef": "`typing` has no `ForwardRef` here",
    "from asyncio import gathr": "did you mean `gather`",
    "from logging import FileHandler": "programs reach no files",
    "import logging.config": "make handlers and loggers in the program",
    "from logging.handlers import RotatingFileHandler": "programs reach no files",
    "from logging.handlers import QueueListener": "a program has one thread",
    "from os import listdir": "programs reach no files",
    "from gc import get_objects": "the insides of the interpreter",
    "import secrets": "use random, seeded per program",
    "from os import system": "starts no other",
    "from http.client import HTTPConnection": "programs reach no network",
    "import importlib.util": "the insides of the interpreter",
}


@pytest.mark.parametrize("source", REFUSALS)
def test_what_a_module_does_not_offer_is_refused_where_it_is_imported(source: str) -> None:
    (found,) = complaints(source, name="F")
    assert (found.code, found.line) == ("policy", 1)
    assert REFUSALS[source] in found.message


UNPREPARED = {
    "try: import numpy\nexcept KeyError: pass": "there is only the standard library",
    "try: pass\nexcept ImportError: import numpy": "there is only the standard library",
    "try: pass\nexcept ImportError: pass\nelse: import numpy": "there is only the standard library",
    "try:\n  def f(): import tempfile\nexcept ImportError: pass": "programs reach no files",
    "try: from math import _x\nexcept ImportError: pass": "`_x` is private to math",
}


@pytest.mark.parametrize("source", UNPREPARED)
def test_an_import_may_fail_only_where_the_program_is_prepared_for_it(source: str) -> None:
    (found,) = complaints(source, name="F")
    assert found.code == "policy"
    assert UNPREPARED[source] in found.message


def test_arguments_of_the_command_line_can_be_assigned(run_code: RunSource) -> None:
    code = "import sys\nsys.argv = ['program', '-v']\nfrom sys import argv\nassert argv[1] == '-v'"
    assert run_code(code).verdict is Verdict.PASSED


AT_RUN_TIME = {
    "import types\ntypes.coroutine(len)": "generator functions of your own",
    "import types\ntypes.coroutine(lambda: 0)": "generator functions only",
    "import gc\ngc.set_threshold(1)": "isn't the program's to change",
    "exec('x = 1', [])": "must be in a dict",
    "exec('print = log')": "text can't set the builtin `print`",
    "exec('import tempfile')": "programs reach no files",
    "import random\nrandom.SystemRandom()": "needs the system's randomness",
    "import os\nos.listdir('/')": "programs reach no files",
    "import os\nos.environ['A'] = 'b'": "can't be changed here",
    "import sys\nsys._getframe()": "_getframe",
    "import sys\nsys.settrace(None)": "the insides of the interpreter",
    "import asyncio\nasyncio.to_thread(print)": "a program has one thread",
    "import io\nio.open_code('x')": "`io` has no `open_code` here",
    "import timeit\ntimeit.timeit('1 + 1')": "text isn't run as code",
    "import logging\nlogging.captureWarnings(True)": "warnings go to the log as they are",
    "import argparse\nargparse.FileType('r')": "programs reach no files",
    "import logging\nlogging.basicConfig(filename='x')": "no `filename` here",
    "import ast\nast.fix_missing_locations(print)": "nodes of `ast` only",
    "import importlib\nimportlib.import_module('ctypes')": "the insides of the interpreter",
    "import math\nmath.pi = 3": "can't be changed",
    "import sys\nsys.maxsize = 3": "can't be changed",
}


@pytest.mark.parametrize("source", AT_RUN_TIME)
def test_what_a_module_does_not_offer_is_refused_where_it_is_used(
    run_code: RunSource, source: str
) -> None:
    outcome = run_code(source)
    assert outcome.verdict is Verdict.POLICY, outcome
    assert AT_RUN_TIME[source] in outcome.message
    assert outcome.line == source.count("\n") + 1


def test_a_module_can_be_asked_what_it_has(run_code: RunSource) -> None:
    code = (
        "import math, random, sys\n"
        "assert hasattr(math, 'sqrt') and not hasattr(math, 'nope')\n"
        "assert not hasattr(random, 'SystemRandom') and getattr(sys, 'modules', 5) == 5\n"
        "assert 'sqrt' in dir(math) and 'SystemRandom' not in dir(random)\n"
    )
    outcome = run_code(code)
    assert outcome.verdict is Verdict.PASSED, outcome.message


def test_chance_comes_from_the_seed_of_the_program(pool: Pool) -> None:
    source = (
        "import random, uuid\nprint(random.Random().random(), uuid.uuid4())\n"
        "random.seed()\nprint(random.random())\n"
    )

    def printed(seed: bytes) -> list[str]:
        program = Program((Module("F", source),), "script", "F", seed=seed)
        return [line.text for line in pool.run(program).log]

    assert printed(b"a" * 32) == printed(b"a" * 32) != printed(b"b" * 32)


def test_waiting_for_what_can_never_come_is_an_error(run_code: RunSource) -> None:
    for source, said in {
        "import queue\nqueue.Queue().get()": "one thread",
        "import threading\nl = threading.Lock()\nl.acquire()\nl.acquire()": "one thread",
        "import asyncio\nasync def f():\n    await asyncio.Event().wait()\nasyncio.run(f())": (
            "nothing is left that could wake one"
        ),
    }.items():
        outcome = run_code(source)
        assert outcome.verdict is Verdict.ERROR
        assert said in outcome.message


def test_what_goes_to_stderr_and_warnings_is_logged(run_code: RunSource) -> None:
    outcome = run_code(
        "import sys, warnings, logging\nprint('a', file=sys.stderr)\nwarnings.warn('careful')\n"
        "logging.warning('low %d', 3)\nsys.stdout.write('no end')"
    )
    assert [line.text for line in outcome.log] == [
        "a",
        "UserWarning: careful",
        "WARNING:root:low 3",
        "no end",
    ]


def test_a_traceback_shows_frames_of_user_code_only(run_code: RunSource) -> None:
    outcome = run_code(
        "import traceback, functools\ndef f(x):\n    return 1 / x\n"
        "try:\n    functools.reduce(lambda a, b: f(b), [1, 0])\n"
        "except ZeroDivisionError:\n    traceback.print_exc()\n"
    )
    texts = [line.text for line in outcome.log]
    assert texts[0] == "Traceback (most recent call last):"
    assert [text for text in texts if text.startswith("  File ")] == [
        '  File "test", line 5, in <module>',
        '  File "test", line 5, in <lambda>',
        '  File "test", line 3, in f',
    ]
    assert "    return 1 / x" in texts
    assert texts[-1] == "ZeroDivisionError: division by zero"


def test_the_recursion_limit_goes_as_deep_as_a_program_may(run_code: RunSource) -> None:
    outcome = run_code(
        "import sys\nsys.setrecursionlimit(10 ** 9)\nassert sys.getrecursionlimit() <= 50_000\n"
        "sys.setrecursionlimit(1)\nassert sys.getrecursionlimit() >= 200"
    )
    assert outcome.verdict is Verdict.PASSED, outcome.message


def test_no_recursion_limit_is_higher_than_the_programs_own(run_code: RunSource) -> None:
    code = "import sys\nsys.setrecursionlimit(10 ** 9)\nassert sys.getrecursionlimit() == 700"
    outcome = run_code(code, limits=Limits(recursion=700))
    assert outcome.verdict is Verdict.PASSED, outcome.message


def test_standard_output_can_be_assigned(run_code: RunSource) -> None:
    outcome = run_code(
        "import io, sys\nold = sys.stdout\nsys.stdout = io.StringIO()\nprint('kept')\n"
        "kept, sys.stdout = sys.stdout.getvalue(), old\nassert kept == 'kept\\n'\nprint('told')"
    )
    assert outcome.verdict is Verdict.PASSED, outcome.message
    assert [line.text for line in outcome.log] == ["told"]
