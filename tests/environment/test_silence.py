"""A run of the tests that has fallen silent ends by itself, and not well."""

import subprocess
import sys

from tests.site import ROOT

SILENT = """
import time
from tests.plugins.silence import Listener
Listener(0.1, look_seconds=0.05)
time.sleep(600)
"""


def test_a_run_that_is_silent_for_long_says_where_it_stands_and_ends() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", SILENT], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 3
    assert "no test has ended" in ended.stderr
    assert 'File "<string>", line 5 in <module>' in ended.stderr
