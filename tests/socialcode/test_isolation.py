"""Headers that keep browsers' features from pages, and answers from other sites."""

import pytest
from django.test import Client

from tests.support.works import define

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("address", "who"),
    [
        ("/", "same-origin"),
        ("/accounts/login/", "same-origin"),
        ("/api/v1/functions/", "same-origin"),
        ("/nowhere/", "same-origin"),
        ("/functions/Add/", "same-origin"),
        ("/functions/Add/badge.svg", "cross-origin"),
        ("/functions/Add/picture.png", "cross-origin"),
    ],
)
def test_only_pictures_for_other_sites_are_shown_there(address: str, who: str) -> None:
    define("Add")
    answer = Client().get(address)
    assert answer["Cross-Origin-Resource-Policy"] == who
    assert "camera=()" in answer["Permissions-Policy"]
    assert answer["Cross-Origin-Opener-Policy"] == "same-origin"
