"""Lock files of functions as of now or of any time, and what changed between two times."""

import tomllib
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.test import Client
from packaging.pylock import Pylock
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from functions.authoring import withdraw
from functions.models import Function, Release, ReleaseFile
from functions.releases.build import build_releases
from runner.workers.drainer import Drainer
from tests.functions.releases.conftest import publish
from tests.functions.releases.test_installation import USE, environment, installer, run

THRICE = "/simple/lock/requirements.txt?function=Thrice"


def numbers(text: str) -> dict[str, int]:
    """Return the versions that a requirements file pins."""
    lines = [line for line in text.splitlines() if line.startswith("sc-")]
    pins = (line.partition(" ")[0].split("==") for line in lines)
    return {name: int(number) for name, number in pins}


@pytest.fixture
def changed(library: dict[str, Function], worker: Drainer) -> dict[str, Function]:
    """The library, which is of 2 May, and of 4 May with another implementation of Add."""
    Release.objects.update(created_at=datetime(2026, 5, 2, tzinfo=UTC))
    publish(worker, "Add", "def Add(a, b):\n    return b + a\n", author="eve")
    Release.objects.filter(number=2).update(created_at=datetime(2026, 5, 4, 12, tzinfo=UTC))
    build_releases(0)
    return library


@pytest.mark.parametrize(
    ("at", "number"), [("2026-05-03", 1), ("2026-05-04T11:59:59Z", 1), ("2026-05-04", 2), ("", 2)]
)
def test_a_lock_file_is_of_a_time(
    client: Client, changed: dict[str, Function], at: str, number: int
) -> None:
    found = numbers(client.get(f"{THRICE}&function=isodd&at={at}").content.decode())
    assert found == {
        **dict.fromkeys(("sc-add", "sc-thrice", "sc-twice"), number),
        **dict.fromkeys(("sc-iseven", "sc-isodd"), 1),
    }


def test_pylock_has_addresses_sizes_hashes_and_dependencies(
    client: Client, library: dict[str, Function]
) -> None:
    text = client.get("/simple/lock/pylock.toml?function=Thrice").content.decode()
    found = Pylock.from_dict(tomllib.loads(text))
    found.validate()
    assert [(one.name, str(one.version)) for one in found.packages] == [
        *(("sc-add", "1"), ("sc-thrice", "1"), ("sc-twice", "1")),
    ]
    thrice = found.packages[1]
    assert [one["name"] for one in thrice.dependencies or ()] == ["sc-add", "sc-twice"]
    [wheel] = thrice.wheels or ()
    stored = ReleaseFile.objects.get(filename="sc_thrice-1-py3-none-any.whl")
    assert (wheel.hashes["sha256"], wheel.size) == (stored.sha256, stored.size)


@pytest.mark.parametrize("filename", ["pylock.toml", "requirements.txt"])
def test_a_lock_file_installs_what_it_says(
    filename: str,
    changed: dict[str, Function],
    live_server: LiveServer,
    settings: Settings,
    client: Client,
    tmp_path: Path,
) -> None:
    settings.PUBLIC_URL = live_server.url
    address = f"/simple/lock/{filename}?function=Thrice&function=IsEven&at=2026-05-03"
    (tmp_path / filename).write_bytes(client.get(address).content)
    python = environment(tmp_path)
    name = "uv" if filename == "pylock.toml" else "pip"
    run(tmp_path, *installer(name, python), "-r", filename)
    run(tmp_path, python, "-c", USE)
    shown = run(tmp_path, python, "-c", "import inspect, sc.Add; print(inspect.getsource(sc.Add))")
    assert "return a + b" in shown


def test_what_changed_between_two_times_is_told(
    client: Client, changed: dict[str, Function]
) -> None:
    address = "/api/v1/functions/Thrice/releases/changes/?since=2026-05-03"
    differing = [{"name": name, "former": 1, "latter": 2} for name in ("Add", "Thrice", "Twice")]
    assert client.get(address).json()["items"] == differing
    assert client.get(f"{address}&until=2026-05-03").json()["items"] == []
    assert client.get(address.replace("since", "until")).status_code == 400


def test_what_was_yanked_by_then_is_not_locked(
    client: Client, library: dict[str, Function], worker: Drainer
) -> None:
    work = Release.objects.get(name="A__b").implementation
    address = "/simple/lock/requirements.txt?function=A__b"
    assert client.get(address).status_code == 200
    before = datetime.now(UTC).isoformat().replace("+", "%2B")
    withdraw(actor=work.author, work=work)
    worker.drain()
    assert client.get(address).status_code == 404
    assert client.get(f"{address}&at={before}").status_code == 200


@pytest.mark.parametrize(
    ("query", "status", "said"),
    [
        ("", 422, "invalid_functions"),
        ("function=Absent", 404, "no_release"),
        ("function=%00", 404, "no_release"),
        ("function=Add&at=0001-01-01T00:00:00%2B14:00", 404, "no_release"),
        ("function=Add&at=2020-01-01", 404, "no_release"),
        ("function=Add&at=soon", 422, "invalid_time"),
    ],
)
def test_what_can_not_be_locked_is_said(
    client: Client, library: dict[str, Function], query: str, status: int, said: str
) -> None:
    answer = client.get(f"/simple/lock/pylock.toml?{query}")
    assert answer.status_code == status
    assert answer.content.decode().startswith(f"# {said}: ")


def test_releases_that_do_not_fit_or_have_no_files_are_refused(
    client: Client, library: dict[str, Function]
) -> None:
    Release.objects.filter(name="Twice").update(requires=[["Add", 7]])
    assert client.get(THRICE).content.startswith(b"# conflicting_releases: Add is needed as")
    Release.objects.filter(name="Twice").update(requires=[["Add", 1]])
    ReleaseFile.objects.filter(release__name="Add").delete()
    assert client.get(THRICE).content.startswith(b"# not_built: Add 1")
