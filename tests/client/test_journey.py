"""From a function on the site to a better one, in a terminal, with real workers."""

import json
import subprocess

import pytest
from django.contrib.auth.models import User

from functions.models import Implementation
from tests.client.conftest import PASSWORD, Console
from tests.patience import PATIENCE_SECONDS
from tests.support.site import Site


@pytest.fixture
def mira(live_site: Site, console: Console) -> Console:
    """A terminal of an author who has signed in."""
    User.objects.create_user("mira", password=PASSWORD)
    console.sign_in(live_site.url, "mira")
    return console


def test_a_function_is_defined_tested_published_and_improved(mira: Console) -> None:
    mira.done("new", "Add", "--signature", "(a, b)", "--description", "The sum.")
    mira.done("pull", "Add")
    folder = mira.within("Add")
    tests = folder.folder / "tests/Add"
    tests.mkdir(parents=True)
    (tests / "test_small.py").write_text(
        "from sc.Add import Add\n\n\ndef test_small():\n    assert Add(2, 3) == 5\n"
    )
    module = folder.folder / "sc/Add.py"
    module.write_text(module.read_text().replace("raise NotImplementedError", "return a"))

    assert folder.run("test", "-q").code == 1
    (checked,) = folder.run("check", "sc/Add.py", "--json").json
    assert (checked["verdict"], checked["cells"], checked["good"]) == ("passed", [], True)
    published = folder.run("publish", "--json")
    assert published.code == 1
    test, wrong = published.json
    assert (test["kind"], test["state"], test["counts"]) == ("test", "working", True)
    assert (wrong["kind"], wrong["state"], wrong["elected"]) == (
        "implementation",
        "failing",
        False,
    )

    module.write_text(module.read_text().replace("return a\n", "log('adding')\n    return a + b\n"))
    ran = folder.done("run", "--json").json
    assert [task["verdict"] for task in ran[0]["tasks"]] == ["passed"]
    assert folder.done("run", "sc/Add.py").out.count("✓ passed") == 1
    right = folder.done("publish")
    assert "It is current now." in right.out
    current = Implementation.objects.get(function__name="Add", number=2)
    assert current.based_on_id == wrong["id"]
    assert current.code == "def Add(a, b):\n    log('adding')\n    return a + b\n"

    called = mira.done("call", "Add", "6", "--b=7")
    assert called.out == "13\n"
    assert "adding" in called.err
    assert mira.done("call", "Add", '"6"', '"7"', "--json").json["result"] == "67"
    failed = mira.run("call", "Add", "6")
    assert failed.code == 1
    assert "missing 1 required positional argument" in failed.err


def test_unsaved_code_is_checked_against_what_is_there(mira: Console) -> None:
    mira.done("new", "Add", "--signature", "(a, b)")
    mira.done("pull", "Add")
    folder = mira.within("Add")
    (folder.folder / "tests/Add").mkdir(parents=True)
    test = folder.folder / "tests/Add/test_small.py"
    test.write_text("from sc.Add import Add\n\n\ndef test_small():\n    assert Add(2, 3) == 5\n")
    folder.done("publish")
    module = folder.folder / "sc/Add.py"
    stub = module.read_text()
    module.write_text(stub.replace("raise NotImplementedError", "log(a)\n    return a - b"))
    said = folder.run("check", "--log")
    assert said.code == 1
    for part in ("✗ failed", "expected  5", "actual    -1", "small by mira", "ms  2"):
        assert part in said.out
    (outcome,) = folder.run("check", "--json").json
    assert (outcome["file"], outcome["good"]) == ("sc/Add.py", False)
    module.write_text(stub.replace("raise NotImplementedError", "return a + b"))
    assert "1 of 1 passed" in folder.done("check").out
    code = "def Add(a, b):\n    return a + b\n"
    assert mira.done("check", "--function", "Add", "-", given=code).code == 0
    wrong = mira.run("check", "--function", "Add", "--test", "-", given="assert Add(1, 1) == 3\n")
    assert wrong.code == 0  # nothing is current that it could be wrong of
    assert not Implementation.objects.exists()
    refused = mira.run("check", "--function", "Add", "-", given="def Add(:\n")
    assert refused.code == 3


@pytest.mark.parametrize("way", ["--poll", "--until-settled"])
def test_what_happens_is_watched_from_elsewhere(mira: Console, way: str) -> None:
    mira.done("new", "Add", "--signature", "(a, b)")
    mira.done("pull", "Add")
    module = mira.folder / "Add/sc/Add.py"
    module.write_text(module.read_text().replace("raise NotImplementedError", "return a + b"))
    words = [str(mira.command), "watch", "Add", "--json", "--timeout", "20", "--poll"]
    watching = subprocess.Popen(
        words[: -1 if way != "--poll" else None],
        cwd=mira.folder,
        env=mira.environment(),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert watching.stdout is not None
    assert json.loads(watching.stdout.readline())["payload"]["name"] == "Add"
    mira.within("Add").done("publish")
    out, _ = watching.communicate(timeout=PATIENCE_SECONDS)
    assert watching.returncode == 0
    events = [json.loads(line) for line in out.splitlines()]
    assert [event["seq"] for event in events] == sorted({event["seq"] for event in events})
    assert {"batch.submitted", "batch.finished", "standing.changed"} <= {
        event["type"] for event in events
    }
    settled = mira.done("watch", "Add", "--until-settled", "--timeout", "20")
    assert "implemented" in settled.out
