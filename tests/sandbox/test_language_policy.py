"""What is refused when a program is compiled, where, and with which way out; and what isn't."""

from __future__ import annotations

import threading

import pytest

from runner.sandbox import IMPORTABLE, Verdict
from runner.sandbox.language.compilation import check, complaints
from runner.sandbox.language.importable import REFUSED
from tests.sandbox.conftest import RunSource

FILES = "programs reach no files; pass the content as an argument, or use io.StringIO"
NETWORK = "programs reach no network; pass the data as an argument"

# Source; line, column, and what is said of it.
POLICY = {
    "x = 1\nimport tempfile, math": (2, 1, f"`tempfile` can't be imported here: {FILES}"),
    "from .a import b": (1, 1, "relative imports aren't available; name the function as <<Name>>"),
    "import numpy as np": (1, 1, "there is only the standard library"),
    "import maths": (1, 1, "did you mean `math` or `cmath`?"),
    "import threadin": (1, 1, "did you mean `threading`"),
    "import nothing_like_it": (1, 1, "`nothing_like_it` can't be imported here"),
    "import urllib.request": (1, 1, NETWORK),
    "import concurrent.futures.process": (1, 1, "starts no processes"),
    "from http.client import HTTPConnection": (1, 1, NETWORK),
    "from io import open": (1, 1, FILES),
    "from os import listdir as ls": (1, 1, f"`os.listdir` isn't available here: {FILES}"),
    "from os import system": (1, 1, "starts no processes"),
    "from logging import FileHandler": (1, 1, FILES),
    "from concurrent.futures import ProcessPoolExecutor": (1, 1, "starts no processes"),
    "import os\nos.remove('x')": (2, 1, f"`os.remove` isn't available here: {FILES}"),
    "import os as system\nsystem.fork()": (2, 1, "`os.fork` isn't available here"),
    "from concurrent import futures\nfutures.ProcessPoolExecutor": (2, 1, "starts no processes"),
    "def f():\n    import shutil\n    shutil.rmtree('/')": (
        3,
        5,
        "`shutil.rmtree` isn't available",
    ),
    "open('x')": (1, 1, f"`open` isn't available here: {FILES}"),
    "def f(): return breakpoint()": (1, 17, "use print(...) to see values"),
    "try: import numpy\nexcept KeyError: pass": (1, 6, "there is only the standard library"),
    "try: pass\nexcept ImportError: import numpy": (2, 21, "there is only the standard library"),
    "try: pass\nexcept ImportError: pass\nelse: import numpy": (3, 7, "only the standard library"),
    "try:\n  def f(): import tempfile\nexcept ImportError: pass": (2, 12, FILES),
    "with open_database(): import numpy": (1, 23, "there is only the standard library"),
}
SYNTAX = {
    "x = (1,\n  2": (1, 5, "'(' was never closed"),
    "def f(:": (1, 7, "invalid syntax"),
    "x = = 1": (1, 5, "invalid syntax at `=`"),
    "return 1": (1, 1, "'return' outside function"),
    "if x:\npass": (2, 1, "expected an indented block"),
    "a = '\\0'\nb = '\0'": (2, 6, "NUL"),
    "a = 'é\ud800'": (1, 7, "surrogate"),
    "x = " + "-" * 3000 + "1": (1, 1, "nested too deeply; split"),
    "x = " + "(" * 300 + ")" * 300: (1, 205, "too many nested parentheses"),
    "#" * 300_000: (1, 1, "longer than 256 KiB"),
    "nonlocal x": (1, 1, "nonlocal declaration not allowed at module level"),
}
REFUSALS = [
    *((source, "policy", *said) for source, said in POLICY.items()),
    *((source, "syntax_error", *said) for source, said in SYNTAX.items()),
]

