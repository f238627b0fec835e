"""Somebody with an account, and a browser."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.socialcode.accounts.security_log import security_log  # noqa: F401 - a fixture
from tests.support.limits import limits  # noqa: F401 - a fixture

PASSWORD = "correct horse battery"


@pytest.fixture
def ana(db: None) -> User:
    return User.objects.create_user("ana", password=PASSWORD)


@pytest.fixture
def browser(db: None) -> Client:
    return Client()
