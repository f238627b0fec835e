"""Requests to receivers: to the address that was checked, short, without redirects."""

import asyncio
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django import Settings

from functions.webhooks import requests
from functions.webhooks.requests import MAX_ANSWER_BYTES, Answer, post
from tests.support.receivers import Receiver, receiver

NAME = "hooks.example.org"


class Names:
    """Answers look-ups of names, each time with the next answer; the last stays."""

    def __init__(self, *answers: list[str]) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    async def __call__(self, host: str, _port: int) -> list[str]:
        self.asked.append(host)
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


def send(
    url: str,
    names: Names | None = None,
    *,
    context: ssl.SSLContext | None = None,
    body: bytes = b"{}",
) -> Answer:
    resolver = names or Names(["127.0.0.1"])
    return asyncio.run(post(url, body, {"webhook-id": "1"}, resolver=resolver, context=context))


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """Return a certificate for NAME with its key, signed by itself."""
    path = tmp_path / "certificate.pem"
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
    names = ["-subj", f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}"]
    files = ["-keyout", str(tmp_path / "key.pem"), "-out", str(path)]
    subprocess.run([*command.split(), *names, *files], check=True, capture_output=True)
    path.write_text(path.read_text() + (tmp_path / "key.pem").read_text())
    return path


@pytest.fixture
def secure(certificate: Path) -> Iterator[Receiver]:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate)
    with receiver(context=context) as running:
        yield running


@pytest.mark.usefixtures("to_private")
def test_the_name_is_sent_and_its_certificate_checked_though_the_address_was_looked_up_before(
    secure: Receiver, certificate: Path
) -> None:
    trusting = ssl.create_default_context(cafile=certificate)
    names = Names(["127.0.0.1"], ["10.0.0.1"])
    url = f"https://{NAME}:{secure.port}/hook?a=b"
    assert send(url, names, context=trusting).status == 200
    assert names.asked == [NAME]
    [came] = secure.received
    assert (came.path, came.headers["host"]) == ("/hook?a=b", f"{NAME}:{secure.port}")
    other = send(f"https://other.example.org:{secure.port}/", context=trusting)
    assert other.status is None
    assert "certificate" in other.error.lower()
    unknown = send(url, context=None)
    assert unknown.status is None
    assert len(secure.received) == 1


def test_a_name_that_stands_for_a_private_address_is_not_connected_to(settings: Settings) -> None:
    with receiver() as target:
        for addresses in (["127.0.0.1"], ["8.8.8.8", "127.0.0.1"], ["::ffff:127.0.0.1"]):
            answer = send(f"http://{NAME}:{target.port}/", Names(addresses))
            assert answer.status is None
            assert "not a public address" in answer.error
        assert target.received == []


def test_a_name_that_is_bound_to_another_address_in_between_leads_nowhere(
    settings: Settings,
) -> None:
    """The second look-up of a name that changes would be private; there is none."""
    names = Names(["192.88.99.1"], ["127.0.0.1"])
    with receiver() as target:
        first = send(f"http://{NAME}:{target.port}/", names)
        assert "192.88.99.1, which is not a public address" in first.error
        second = send(f"http://{NAME}:{target.port}/", names)
        assert "127.0.0.1, which is not a public address" in second.error
        assert names.asked == [NAME, NAME]
        assert target.received == []


@pytest.mark.usefixtures("to_private")
def test_the_next_address_of_a_name_is_tried_where_one_refuses(settings: Settings) -> None:
    with receiver() as target:
        names = Names(["127.0.0.2", "127.0.0.1"])
        assert send(f"http://{NAME}:{target.port}/", names).is_success
        nowhere = send("http://127.0.0.1:9/", Names(["127.0.0.1"]))
        assert nowhere.status is None
        assert nowhere.error


def test_a_redirect_is_not_followed_and_a_proxy_of_the_environment_not_asked(
    target: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9/")
    target.status, target.headers = 302, {"location": f"{target.url}/elsewhere"}
    answer = send(target.url)
    assert (answer.status, answer.is_success) == (302, False)
    assert [came.path for came in target.received] == ["/hook"]


def test_no_more_of_an_answer_is_read_than_is_kept(target: Receiver) -> None:
    target.body = b"a\0" * 5_000_000
    began = time.monotonic()
    answer = send(target.url)
    assert len(answer.body) == MAX_ANSWER_BYTES
    assert "\0" not in answer.body
    assert answer.is_success
    assert time.monotonic() - began < 5


def test_an_answer_that_comes_too_slowly_is_not_waited_for(
    target: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(requests, "TOTAL_SECONDS", 0.5)
    resume = threading.Event()
    target.answering = lambda _came: resume.wait(5)
    began = time.monotonic()
    answer = send(target.url)
    resume.set()
    assert (answer.status, "no complete answer" in answer.error) == (None, True)
    assert time.monotonic() - began < 3


def test_a_name_that_nobody_has_is_said_to_be_missing(to_private: None) -> None:
    answer = asyncio.run(post("http://nobody.invalid/", b"", {}))
    assert "the name was not found" in answer.error
