"""What concerns accounts is logged in one line each, without secrets."""

import json
import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import structlog
from django.contrib import admin
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client

from socialcode.accounts.security.guesses import PASSWORDS
from socialcode.accounts.security.log import Event, log_event, log_refusal
from socialcode.accounts.suspensions import suspend
from socialcode.accounts.tokens import create_token
from socialcode.logs import renderers
from socialcode.staff.administration import AuditedAdmin
from tests.socialcode.accounts.conftest import PASSWORD
from tests.socialcode.accounts.security_log import SecurityLog
from tests.support.proofs import prove

pytestmark = pytest.mark.django_db

HERE = "2001:db8::7"
WRONG, NEW = "a wrong password", "quite another password"
NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)
UNKNOWN_TOKEN = "sc_" + "A" * 43
MANUAL = Path(__file__).resolve().parents[4] / "docs/operations.md"
Capture = Callable[..., AbstractContextManager[list[Callable[[], object]]]]


class Site:
    """Ana with a browser and a token, sam of the staff with another browser, and a stranger."""

    def __init__(self) -> None:
        self.ana = User.objects.create_user("ana", password=PASSWORD, date_joined=NEW_YEAR)
        self.sam = User.objects.create_superuser("sam")
        self.token, self.token_text = create_token(user=self.ana)
        self.stranger, self.browser, self.staff = (Client(REMOTE_ADDR=HERE) for _ in range(3))
        self.browser.force_login(self.ana)
        prove(self.browser)
        self.staff.force_login(self.sam)
        User.objects.update(last_login=None)  # no field of the form differs

    def sign_in(self, name: str, password: str) -> None:
        self.stranger.post("/accounts/login/", {"username": name, "password": password})

    def ask_for_token(self, name: str, password: str) -> str:
        form = {"username": name, "password": password}
        answer = self.stranger.post("/api/v1/tokens/", form, content_type="application/json")
        return str(answer.json().get("token"))

    def use_token(self, text: str, times: int = 1) -> None:
        for _ in range(times):
            self.stranger.get("/api/v1/functions/", headers={"Authorization": f"Bearer {text}"})

    def change(self, **more: object) -> None:
        joined = {"date_joined_0": "2026-01-01", "date_joined_1": "00:00:00"}
        shown = {f"initial-{name}": value for name, value in joined.items()}
        path = f"auth/user/{self.ana.pk}/change/"
        self.administer(path, username="ana", **joined, **shown, **more)

    def administer(self, path: str, **form: object) -> None:
        response = self.staff.post(f"/staff/{path}", form)
        assert response.status_code == 302, response.content.decode()

    def delete(self, model: str, pk: int) -> None:
        chosen = {"action": "delete_selected", "_selected_action": pk, "post": "yes"}
        self.administer(model, **chosen)


def guess_often(site: Site) -> None:
    for _ in range(PASSWORDS.name_from_address.guesses + 2):
        site.sign_in("ana", WRONG)


def use_many_tokens(site: Site) -> None:
    for number in range(40):
        site.use_token(f"{UNKNOWN_TOKEN}{number}")


def with_suspended(act: Callable[[Site], object]) -> Callable[[Site], object]:
    def act_then(site: Site) -> object:
        User.objects.filter(pk=site.ana.pk).update(is_active=False)
        return act(site)

    return act_then


def set_password(site: Site) -> None:
    site.ana.set_password(NEW)
    site.ana.save()


def line(event: str, user: str | None = "ana", how: str = "form", **more: object) -> dict[str, Any]:
    return {"event": event, "outcome": "success", "user": user, "how": how, **more}


def refused(event: str, reason: str, user: str | None = "ana", how: str = "form") -> dict[str, Any]:
    return line(event, user, how, outcome="refused", reason=reason)


BY_SAM = {"by": "sam", "how": "admin"}
NEW_PASSWORDS = {"password1": NEW, "password2": NEW, "usable_password": "true"}
OTTO = {"username": "otto", **NEW_PASSWORDS}

