"""Digests by e-mail: at most one for a period, whoever is killed, and none for who wants none."""

import re
import socket
from datetime import date, timedelta
from email import message_from_bytes
from email.policy import default
from pathlib import Path
from typing import Any

import pytest
from django.core import mail
from django.core.management import CommandError, call_command
from django.db import transaction
from django.test import Client
from pytest_django.fixtures import Settings

from functions.errors import Refusal
from functions.maintenance import digests
from functions.maintenance.digests import send_digests
from functions.models import Digest, Function, Notice
from functions.notifications.delivery import mark_read
from functions.notifications.digests import choose_digest, send_mail
from functions.notifications.watches import notify_watchers
from runner.pipelines.follow_ups import run_due_follow_ups
from tests.support.batches import in_threads
from tests.support.works import account, define

pytestmark = pytest.mark.django_db(transaction=True)

MONDAY = date(2026, 11, 16)
ADDRESS = "olga@example.org"


@pytest.fixture
def two(settings: Settings) -> Function:
    """A function of olga's, who gets a daily digest."""
    settings.PUBLIC_URL = "https://code.example"
    function = define("Two")
    choose_digest(actor=account("olga"), frequency="daily", address=ADDRESS)
    Client().post(link_in(mail.outbox.pop().body))
    assert Digest.objects.get().confirmed_at
    return function


def link_in(text: object) -> str:
    """Return the path of the link of ours in a mail that needs nobody to be signed in."""
    found = re.search(r"https://code\.example(/notifications/mail/\S+)", str(text))
    assert found
    return found[1]


def tell(function: Function, text: str = "happened <&>") -> None:
    with transaction.atomic():
        notify_watchers(
            function=function, kind=Notice.Kind.COMMENT, text=text, actor=account("nora")
        )
    run_due_follow_ups()


def test_a_digest_tells_what_is_unread_and_new_and_there_is_one_for_a_period(
    two: Function,
) -> None:
    assert send_digests(MONDAY) == 0  # there is nothing to tell
    tell(two)
    assert send_digests(MONDAY) == 1
    tell(two, "happened again")
    assert send_digests(MONDAY) == 0
    (sent,) = mail.outbox
    assert isinstance(sent, mail.EmailMultiAlternatives)
    html = str(sent.alternatives[0][0])
    assert (sent.subject, sent.to) == ("Social Code: 1 notification", [ADDRESS])
    assert "Two happened <&>" in sent.body
    assert "https://code.example/functions/Two/" in sent.body
    assert "happened &lt;&amp;&gt;" in html
    assert sent.extra_headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert send_digests(MONDAY + timedelta(days=1)) == 1
    assert "happened <&>" not in mail.outbox[1].body  # it was told yesterday
    tell(two)
    mark_read(actor=account("olga"), up_to=2**62)
    assert send_digests(MONDAY + timedelta(days=2)) == 0  # it was read on the site


def test_weeks_begin_on_mondays_and_a_change_of_mind_sends_no_second_one(two: Function) -> None:
    tell(two)
    assert send_digests(MONDAY + timedelta(days=2)) == 1
    choose_digest(actor=account("olga"), frequency="weekly", address=ADDRESS)
    tell(two)
    assert send_digests(MONDAY + timedelta(days=6)) == 0
    assert send_digests(MONDAY + timedelta(days=7)) == 1


def test_several_that_send_at_once_send_one(two: Function) -> None:
    for day in range(4):
        tell(two)
        in_threads(*[lambda day=day: send_digests(MONDAY + timedelta(days=day))] * 4)
        assert len(mail.outbox) == day + 1


@pytest.mark.parametrize("is_sent", [False, True], ids=["before sending", "after sending"])
def test_a_kill_costs_at_most_this_period_and_the_next_tells_it_again(
    two: Function, monkeypatch: pytest.MonkeyPatch, is_sent: bool
) -> None:
    send = send_mail

    def send_and_die(*given: Any, **more: Any) -> None:
        if is_sent:
            send(*given, **more)
        raise SystemExit

    tell(two)
    monkeypatch.setattr(digests, "send_mail", send_and_die)
    with pytest.raises(SystemExit):
        send_digests(MONDAY)
    monkeypatch.undo()
    assert send_digests(MONDAY) == 0
    assert len(mail.outbox) == is_sent
    assert send_digests(MONDAY + timedelta(days=1)) == 1
    assert "happened" in mail.outbox[-1].body


def test_a_mail_server_that_is_away_takes_no_period(two: Function, settings: Settings) -> None:
    tell(two)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        settings.EMAIL_HOST, settings.EMAIL_PORT = free.getsockname()
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        with pytest.raises(CommandError, match="can't be reached"):
            call_command("send_digests")
    assert Digest.objects.get().period is None


def test_the_command_writes_mails_that_mail_programs_can_read(
    two: Function, settings: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
    settings.EMAIL_FILE_PATH = str(tmp_path)
    tell(two, "wörked")
    call_command("send_digests")
    call_command("send_digests")
    assert capsys.readouterr().out == "1 digests sent.\n0 digests sent.\n"
    text = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert text.count(b"Subject: Social Code: 1 notification") == 1
    read = message_from_bytes(text, policy=default)
    assert [part.get_content_type() for part in read.walk()] == [
        "multipart/alternative",
        "text/plain",
        "text/html",
    ]
    assert link_in(read["List-Unsubscribe"]).startswith("/notifications/mail/unsubscribe/")
    body = read.get_body(["plain"])
    assert body
    assert "wörked" in body.get_content()


def test_one_unsubscribes_by_a_post_without_signing_in(two: Function) -> None:
    tell(two)
    send_digests(MONDAY)
    link, strict = link_in(mail.outbox[0].body), Client(enforce_csrf_checks=True)
    assert strict.get(link).status_code == 200
    assert Digest.objects.get().frequency == "daily"
    for forged in (link[:-2] + "/", link.replace("unsubscribe", "confirm")):
        assert strict.post(forged).status_code in (403, 404)
    assert Digest.objects.get().frequency == "daily"
    assert strict.post(link, {"List-Unsubscribe": "One-Click"}).status_code == 200
    assert Digest.objects.get().frequency == "off"
    tell(two)
    assert send_digests(MONDAY + timedelta(days=1)) == 0


def test_nothing_is_sent_to_an_address_that_nobody_there_has_confirmed(two: Function) -> None:
    olga, page = account("olga"), Client()
    page.force_login(olga)
    shown = page.get("/notifications/mail/").content.decode()
    assert ADDRESS in shown
    asked = {"frequency": "daily", "address": "new@example.org"}
    assert page.post("/notifications/mail/", asked).status_code == 302
    tell(two)
    assert send_digests(MONDAY) == 0
    (question,) = mail.outbox
    assert question.to == ["new@example.org"]
    assert Client().get(link_in(question.body)).status_code == 200
    assert not Digest.objects.get().confirmed_at
    assert Client().post(link_in(question.body)).status_code == 200
    assert send_digests(MONDAY) == 1
    for wrong in (
        {"frequency": "daily", "address": ""},
        {"frequency": "daily", "address": "x\n@y"},
    ):
        assert page.post("/notifications/mail/", wrong).status_code == 422
        with pytest.raises(Refusal):
            choose_digest(actor=olga, **wrong)
