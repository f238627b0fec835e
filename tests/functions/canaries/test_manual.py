"""The walk of docs/canaries.md, step by step, as a program outside does it."""

import json
import re
import shlex
from typing import Any

import pytest
from django.contrib.auth.models import User
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from functions.canaries.locks import MAX_LOCK_CHARACTERS
from functions.canaries.notices import MAX_CHANGES
from functions.canaries.projects import MAX_OF_AN_ACCOUNT
from functions.canaries.releases import MAX_RELEASES
from functions.models import Function
from functions.releases.build import build_releases
from functions.webhooks.sender import Sender
from runner.workers.drainer import Drainer
from tests.client.conftest import PASSWORD, Console, console, installed  # noqa: F401 - fixtures
from tests.functions.releases.conftest import publish
from tests.functions.webhooks.conftest import sender, target, to_private  # noqa: F401 - fixtures
from tests.patience import await_that
from tests.support.receivers import Receiver
from tests.support.site import ROOT

pytestmark = pytest.mark.django_db(transaction=True)
NAMES = ("Add", "Thrice", "Twice")
SIGN_IN = ["--username", "petra", "--password-stdin"]
PAGES = [(ROOT / path).read_text("utf-8") for path in ("docs/canaries.md", "docs/de/canaries.md")]


def commands(page: str) -> list[str]:
    """Return the commands in a page's blocks and sentences."""
    return re.findall(r"(?m)^socialcode .+$|(?<=`)socialcode [^`]+(?=`)", page)


def sent(target: Receiver) -> list[dict[str, Any]]:  # noqa: F811 - the fixture
    """Return the changes that the receiver was told."""
    released = [each.event for each in target.received if each.event["event"] == "canary.released"]
    return [change for event in released for change in event["changes"]]


def test_the_walk_goes_as_it_is_described(
    library: dict[str, Function],
    worker: Drainer,
    console: Console,  # noqa: F811 - the fixture
    live_server: LiveServer,
    settings: Settings,
    target: Receiver,  # noqa: F811 - the fixture
    sender: Sender,  # noqa: F811 - the fixture
) -> None:
    settings.PUBLIC_URL = live_server.url
    User.objects.create_user("petra", password=PASSWORD)
    said = []
    for number, command in enumerate(commands(PAGES[0])):
        if number == 3:
            publish(worker, "Add", "def Add(a, b):\n    return b + a\n", author="eve")
            build_releases(0)
            await_that(lambda: {*NAMES} <= {change["name"] for change in sent(target)})
        here = command.replace("https://ci.example.org/hook", target.url)
        words = shlex.split(here.replace("https://social.example", live_server.url))[1:]
        words += SIGN_IN if words[0] == "login" else []
        said.append(console.done(*words, given=f"{PASSWORD}\n").out)
    _, locked, registered, changes, locked_again, moved, listed, removed = said
    assert "names 3 releases" in locked
    assert "shop has locked 3 releases" in registered
    assert "whsec_" in registered
    assert "Thrice" in changes
    assert "uses Add" in changes
    assert "names 3 releases" in locked_again
    assert "shop has locked 3 releases" in moved
    assert "whsec_" not in moved
    assert "shop" in listed
    assert "no longer registered" in removed
    (shown,) = re.findall(r"(?s)```json\n(.+?)```", PAGES[0])
    expected = json.loads(shown)
    assert target.received[-1].event.keys() >= expected.keys()
    assert expected["changes"][0] in sent(target)


def test_commands_answer_programs_and_say_what_is_wrong(
    library: dict[str, Function],
    console: Console,  # noqa: F811 - the fixture
    live_server: LiveServer,
) -> None:
    User.objects.create_user("petra", password=PASSWORD)
    login = ("login", live_server.url, "--scope", "account", *SIGN_IN)
    console.done(*login, given=f"{PASSWORD}\n")
    assert console.run("canary", "register").code == 5
    console.done("lock", "Thrice", "--requirements")
    registered = ("canary", "register", "requirements.txt", "--name", "shop", "--json")
    made = console.done(*registered).json
    assert (made["locked"], made["secret"]) == (3, None)
    assert console.done("canary", "changes", "shop", "--json").json == []
    assert [one["name"] for one in console.done("canary", "list", "--json").json] == ["shop"]
    path = console.folder / "requirements.txt"
    path.write_text(re.sub("sha256:[0-9a-f]{64}", f"sha256:{'0' * 64}", path.read_text()))
    refused = console.run(*registered[:-1])
    assert refused.code == 3
    assert "line 2" in refused.err
    assert console.run("canary", "changes", "other").code == 5
    assert console.done("canary", "remove", "shop", "--json").json == {"removed": "shop"}


def test_both_languages_have_the_same_walk_and_the_limits_are_those_of_the_code() -> None:
    assert commands(PAGES[0]) == commands(PAGES[1])
    for page, comma in zip(PAGES, ",.", strict=True):
        for limit in (MAX_OF_AN_ACCOUNT, MAX_RELEASES, MAX_LOCK_CHARACTERS, MAX_CHANGES):
            assert f"| {limit:,} |".replace(",", comma) in page.replace("; `more`", " |")