CASES: list[tuple[str, Callable[[Site], object], list[dict[str, Any]]]] = [
    ("sign in", lambda s: s.sign_in("ANA", PASSWORD), [line("sign_in")]),
    ("a wrong password", lambda s: s.sign_in("ana", WRONG), [refused("sign_in", "wrong_password")]),
    (
        "an unknown name",
        lambda s: s.sign_in(PASSWORD, "ana"),
        [refused("sign_in", "unknown_name", None)],
    ),
    (
        "a suspended account",
        with_suspended(lambda s: s.sign_in("ana", PASSWORD)),
        [refused("sign_in", "suspended")],
    ),
    (
        "too many guesses",
        guess_often,
        [refused("sign_in", "wrong_password")] * 10 + [refused("sign_in", "too_many_guesses")] * 2,
    ),
    (
        "a token for a password",
        lambda s: s.ask_for_token("ana", PASSWORD),
        [line("sign_in", how="api"), line("token_made", how="api")],
    ),
    (
        "a token for a wrong password",
        lambda s: s.ask_for_token("ana", WRONG),
        [refused("sign_in", "wrong_password", how="api")],
    ),
    ("a token that works", lambda s: s.use_token(s.token_text, 3), []),
    (
        "an unknown token, again and again",
        lambda s: s.use_token(UNKNOWN_TOKEN, 3),
        [refused("token_use", "invalid", None, "token")],
    ),
    (
        "unknown tokens",
        use_many_tokens,
        [refused("token_use", "invalid", None, "token")] * 30,
    ),
    (
        "the token of a suspended account",
        with_suspended(lambda s: s.use_token(s.token_text)),
        [refused("token_use", "suspended", how="token")],
    ),
    ("sign out", lambda s: s.browser.post("/accounts/logout/"), [line("sign_out")]),
    ("nobody signs out", lambda s: s.stranger.post("/accounts/logout/"), []),
    (
        "a new token",
        lambda s: s.browser.post("/accounts/tokens/", {"name": "laptop", "scopes": "read"}),
        [line("token_made")],
    ),
    (
        "a revoked token",
        lambda s: s.browser.post(f"/accounts/tokens/{s.token.pk}/revoke/"),
        [line("token_revoked")],
    ),
    (
        "a new password",
        set_password,
        [
            line("password_changed", how="command"),
            line("token_ended", how="command", reason="password_changed"),
        ],
    ),
    (
        "a suspension",
        lambda s: suspend(actor=s.sam, username="ana", reason="Spam."),
        [line("suspended", how="command", reason="Spam.")],
    ),
    (
        "a suspension, then lifted",
        lambda s: [
            s.staff.post("/staff/suspended/", {"username": "ana", "reason": "Spam."}),
            s.staff.post("/staff/suspended/ana/lift/"),
        ],
        [line("suspended", reason="Spam.", **BY_SAM), line("suspension_lifted", **BY_SAM)],
    ),
    (
        "rights given by staff",
        lambda s: s.change(is_staff="on"),
        [
            line("account_changed", former_is_staff=False, is_staff=True, **BY_SAM),
            line("admin_changed", object="user", changes="Changed Staff status.", **BY_SAM),
        ],
    ),
    (
        "a password set by staff",
        lambda s: s.administer(f"auth/user/{s.ana.pk}/password/", **NEW_PASSWORDS),
        [
            line("password_changed", **BY_SAM),
            line("token_ended", **BY_SAM),
            line("admin_changed", changes="Changed password.", **BY_SAM),
        ],
    ),
    (
        "an account made by staff",
        lambda s: s.administer("auth/user/add/", **OTTO),
        [line("account_made", "otto", **BY_SAM), line("admin_added", "otto", **BY_SAM)],
    ),
    (
        "a token deleted by staff",
        lambda s: s.delete("accounts/apitoken/", s.token.pk),
        [line("admin_deleted", None, object="api token", **BY_SAM)],
    ),
    (
        "an account deleted by staff",
        lambda s: s.delete("auth/user/", s.ana.pk),
        [line("admin_deleted", **BY_SAM), line("account_deleted", **BY_SAM)],
    ),
    (
        "sign up",
        lambda s: s.stranger.post("/accounts/signup/", OTTO),
        [line("account_made", "otto"), line("sign_in", "otto")],
    ),
]


