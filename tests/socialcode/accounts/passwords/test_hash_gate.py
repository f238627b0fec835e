"""Few passwords are hashed at once, few requests wait for it, and none holds a connection."""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.contrib.auth import authenticate
from django.contrib.auth.hashers import (
    ScryptPasswordHasher,
    check_password,
    identify_hasher,
    make_password,
)
from django.contrib.auth.models import User
from django.db import connection
from pytest_django import Settings

from socialcode.accounts.passwords import hash_gate
from socialcode.accounts.passwords.hash_gate import HashersBusy, HashGate
from tests.patience import PATIENCE_SECONDS, await_that

OURS = ["socialcode.accounts.hashers.ScryptHasher", "socialcode.accounts.hashers.PBKDF2Hasher"]


class Crowd:
    """Threads that hash until they are told to stop."""

    def __init__(self, gate: HashGate) -> None:
        self._gate = gate
        self._lock, self._stop = threading.Lock(), threading.Event()
        self._threads: list[threading.Thread] = []
        self.at_work = self.most_at_work = self.done = self.refused = 0

    def add(self, address: str, number: int) -> None:
        """Have so many more come from there."""
        for _ in range(number):
            self._threads.append(threading.Thread(target=self._come, args=(address,)))
            self._threads[-1].start()

    def stop(self) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join(PATIENCE_SECONDS)

    def _come(self, address: str) -> None:
        try:
            self._gate.compute(self._hash, address)
        except HashersBusy:
            with self._lock:
                self.refused += 1

    def _hash(self) -> None:
        with self._lock:
            self.at_work += 1
            self.most_at_work = max(self.most_at_work, self.at_work)
        self._stop.wait(PATIENCE_SECONDS)
        with self._lock:
            self.at_work -= 1
            self.done += 1


@contextmanager
def crowd_at(gate: HashGate) -> Iterator[Crowd]:
    crowd = Crowd(gate)
    try:
        yield crowd
    finally:
        crowd.stop()


def test_few_are_hashed_at_once_and_whoever_finds_too_many_waiting_is_refused_at_once() -> None:
    with crowd_at(HashGate(2, 5, 3)) as crowd:
        crowd.add("198.51.100.1", 10)
        await_that(lambda: (crowd.at_work, crowd.refused) == (2, 7))
        crowd.add("198.51.100.2", 10)  # who finds two places
        await_that(lambda: crowd.refused == 15)
    assert (crowd.done, crowd.most_at_work) == (5, 2)
    with crowd_at(crowd._gate) as later:
        later.add("198.51.100.1", 3)
        await_that(lambda: later.at_work == 2)
    assert (later.done, later.refused) == (3, 0)


def test_a_hash_that_fails_gives_its_place_back() -> None:
    gate = HashGate(1, 1, 1)
    for _ in range(3):
        with pytest.raises(ZeroDivisionError):
            gate.compute(lambda: 1 // 0, "")
    assert gate.compute(lambda: "hash", "") == "hash"


def test_hashes_are_computed_at_a_low_priority() -> None:
    def niceness() -> int:
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    own = niceness()
    assert HashGate(1, 1, 1).compute(niceness, "") == min(19, max(own, hash_gate.NICENESS))
    assert niceness() == own


@pytest.mark.parametrize(
    "sign_in",
    [
        lambda: authenticate(username="ana", password="wrong"),
        lambda: authenticate(username="nobody", password="wrong"),
        lambda: User.objects.get(username="ana").check_password("wrong"),
        lambda: User.objects.get(username="ana").set_password("another"),
    ],
    ids=["wrong password", "unknown name", "check", "change"],
)
@pytest.mark.django_db(transaction=True)
def test_no_connection_is_held_while_a_password_is_hashed(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, sign_in: Callable[[], object]
) -> None:
    settings.PASSWORD_HASHERS = OURS
    User.objects.create_user("ana", password="right")
    hashed: list[bool] = []
    going_on = threading.Event()
    encode = ScryptPasswordHasher.encode

    def slow_encode(*args: Any, **kwargs: Any) -> str:
        hashed.append(True)
        going_on.wait(PATIENCE_SECONDS)
        return encode(*args, **kwargs)

    monkeypatch.setattr(ScryptPasswordHasher, "encode", slow_encode)
    found: dict[str, int] = {}

    def visit() -> None:
        with connection.cursor() as cursor:
            cursor.execute("select pg_backend_pid()")
            found["pid"] = cursor.fetchone()[0]
        try:
            sign_in()
        finally:
            connection.close()

    visitor = threading.Thread(target=visit)
    visitor.start()
    try:
        await_that(lambda: bool(hashed))
        await_that(lambda: not _is_connected(found["pid"]))
    finally:
        going_on.set()
        visitor.join()


def _is_connected(pid: int) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("select from pg_stat_activity where pid = %s", [pid])
        return cursor.fetchone() is not None


@pytest.mark.django_db
def test_amid_a_transaction_the_connection_stays(settings: Settings) -> None:
    settings.PASSWORD_HASHERS = OURS
    User.objects.create_user("ana", password="right")
    assert authenticate(username="ana", password="right") == User.objects.get()


def test_what_django_hashed_counts_and_what_is_hashed_now_is_djangos(settings: Settings) -> None:
    settings.PASSWORD_HASHERS = [f"django.contrib.auth.hashers.{name}" for name in DJANGOS]
    before = [make_password("right", hasher=name) for name in ("scrypt", "pbkdf2_sha256")]
    settings.PASSWORD_HASHERS = OURS
    assert [check_password("right", one) for one in before] == [True, True]
    now = make_password("right")
    settings.PASSWORD_HASHERS = [f"django.contrib.auth.hashers.{name}" for name in DJANGOS]
    assert check_password("right", now)
    assert identify_hasher(now).algorithm == "scrypt"


DJANGOS = ("ScryptPasswordHasher", "PBKDF2PasswordHasher")


def test_whoever_has_waited_long_is_refused_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hash_gate, "LONGEST_WAIT_SECONDS", 0.05)
    with crowd_at(HashGate(1, 9, 9)) as crowd:
        crowd.add("198.51.100.1", 1)
        await_that(lambda: crowd.at_work == 1)
        crowd.add("198.51.100.2", 2)
        await_that(lambda: crowd.refused == 2)
    assert crowd.done == 1
