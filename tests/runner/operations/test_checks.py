"""What the machinery asks of its database."""

import pytest

from runner.operations import checks


@pytest.mark.django_db
def test_a_database_that_is_too_old_is_refused_with_what_to_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert checks.check_postgresql(databases=["default"]) == []
    monkeypatch.setattr(checks, "OLDEST_POSTGRESQL", 99)
    (error,) = checks.check_postgresql(databases=["default"])
    assert "99 is needed" in error.msg
    assert "DATABASE_URL" in str(error.hint)
    assert checks.check_postgresql() == []