@pytest.mark.usefixtures("limits")
@pytest.mark.parametrize(
    ("act", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_an_event_is_a_line_without_secrets(
    act: Callable[[Site], object],
    expected: list[dict[str, Any]],
    security_log: SecurityLog,
    django_capture_on_commit_callbacks: Capture,
) -> None:
    site = Site()
    with django_capture_on_commit_callbacks(execute=True):
        act(site)
    known = [
        {key: said.get(key) for key in told}
        for said, told in zip(security_log.lines, expected, strict=True)
    ]
    assert known == expected
    for said in security_log.lines:
        assert said["address"] == ("" if said["how"] == "command" else HERE)
        assert (said["user_id"] is None) == (said["user"] is None)
        assert Event(said["event"])
    secrets = (PASSWORD, WRONG, NEW, UNKNOWN_TOKEN, site.token_text, *stored_hashes())
    assert not [secret for secret in secrets if secret in security_log.text]
    assert "sc_" not in security_log.text


def stored_hashes() -> list[str]:
    return [one for one in User.objects.values_list("password", flat=True) if one]


def test_what_staff_change_is_in_the_audit_log_too(client: Client) -> None:
    site = Site()
    site.change(is_staff="on")
    site.administer("auth/user/add/", **OTTO)
    site.delete("accounts/apitoken/", site.token.pk)
    site.delete("auth/user/", User.objects.get(username="otto").pk)
    page = re.sub(
        r"\s+", " ", re.sub("<[^>]+>", " ", site.staff.get("/staff/audit/").content.decode())
    )
    for said in (
        "sam changed in the administration user ana Changed Staff status.",
        "sam added in the administration user otto",
        f"sam deleted in the administration api token {site.token.pk}",
        "sam deleted in the administration user otto",
    ):
        assert said in page


def test_every_model_that_staff_change_is_audited() -> None:
    assert [
        model for model, one in admin.site._registry.items() if not isinstance(one, AuditedAdmin)
    ] == []


def test_what_is_rolled_back_is_not_logged(
    security_log: SecurityLog, django_capture_on_commit_callbacks: Capture
) -> None:
    with django_capture_on_commit_callbacks(execute=True), transaction.atomic():
        log_event(Event.SIGN_IN, user=User(username="ana"))
        transaction.set_rollback(True)
    assert security_log.lines == []


def test_the_manual_lists_all_events() -> None:
    section = MANUAL.read_text("utf-8").partition("| event | written when")[2].partition("\n## ")[0]
    listed = re.findall(r"^\| `(\w+)`", section, re.MULTILINE)
    assert listed == [event.value for event in Event]


@pytest.mark.parametrize("readable", [False, True])
@pytest.mark.parametrize(
    "name", ['a\n{"event": "sign_in", "user": "sam"}', "a\r\x1b[2Jb", "a\u2028b", 'a" user="sam']
)
def test_names_begin_no_line_of_their_own(
    name: str, readable: bool, security_log: SecurityLog
) -> None:
    log_refusal(Event.SIGN_IN, "wrong_password", user=User(pk=1, username=name))
    formatter = structlog.stdlib.ProcessorFormatter(
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            *renderers(readable=readable),
        ]
    )
    text = formatter.format(security_log.records[0])
    assert text.isprintable()
    assert repr(name) in text if readable else json.loads(text)["user"] == name
