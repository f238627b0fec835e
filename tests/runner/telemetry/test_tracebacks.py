"""Tracebacks that anybody may read name no place of this machine."""

import json
import sys

import pytest

from runner.telemetry.tracebacks import format_traceback
from tests.support.site import ROOT


def test_traceback_names_files_from_where_modules_are_looked_for() -> None:
    with pytest.raises(json.JSONDecodeError) as failing:
        json.loads("{")
    told = format_traceback(failing.value)
    assert 'File "tests/runner/telemetry/test_tracebacks.py"' in told
    assert 'json.loads("{")' in told
    assert "JSONDecodeError" in told
    assert str(ROOT) not in told
    assert sys.base_prefix not in told
