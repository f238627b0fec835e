"""Functions as packages: locked, downloaded, and searched for the election that changed them."""

import json
import tomllib
from datetime import UTC, datetime

import pytest
from pytest_django.live_server_helper import LiveServer

from functions.models import Function
from functions.releases.build import build_releases
from runner.workers.drainer import Drainer
from tests.client.conftest import Console
from tests.support.works import implement


@pytest.fixture
def released(
    library: dict[str, Function], worker: Drainer, live_server: LiveServer, console: Console
) -> Console:
    """A terminal beside a site with three releases of Add, and so of Twice."""
    build_releases(0)
    for term in ("0", "1"):
        code = f"def Add(a, b):\n    return a + b + {term} * (a == 21)\n"
        publish_over(library["Add"], code, worker)
    return Console(
        console.python, console.folder, console.home, {"SOCIALCODE_URL": live_server.url}
    )


def publish_over(function: Function, code: str, worker: Drainer) -> None:
    """Have another implementation elected."""
    former = function.implementations.filter(state="published").order_by("-pk").first()
    assert former is not None
    implement(function, code, author=former.author.get_username())
    worker.drain()
    build_releases(0)


def test_a_lock_file_names_all_that_is_needed(released: Console) -> None:
    assert released.done("lock", "Twice", "--json").json == {"file": "pylock.toml", "releases": 2}
    path = released.folder / "pylock.toml"
    names = [each["name"] for each in tomllib.loads(path.read_text())["packages"]]
    assert names == ["sc-add", "sc-twice"]
    path.write_text(path.read_text().replace("sc-twice", "sc-add"))
    released.done("lock", "--add", "Twice")
    assert "sc-twice" in path.read_text()
    released.done("lock")
    released.done("lock", "Twice", "--requirements")
    assert "sc-twice==3" in (released.folder / "requirements.txt").read_text()
    refused = released.run("lock", "Nothing", "-o", "other.toml")
    assert refused.code == 3
    assert "had no release" in refused.err
    assert not (released.folder / "other.toml").exists()


def test_all_files_of_an_export_are_downloaded(released: Console) -> None:
    written = released.done("export", "Twice", "--into", "files", "--json").json["written"]
    assert len(written) == 3
    assert all((released.folder / path).stat().st_size for path in written)
    released.done("export", "Twice", "--only", ".py", "--into", "one")
    assert [path.name for path in (released.folder / "one").iterdir()] == ["Twice.py"]


def test_the_election_that_changed_an_answer_is_found(released: Console) -> None:
    since = first_release(released)
    changed = released.done("changes", "Twice", "--since", since, "--json").json
    assert {(one["name"], one["former"], one["latter"]) for one in changed} == {
        ("Add", 1, 3),
        ("Twice", 1, 3),
    }
    assert "Add" in released.done("changes", "Twice", "--since", since).out
    found = released.done("bisect", "Twice", "21", "--since", since, "--json").json
    assert (found["former"], found["latter"]) == ("42", "43")
    assert found["release"]["number"] == 3
    assert {"name": "Add", "former": 2, "latter": 3} in found["changes"]
    program = "from sc.Twice import Twice; assert Twice(21) == 42"
    command = ("--", str(released.python), "-c", program)
    said = released.done("bisect", "Twice", "--since", since, *command)
    assert "Release 3 of Twice" in said.out
    same = released.run("bisect", "Twice", "4", "--since", since)
    assert same.code == 5
    assert "Nothing has changed" in same.err
    late = released.run("bisect", "Twice", "4", "--since", datetime.now(UTC).isoformat())
    assert late.code == 5


def first_release(console: Console) -> str:
    """Return when Twice was released first."""
    program = (
        "import os, socialcode_client as s; c = s.Client(os.environ['SOCIALCODE_URL']);"
        "print(str([*c.releases('Twice')][-1].model_dump_json()))"
    )
    text = console.execute(console.python, "-c", program).out
    created = datetime.fromisoformat(json.loads(text)["created_at"])
    return created.replace(microsecond=created.microsecond // 1000 * 1000 + 999).isoformat()
