"""`from socialcode.lib import Twice`: allowed explicitly, exact, and offline once fetched."""

from pathlib import Path

import pytest
from django.conf import settings
from pytest_django.live_server_helper import LiveServer

from functions.models import Function
from functions.releases.build import build_releases
from runner.workers.drainer import Drainer
from tests.client.conftest import Console, Said
from tests.support.works import implement

USE = "from socialcode.lib import Twice; print(Twice(21))"
AWAY = "http://127.0.0.1:1"


@pytest.fixture
def released(
    library: dict[str, Function],
    live_server: LiveServer,
    console: Console,
    monkeypatch: pytest.MonkeyPatch,
) -> Console:
    """A terminal beside a site with releases, which is allowed."""
    monkeypatch.setattr(settings, "PUBLIC_URL", live_server.url)
    build_releases(0)
    return Console(
        console.python, console.folder, console.home, {"SOCIALCODE_ALLOW": live_server.url}
    )


def python(console: Console, program: str, **variables: str) -> Said:
    """Run a program with these variables beside the terminal's own."""
    own = {**console.variables, **variables}
    return Console(console.python, console.folder, console.home, own).execute(
        console.python, "-c", program
    )


def test_nothing_is_imported_unless_a_site_is_allowed(
    released: Console, live_server: LiveServer
) -> None:
    refused = python(released, USE, SOCIALCODE_ALLOW="", SOCIALCODE_URL=live_server.url)
    assert refused.code == 1
    last = refused.err.strip().splitlines()[-1]
    assert last.startswith("ImportError: Twice can't be imported: importing runs what others")
    assert f'socialcode.lib.allow("{live_server.url}")' in last
    assert "SOCIALCODE_ALLOW" in last
    allowed = f"import socialcode.lib; socialcode.lib.allow('{live_server.url}'); {USE}"
    assert python(released, allowed, SOCIALCODE_ALLOW="").out == "42\n"
    config = released.home / "config/socialcode/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(f'allow = ["{live_server.url}"]\n')
    assert python(released, USE, SOCIALCODE_ALLOW="").out == "42\n"


def test_functions_share_one_copy_of_what_they_use(released: Console) -> None:
    program = f"{USE}; from socialcode.lib import Add; import sc.Twice; print(sc.Twice.Add is Add)"
    assert python(released, program).out == "42\nTrue\n"


def test_what_was_fetched_works_without_the_site(
    released: Console, live_server: LiveServer
) -> None:
    assert python(released, USE).out == "42\n"
    assert python(released, USE, SOCIALCODE_OFFLINE="1").out == "42\n"
    missing = python(released, "from socialcode.lib import Other", SOCIALCODE_OFFLINE="1")
    assert "never fetched to this machine" in missing.err
    gone = python(released, USE, SOCIALCODE_ALLOW=AWAY)
    assert "can't be reached" in gone.err
    assert live_server.url not in gone.err


def test_a_file_that_was_changed_is_not_run(released: Console) -> None:
    assert python(released, USE).out == "42\n"
    wheels = list((released.home / "cache/socialcode/library/wheels").glob("*/*.whl"))
    assert len(wheels) == 2
    for wheel in wheels:
        wheel.write_bytes(wheel.read_bytes() + b"\0")
    offline = python(released, USE, SOCIALCODE_OFFLINE="1")
    assert "isn't on this machine" in offline.err
    assert python(released, USE).out == "42\n"  # fetched anew


def test_what_the_site_sends_is_compared_with_the_lock_file(released: Console) -> None:
    lock = lock_file(released)
    text = lock.read_text()
    digest = text.split("sha256 = ")[-1][1:65]
    lock.write_text(text.replace(digest, "0" * 64))
    refused = python(released, USE)
    assert "It is not used" in refused.err


def test_a_lock_file_decides_what_is_imported(
    released: Console, library: dict[str, Function], worker: Drainer
) -> None:
    lock_file(released)
    implement(library["Add"], "def Add(a, b):\n    return a + b + (a == 21)\n")
    worker.drain()
    build_releases(0)
    assert python(released, USE).out == "42\n"
    below = released.folder / "below"
    below.mkdir()
    inside = Console(released.python, below, released.home, released.variables)
    assert python(inside, USE).out == "42\n"
    unnamed = python(released, "from socialcode.lib import Other")
    assert "socialcode lock --add Other" in unnamed.err
    stranger = python(released, USE, SOCIALCODE_ALLOW=AWAY)
    assert "of a site that isn't allowed" in stranger.err
    (released.folder / "pylock.toml").rename(released.folder / "kept.toml")
    assert python(released, USE).out == "43\n"
    named = f"import socialcode.lib; socialcode.lib.use_lock('kept.toml'); {USE}"
    assert python(released, named).out == "42\n"


def lock_file(console: Console) -> Path:
    """Write a lock file of Twice."""
    url = console.variables["SOCIALCODE_ALLOW"]
    console.done("lock", "Twice", "--url", url)
    return console.folder / "pylock.toml"


def test_a_traceback_shows_the_code(released: Console) -> None:
    said = python(released, "from socialcode.lib import Add; Add(1, None)")
    assert "return a + b" in said.err
    assert "sc_add-1-py3-none-any.whl" in said.err
