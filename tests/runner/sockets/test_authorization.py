"""Permission is asked for many at once, and each is told what it alone may."""

import asyncio

import pytest
from django.contrib.auth.models import AnonymousUser

from runner import registry
from runner.events.topics import Actor
from runner.sockets.authorization import AccessCheck, permissions
from runner.sockets.topic_log import query
from tests.support.sockets.server import signed_in

NOBODY = AnonymousUser()


@pytest.mark.usefixtures("transactional_db")
async def test_what_is_asked_together_is_granted_to_each_apart() -> None:
    mira, _, _ = await query(signed_in, "mira")
    otto, _, _ = await query(signed_in, "otto")
    topic = f"private:{mira.pk}"
    wishes: list[tuple[Actor, str]] = [
        (mira, topic),
        (otto, topic),
        (NOBODY, topic),
        (NOBODY, "open:a"),
        (otto, "odd:1"),
    ]
    states = await asyncio.gather(*(permissions().open_topic(*wish) for wish in wishes))
    assert [state is not None for state in states] == [True, False, False, True, False]


@pytest.mark.usefixtures("transactional_db")
async def test_a_question_that_fails_spoils_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_actor: Actor, _row_id: str) -> bool:
        raise LookupError

    monkeypatch.setitem(registry.topic_permissions, "broken", fail)
    broken, opened = await asyncio.gather(
        permissions().open_topic(NOBODY, "broken:1"),
        permissions().open_topic(NOBODY, "open:a"),
        return_exceptions=True,
    )
    assert isinstance(broken, LookupError)
    assert not isinstance(opened, BaseException)
    assert opened is not None


@pytest.mark.usefixtures("transactional_db")
async def test_many_of_nobody_who_want_the_same_are_one_question(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []

    def may_follow(_actor: Actor, row_id: str) -> bool:
        asked.append(row_id)
        return row_id != "closed"

    monkeypatch.setitem(registry.topic_permissions, "door", may_follow)
    looks = [AccessCheck(NOBODY, "", ["door:ajar", "door:closed"])] * 30
    findings = await asyncio.gather(*(permissions().check(look) for look in looks))
    assert [finding.forbidden for finding in findings] == [["door:closed"]] * 30
    assert sorted(asked) == ["ajar", "closed"]


@pytest.mark.usefixtures("transactional_db")
async def test_each_is_looked_at_by_its_own_session() -> None:
    mira, client, here = await query(signed_in, "mira")
    _, _, elsewhere = await query(signed_in, "mira")
    looks = [
        AccessCheck(mira, cookie.partition("=")[2], ["open:a"]) for cookie in (here, elsewhere)
    ]
    await query(client.logout)
    findings = await asyncio.gather(*(permissions().check(look) for look in looks))
    assert [finding.is_signed_out for finding in findings] == [True, False]
