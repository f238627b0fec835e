"""Commands, each by the installed program, against a site that answers."""

import json
from pathlib import Path

import pytest
from pytest_django.live_server_helper import LiveServer

from functions.models import Function, Implementation, Test
from tests.client.conftest import ADD, PASSWORD, Console
from tests.support.agents import labelled


def test_whoever_signs_in_is_known_afterwards(mira: Console, live_server: LiveServer) -> None:
    kept = json.loads((mira.home / "config/socialcode/tokens.json").read_text())
    assert list(kept) == [live_server.url]
    assert mira.done("logout").out.startswith("The token")
    refused = mira.run("vote", "implementation", "1", "up")
    assert refused.code == 3
    assert "socialcode login" in refused.err
    again = mira.run("login", live_server.url, "--with-token", given="sc_wrong\n")
    assert again.code == 3
    assert json.loads((mira.home / "config/socialcode/tokens.json").read_text()) == {}
    mira.done("login", "--with-token", given=kept[live_server.url] + "\n")


def test_a_token_permits_no_more_than_is_needed(mira: Console, live_server: LiveServer) -> None:
    kept = json.loads((mira.home / "config/socialcode/tokens.json").read_text())
    request = (
        f"import socialcode_client as s; s.Client('{live_server.url}', '{kept[live_server.url]}')"
    )
    made = mira.execute(mira.python, "-c", f"{request}._json('POST', '/tokens/', body={{}})")
    assert "Forbidden" in made.err
    login = ("login", "--username", "mira", "--password-stdin", "--scope", "read")
    mira.done(*login, given=f"{PASSWORD}\n")
    refused = mira.run("new", "Thrice")
    assert refused.code == 3
    assert "socialcode login --scope publish" in refused.err


def test_a_wrong_password_is_refused(
    library: dict[str, Function], live_server: LiveServer, console: Console
) -> None:
    said = console.run(
        "login", live_server.url, "--username", "mira", "--password-stdin", given="wrong\n"
    )
    assert said.code == 3
    assert "Error:" in said.err
    assert not (console.home / "config/socialcode").exists()


def test_reading_needs_no_account(
    library: dict[str, Function], live_server: LiveServer, console: Console
) -> None:
    url = ("--url", live_server.url)
    listed = console.done("search", "twice", *url, "--json").json
    assert [one["name"] for one in listed] == ["Twice"]
    assert "Twice" in console.done("search", "uses:Add", *url).out
    assert console.done("search", "nothing-like-this", *url).err.startswith("Nothing found")
    shown = console.done("show", "twice", *url)
    assert "return Add(a, a)" in shown.out
    assert "✓ passed" in shown.out
    assert console.done("show", "Add", "--code", *url).out == ADD
    assert console.done("show", "Add", "--json", *url).json["status"] == "implemented"


def test_a_pulled_folder_is_plain_python_that_pytest_runs(mira: Console) -> None:
    mira.done("pull", "Twice")
    folder = mira.within("Twice")
    assert "from sc.Add import Add\n" in (folder.folder / "sc/Twice.py").read_text()
    assert "1 passed" in folder.done("test", "-q").out
    plain = mira.execute(mira.python, "-m", "pytest", "-q", "Twice")
    assert (plain.code, "1 passed" in plain.out) == (0, True)
    called = "from sc.Twice import Twice; print(Twice(21))"
    assert folder.execute(mira.python, "-c", called).out == "42\n"
    assert folder.done("status", "--json").json["changed"] == []
    broken = folder.folder / "sc/Twice.py"
    broken.write_text(broken.read_text().replace("Add(a, a)", "Add(a, a) + 1"))
    assert folder.run("test", "-q").code == 1
    assert folder.run("test", "--json").json == {"passed": False, "pytest": 1}


def test_top_level_statements_are_a_case_of_their_own(mira: Console) -> None:
    mira.done("pull", "Add", "--into", "here")
    folder = mira.within("here")
    assert "1 passed" in folder.done("test", "-q").out
    test = folder.folder / "tests/Add/test_1.py"
    test.write_text(test.read_text().replace("== 5", "== 5\n    assert Add(0, 0) == 0"))
    folder.done("push")
    draft = Test.objects.get(state="draft")
    assert draft.code == "assert Add(2, 3) == 5\nassert Add(0, 0) == 0\n"


def test_pushed_files_are_drafts_with_their_lineage(mira: Console) -> None:
    mira.done("pull", "Twice")
    folder = mira.within("Twice")
    module = folder.folder / "sc/Twice.py"
    module.write_text(module.read_text().replace("Add(a, a)", "2 * a"))
    (folder.folder / "tests/Twice/test_zero.py").write_text(
        "from sc.Add import Add\nfrom sc.Twice import Twice\n\n\n"
        "def test_zero():\n    assert Twice(0) == Add(0, 0)\n"
    )
    pushed = folder.done("push", "--json", "--title", "Faster").json
    assert [(one["file"], one["kind"]) for one in pushed] == [
        ("sc/Twice.py", "implementation"),
        ("tests/Twice/test_zero.py", "test"),
    ]
    draft = Implementation.objects.get(state="draft")
    current = Implementation.objects.get(state="published", function__name="Twice")
    assert draft.code == "# <<Add>>\ndef Twice(a):\n    return 2 * a\n"
    assert (draft.based_on, draft.author.get_username(), draft.title) == (current, "mira", "Faster")
    test = Test.objects.get(state="draft")
    assert test.code.startswith("# <<Add>>\n# <<Twice>>\n")
    assert folder.done("push", "--json").json == []
    module.write_text(module.read_text().replace("2 * a", "a + a"))
    (again,) = folder.done("push", "--json").json
    assert again["draft"] == draft.pk
    assert Implementation.objects.get(state="draft").code.endswith("return a + a\n")


