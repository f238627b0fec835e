"""Changes of second factors, providers and mail addresses are in the security log."""

from collections.abc import Callable
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import User

from tests.socialcode.accounts.security.test_log import Capture
from tests.socialcode.accounts.security_log import SecurityLog

ADDRESS = "ana@example.org"
SECRET = "JBSWY3DPEHPK3PXP"

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(not apps.is_installed("allauth.mfa"), reason="the site has no allauth"),
]


def confirm(row: Any) -> None:
    row.verified = True
    row.save(update_fields=["verified"])


def use(row: Any) -> None:
    row.save(update_fields=["last_used_at"])


def delete(row: Any) -> None:
    row.delete()


def delete_account(row: Any) -> None:
    row.user.delete()


FACTOR: tuple[str, dict[str, object]] = (
    "mfa.Authenticator",
    {"type": "totp", "data": {"secret": SECRET}},
)
PROVIDER: tuple[str, dict[str, object]] = (
    "socialaccount.SocialAccount",
    {"provider": "google", "uid": SECRET},
)
MAIL: tuple[str, dict[str, object]] = ("account.EmailAddress", {"email": ADDRESS})


@pytest.mark.parametrize(
    ("row", "change", "events"),
    [
        (FACTOR, use, ["factor_added"]),
        (FACTOR, delete, ["factor_added", "factor_removed"]),
        (PROVIDER, delete, ["provider_linked", "provider_unlinked"]),
        (PROVIDER, delete_account, ["provider_linked", "provider_unlinked", "account_deleted"]),
        (MAIL, confirm, ["email_added", "email_confirmed"]),
        (MAIL, delete, ["email_added", "email_removed"]),
    ],
)
def test_a_change_is_a_line_without_secrets(
    row: tuple[str, dict[str, object]],
    change: Callable[[Any], None],
    events: list[str],
    ana: User,
    security_log: SecurityLog,
    django_capture_on_commit_callbacks: Capture,
) -> None:
    model, fields = row
    with django_capture_on_commit_callbacks(execute=True):
        change(apps.get_model(model).objects.create(user=ana, **fields))
    assert [(line["event"], line["user"]) for line in security_log.lines] == [
        (event, "ana") for event in events
    ]
    assert SECRET not in security_log.text
    assert ADDRESS not in security_log.text