# What a cautious policy might take for something else.
FINE = [
    "import os\nprint(os.path.join('a', 'b'), os.environ.get('HOME'), os.urandom(4))",
    "def f(os): return os.remove('x')",
    "import os\ndef f(os): return os.remove('x')",
    "def open(name): return name\nopen('x')",
    "from bz2 import open\nopen",
    "class File:\n    def open(self): return self\nFile().open()",
    "def f(open=len): return open([1])",
    "match [1]:\n    case [open]: print(open)\n    case [1, *help]: print(help)",
    "match {}:\n    case {'a': 1, **open}: print(open)",
    "for open in [len]: open('')",
    "try: import numpy\nexcept ImportError: numpy = None",
    "try:\n    import numpy as np\nexcept (KeyError, ModuleNotFoundError): np = None",
    "try: import numpy\nexcept: pass",
    "try: import numpy\nexcept* ImportError: pass",
    "import contextlib\nwith contextlib.suppress(ImportError): import numpy",
    "from contextlib import suppress\nwith suppress(KeyError, ImportError):\n    import numpy",
    "(lambda: 0).__globals__, ().__class__.__base__.__subclasses__()",
    "class A:\n    def __del__(self): pass\n    def __reduce__(self): return A, ()",
    "exec('x = 1')\nprint(eval('1 + 1'), compile('1', '', 'eval'))",
    "_write_ = _getattr_ = __builtins__",
    "import sys\nsys._getframe().f_globals['x'] = 1",
    "async def f():\n    async with a as b: [c async for c in d]",
    "raise SystemError('executed')\r\nx = 1\r\n",
]


@pytest.mark.parametrize(
    ("source", "code", "line", "column", "message"), REFUSALS, ids=lambda value: ascii(value)[:40]
)
def test_what_is_refused_has_its_place_and_a_way_out(
    source: str, code: str, line: int, column: int, message: str
) -> None:
    found = complaints(source, name="F")[0]
    assert (found.line, found.column, found.code) == (line, column, code), found
    assert message in found.message


@pytest.mark.parametrize("source", FINE, ids=lambda source: ascii(source)[:40])
def test_what_can_work_is_not_refused_and_not_executed(source: str) -> None:
    assert complaints(source, name="F") == []


@pytest.mark.parametrize("name", sorted(REFUSED.keys() - IMPORTABLE))
def test_a_well_known_module_is_refused_with_a_reason(name: str) -> None:
    (found,) = complaints(f"x = 1\nimport {name}.parts as y", name="F")
    assert (found.line, found.column, found.code) == (2, 1, "policy")
    assert found.message.endswith(f": {REFUSED[name]}")


def test_all_complaints_come_in_the_order_of_their_lines() -> None:
    found = complaints("import socket\nopen('x')\nimport pty\n", name="F")
    assert [complaint.line for complaint in found] == [1, 2, 3]


def test_code_that_does_nothing_is_known_as_empty() -> None:
    assert check("# nothing\n\n", name="F").is_empty
    assert not check("pass", name="F").is_empty


def test_complaints_may_be_asked_for_from_several_threads() -> None:
    source = "x = " + " + ".join(["1"] * 300)
    found: list[object] = []
    threads = [
        threading.Thread(target=lambda: found.append(complaints(source, name="F")))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [[]] * 8


AT_RUN_TIME = {
    "__import__('socket')": f"ModuleNotFoundError: `socket` can't be imported here: {NETWORK}",
    "import importlib\nimportlib.import_module('tempfile')": FILES,
    "import importlib\nimportlib.import_module('subprocess')": "starts no processes",
    "exec('import ctypes')": "the insides of the interpreter are out of reach",
    "__import__('numpy')": "only the standard library",
    "__import__('tempfil')": "ModuleNotFoundError",
}


@pytest.mark.parametrize("source", AT_RUN_TIME)
def test_an_import_at_run_time_says_why_it_fails(run_code: RunSource, source: str) -> None:
    outcome = run_code(source)
    assert outcome.verdict is Verdict.ERROR, outcome
    assert AT_RUN_TIME[source] in outcome.message
    assert outcome.line == source.count("\n") + 1