def test_a_pull_never_overwrites_what_was_changed(mira: Console) -> None:
    mira.done("pull", "Twice")
    module = mira.folder / "Twice/sc/Twice.py"
    module.write_text(module.read_text() + "\n# mine\n")
    refused = mira.run("pull", "Twice")
    assert refused.code == 5
    assert "sc/Twice.py" in refused.err
    assert "# mine" in module.read_text()
    mira.done("pull", "Twice", "--force")
    assert "# mine" not in module.read_text()


def test_a_draft_is_pulled_and_saved_again(mira: Console) -> None:
    mira.done("pull", "Twice", "--into", "one")
    module = mira.folder / "one/sc/Twice.py"
    module.write_text(module.read_text().replace("Add(a, a)", "2 * a"))
    (pushed,) = mira.within("one").done("push", "--json").json
    mira.done("pull", "Twice", "--into", "two", "--implementation", str(pushed["draft"]))
    other = mira.folder / "two/sc/Twice.py"
    assert "return 2 * a" in other.read_text()
    other.write_text(other.read_text().replace("2 * a", "a * 2"))
    (again,) = mira.within("two").done("push", "--json").json
    assert (again["draft"], again["based_on"]) == (pushed["draft"], pushed["based_on"])
    assert Implementation.objects.get(state="draft").code.endswith("return a * 2\n")
    refused = mira.run("pull", "Twice", "--into", "three", "--implementation", "0")
    assert refused.code == 3
    assert "#1 by ida" in refused.err


def test_a_mistake_is_told_with_its_place_in_the_file(mira: Console) -> None:
    mira.done("pull", "Twice")
    module = mira.folder / "Twice/sc/Twice.py"
    module.write_text(module.read_text() + "x = (\n")
    refused = mira.within("Twice").run("publish")
    assert refused.code == 3
    assert f"sc/Twice.py:{len(module.read_text().splitlines())}:" in refused.err


def test_somebody_else_s_draft_in_between_is_not_overwritten(mira: Console) -> None:
    mira.done("pull", "Twice")
    folder = mira.within("Twice")
    module = folder.folder / "sc/Twice.py"
    module.write_text(module.read_text() + "\n# one\n")
    folder.done("push")
    Implementation.objects.filter(state="draft").update(version=7)
    module.write_text(module.read_text() + "\n# two\n")
    refused = folder.run("push")
    assert refused.code == 3
    assert "changed on the site" in refused.err


def test_a_function_is_defined_and_voted_on(mira: Console, library: dict[str, Function]) -> None:
    mira.done("new", "Thrice", "--signature", "(a)")
    assert Function.objects.get(name="Thrice").owner.get_username() == "mira"
    mira.done("pull", "Thrice")
    assert "def Thrice(a):" in (mira.folder / "Thrice/sc/Thrice.py").read_text()
    taken = mira.run("new", "Thrice", "--json")
    assert taken.code == 3
    assert json.loads(taken.err)["error"]["code"] == "name_taken"
    work = Implementation.objects.get(function=library["Add"])
    voted = mira.done("vote", "implementation", str(work.pk), "up", "--json")
    assert voted.json == {"score": 1, "agent_score": 0, "apart": False}
    mira.done("vote", "implementation", str(work.pk), "none")
    labelled("mira")
    voted = mira.done("vote", "implementation", str(work.pk), "up")
    assert voted.out == "Score: 0 (agents +1)\n"
    assert "Counted apart" in voted.err


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("nonsense",), 2),
        (("show",), 2),
        (("vote", "implementation", "1", "sideways", "--url", "http://127.0.0.1:1"), 2),
        (("call", "Add", "--b", "--url", "http://127.0.0.1:1"), 2),
        (("show", "Add", "--url", "http://127.0.0.1:1"), 4),
        (("show", "Add", "--url", "ftp://nowhere"), 5),
        (("show", "Add"), 5),
        (("push",), 5),
        (("--version",), 0),
        (("--help",), 0),
    ],
)
def test_exit_codes_tell_what_was_wrong(
    console: Console, words: tuple[str, ...], code: int
) -> None:
    said = console.run(*words)
    assert said.code == code, said
    assert "Traceback" not in said.err


def test_a_missing_function_is_told(
    library: dict[str, Function], live_server: LiveServer, console: Console
) -> None:
    said = console.run("show", "Nothing", "--url", live_server.url)
    assert said.code == 3
    assert "socialcode search" in said.err


def test_shells_can_complete_it(console: Console) -> None:
    said = console.done("--show-completion", "bash")
    assert "_SOCIALCODE_COMPLETE" in said.out
    assert Path(console.command).name == "socialcode"
