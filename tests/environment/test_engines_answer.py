"""The engines that every test stands on."""

import pytest
import redis
from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection


@pytest.mark.django_db
def test_the_database_is_postgresql_and_keeps_what_is_written() -> None:
    User.objects.create_user("mira")
    assert connection.vendor == "postgresql"
    assert User.objects.get().username == "mira"


def test_valkey_keeps_what_is_written() -> None:
    with redis.Redis.from_url(settings.REDIS_URL) as client:
        client.set("greeting", "hello", ex=10)
        assert client.get("greeting") == b"hello"
