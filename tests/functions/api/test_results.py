"""Run records."""

import pytest

from functions.models import Function
from tests.functions.api.conftest import Caller, assert_problem
from tests.support import builders as make


def test_a_record_tells_what_was_executed_and_what_came_out(nobody: Caller, add: Function) -> None:
    execution = make.execution("answer = 42\n", verdict="failed")
    make.batch(add.topic, execution)
    key = bytes(execution.key).hex()
    result = nobody.get(f"/results/{key}/").json()
    assert result["key"] == key
    assert (result["verdict"], result["message"], result["line"]) == ("failed", "", None)
    assert result["log"] == [
        {"ms": 0.5, "stream": "out", "text": "first"},
        {"ms": 1.5, "stream": "out", "text": "second"},
    ]
    assert (result["cpu_us"], result["wall_us"], result["peak_bytes"]) == (1000, 2000, 4096)
    assert result["truncated"] is False
    (module,) = result["modules"]
    assert module == {"name": "Unit", "sha256": execution.program["modules"][0][1]}
    assert result["created_at"].endswith("Z")


def test_a_drafts_record_is_its_authors_alone(
    mira: Caller, otto: Caller, nobody: Caller, add: Function
) -> None:
    execution = make.execution()
    make.batch("draft:implementation-1", execution, owner=mira.user, private=True)
    path = f"/results/{bytes(execution.key).hex()}/"
    assert mira.get(path).status_code == 200
    assert_problem(otto.get(path), 404, "not_found")
    assert_problem(nobody.get(path), 404, "not_found")


@pytest.mark.parametrize("key", ["0" * 64, "x", "..%2f", "%00" * 64])
def test_a_key_without_a_record_is_a_problem(nobody: Caller, key: str) -> None:
    assert_problem(nobody.get(f"/results/{key}/"), 404, "not_found")
