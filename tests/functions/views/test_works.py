"""Votes, copies, withdrawals and verdicts, as forms post them."""

import re

import pytest
from django.test import Client

from functions.models import Implementation, Vote, Work
from tests.functions.views.conftest import SignedIn
from tests.support.works import constant, define, implement

pytestmark = pytest.mark.django_db

JSON = {"Accept": "application/json"}


@pytest.fixture
def work() -> Implementation:
    """Publish an implementation by ida for a function of olga's."""
    return implement(define("Two", owner="olga"), constant("Two", 2), author="ida")


def path_of(work: Implementation, action: str) -> str:
    return f"/implementations/{work.pk}/{action}/"


def test_a_vote_is_answered_with_the_score(as_person: SignedIn, work: Implementation) -> None:
    person = as_person("nora")
    answer = person.post(path_of(work, "vote"), {"value": 1}, headers=JSON)
    assert answer.json() == {"score": 1, "agent_score": 0, "value": 1}
    assert person.post(path_of(work, "vote"), {"value": 0})["Location"] == "/functions/Two/#I1"


@pytest.mark.parametrize("value", ["2", "", "one", "1.0"])
def test_what_is_no_vote_is_refused(as_person: SignedIn, work: Implementation, value: str) -> None:
    assert as_person("nora").post(path_of(work, "vote"), {"value": value}).status_code == 400
    assert not Vote.objects.exists()


def test_nobody_votes_on_their_own_work(as_person: SignedIn, work: Implementation) -> None:
    answer = as_person("ida").post(path_of(work, "vote"), {"value": 1}, headers=JSON)
    assert (answer.status_code, answer.json()["code"]) == (422, "own_work")


@pytest.mark.parametrize("action", ["vote", "copy", "withdraw", "judge"])
def test_reading_an_action_changes_nothing(
    as_person: SignedIn, client: Client, work: Implementation, action: str
) -> None:
    assert as_person("ida").get(path_of(work, action)).status_code == 405
    assert client.post(path_of(work, action), {"value": 1}).status_code == 302
    assert not Vote.objects.exists()


def test_the_author_withdraws(as_person: SignedIn, work: Implementation) -> None:
    assert as_person("ida").post(path_of(work, "withdraw")).status_code == 302
    work.refresh_from_db()
    assert work.state == Work.State.WITHDRAWN
    page = as_person("nora").get("/functions/Two/").content
    assert b"data-withdrawn" in page


def test_the_owner_says_what_is_acceptable(as_person: SignedIn, work: Implementation) -> None:
    said = {"verdict": "reject", "reason": "It guesses."}
    assert as_person("olga").post(path_of(work, "judge"), said).status_code == 302
    assert b"It guesses." in as_person("nora").get("/functions/Two/").content
    as_person("olga").post(path_of(work, "judge"), {"verdict": "clear"})
    work.refresh_from_db()
    assert work.acceptable is None


def test_a_form_from_elsewhere_is_refused(work: Implementation) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(work.author)
    answer = strict.post(path_of(work, "withdraw"))
    assert answer.status_code == 403
    assert b"out of date" in answer.content


def test_a_card_that_was_made_for_one_reader_shows_others_nothing_of_theirs(
    as_person: SignedIn, client: Client, work: Implementation
) -> None:
    Implementation.objects.filter(pk=work.pk).update(title="<token> <rows>")
    nora, ida = as_person("nora"), as_person("ida")
    nora.post(path_of(work, "vote"), {"value": 1})
    for _ in range(2):
        voted, own, read = (
            one.get("/functions/Two/").content.decode() for one in (nora, ida, client)
        )
        assert voted.count('aria-pressed="true" aria-label="Vote up"') == 1
        assert "Withdraw #1" not in voted
        assert 'aria-pressed="true" aria-label="Vote' not in own + read
        assert "Withdraw #1?" in own
        assert f'action="{path_of(work, "copy")}"' in read
        for page in (voted, own, read):
            assert "&lt;token&gt; &lt;rows&gt;</a>" in page
            assert "<token>" not in page
            assert "<rows>" not in page
            # Each answer has a token of its own, and all forms in it.
            assert len(set(re.findall(r'csrfmiddlewaretoken" value="(\w{64})"', page))) == 1
    ida.post(path_of(work, "withdraw"))
    assert "Vote up" in nora.get("/functions/Two/").content.decode()
    assert "vote on withdrawn work" in nora.get("/functions/Two/").content.decode()


@pytest.mark.parametrize("action", ["copy", "withdraw", "judge", "withdraw/preview"])
def test_an_action_is_a_post_of_somebody_signed_in(
    client: Client, as_person: SignedIn, work: Implementation, action: str
) -> None:
    path = path_of(work, action)
    assert client.get(path).status_code == as_person("nora").get(path).status_code == 405
    posted = client.post(path)
    assert posted.status_code == 302
    assert posted["Location"].startswith("/accounts/login/?next=%2F&intent=")
