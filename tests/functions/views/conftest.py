"""People who are signed in to Django's own client."""

from collections.abc import Callable

import pytest
from django.test import Client

from tests.support.works import account

SignedIn = Callable[[str], Client]


@pytest.fixture
def as_person(db: None) -> SignedIn:
    """Give `as_person(name)`: a client in which that person is signed in."""

    def sign_in(name: str) -> Client:
        client = Client()
        client.force_login(account(name))
        return client

    return sign_in
