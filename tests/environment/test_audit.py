"""`make audit` takes no silence for safety."""

import pytest

from tests.audit import Unanswered, npm_vulnerabilities, python_vulnerabilities


def test_vulnerabilities_are_named_with_their_cure() -> None:
    found = {"id": "PYSEC-1", "fix_versions": ["2.1"]}
    libraries = [
        {"name": "good", "version": "1", "vulns": []},
        {"name": "bad", "version": "2", "vulns": [found]},
    ]
    assert python_vulnerabilities({"dependencies": libraries}) == ["bad 2: PYSEC-1, fixed in 2.1"]
    worst = {"range": "<3", "severity": "high"}
    assert npm_vulnerabilities({"vulnerabilities": {"bad": worst}}) == ["bad <3: high"]


def test_libraries_that_a_service_knows_nothing_of_were_not_audited() -> None:
    skipped = {"name": "own", "skip_reason": "not found"}
    with pytest.raises(Unanswered, match="own"):
        python_vulnerabilities({"dependencies": [skipped]})
    with pytest.raises(Unanswered, match="405"):
        npm_vulnerabilities({"message": "405 Method Not Allowed"})
