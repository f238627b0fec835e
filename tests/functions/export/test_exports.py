"""What an export makes of sources: they mean what they mean on the site."""

import io
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from dataclasses import replace
from pathlib import Path

from packaging.metadata import parse_email

from functions.export import Bundle, Piece, Release, TestPiece, sdist_bytes, wheel_bytes
from functions.export.package import package_files
from functions.export.single_file import single_file
from runner.sandbox import Module, Pool, Program


def piece(name: str, code: str, *uses: str, title: str = "", author: str = "ida") -> Piece:
    return Piece(
        name=name,
        signature="(coding: int)",
        description="What it does.\nAnd more.",
        owner="olga",
        number=7,
        title=title,
        author=author,
        code=code,
        uses=uses,
    )


def case(function: str, code: str, *uses: str, number: int = 1, title: str = "") -> TestPiece:
    return TestPiece(
        function=function, number=number, title=title, author="tess", code=code, uses=uses
    )


def release(*pieces: Piece, tests: tuple[TestPiece, ...] = ()) -> Release:
    """Export the last of these."""
    bundle = Bundle(name=pieces[-1].name, pieces=pieces, extras=(), tests=tests)
    return Release(bundle, package_files(bundle), single_file(bundle))


def outputs(made: Release, folder: Path, code: str) -> list[str]:
    """Run code that uses the function, from the one file and then from the package."""
    write(made, folder)
    name = made.bundle.name
    modules = (f"{name}_alone", f"socialcode_{name.lower()}")
    script = "\nprint('--')\n".join(f"from {module} import {name}\n{code}" for module in modules)
    done = run(folder, "-c", script)
    assert not done.stderr, done.stderr
    return done.stdout.split("--\n")


def write(made: Release, folder: Path) -> None:
    """Write the package's modules, and the one file, where they can be imported."""
    for path, source in {**made.files, f"{made.bundle.name}_alone.py": made.single}.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(source, encoding="utf-8")


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python there, which knows nothing of this project."""
    variables = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=variables,
        capture_output=True,
        text=True,
        check=False,
    )


def test_modules_that_get_along_share_one_plain_file(tmp_path: Path) -> None:
    made = release(
        piece("Add", "import math\n\ndef Add(a, b):\n    return a + b\n", author="ann"),
        piece("Twice", "import math\n# <<Add>>\ndef Twice(a):\n    return Add(a, a)\n", "Add"),
    )
    assert "_module" not in made.single
    assert "by ann" in made.single
    assert outputs(made, tmp_path, "print(Twice(4))") == ["8\n", "8\n"]


def test_each_module_keeps_its_own_names(tmp_path: Path) -> None:
    cases = [
        # A private name that both have; a builtin and a helper that only one means otherwise.
        (
            "_N = 1\ndef Add(a):\n    return a + _N\n",
            "_N = 10\ndef F():\n    return Add(_N)\n",
            "11",
        ),
        (
            "sum = 3\ndef Add(a):\n    return a + sum\n",
            "def F():\n    return Add(sum([1, 2]))\n",
            "6",
        ),
        (
            "def log(x):\n    return 1\ndef Add(a):\n    return log(a)\n",
            "def F():\n    log(5)\n    return Add(1)\n",
            "5\n1",
        ),
        # What is merely imported, or not in `__all__`, isn't brought along; the rest is.
        (
            "import math\ndef Add(a):\n    return a\n",
            "def F():\n    try:\n        return math\n    except NameError:\n        return 'no'\n",
            "no",
        ),
        (
            "__all__ = ['Add', '_x']\n_x = 2\ndef Add(a):\n    return a\n",
            "def F():\n    return Add(_x)\n",
            "2",
        ),
        ("SIZE = 4\ndef Add(a):\n    return a\n", "def F():\n    return SIZE\n", "4"),
        # Docstrings, future imports, statements that share a line, and strings over several.
        (
            (
                "'''Doc \"\"\" \\\\ '''; from __future__ import annotations; y = 1\n"
                "def Add(a: Gone):\n    return __doc__\n"
            ),
            "'''It'''\ndef F():\n    return Add(1).strip()\n",
            'Doc """ \\',
        ),
        # Its own name goes before one that is given.
        ("def Add(a):\n    return a\nk = 1\n", "k = 2\ndef F():\n    return Add(k)\n", "2"),
    ]
    script, expected = "", ""
    for number, (giver, user, said) in enumerate(cases):
        name = f"F{number}"
        made = release(piece("Add", giver), piece(name, user.replace("F()", f"{name}()"), "Add"))
        write(made, tmp_path)
        for module in (f"{name}_alone", f"socialcode_f{number}"):
            script += f"from {module} import {name}\nprint({name}())\n"
            expected += f"{said}\n"
    done = run(tmp_path, "-c", script)
    assert done.stdout == expected, done.stderr
    with Pool(1) as pool:  # and so it is on the site
        for giver, user, said in cases:
            value = said.rpartition("\n")[2]
            modules = (
                Module("Add", giver, ()),
                Module("F", user, ("Add",)),
                Module("test", f"assert str(F()) == {value!r}\n", ("F",)),
            )
            outcome = pool.run(Program(modules, "test", "F"))
            assert outcome.verdict == "passed", (user, outcome.message)


def test_of_two_that_bring_a_name_its_namesake_wins_or_nobody(tmp_path: Path) -> None:
    user = (
        "def F():\n    try:\n        return A(), same\n    except NameError:\n        return A()\n"
    )
    made = release(
        piece("A", "same = 1\ndef A():\n    return 'a'\n"),
        piece("B", "same = 2\nA = 3\ndef B():\n    return 'b'\n"),
        piece("F", user, "A", "B"),
    )
    assert outputs(made, tmp_path, "print(F())") == ["a\n"] * 2


def test_a_circle_is_imported_from_wherever_one_begins(tmp_path: Path) -> None:
    even = "# <<Odd>>\ndef Even(n):\n    return n == 0 or Odd(n - 1)\n"
    odd = "# <<Even>>\ndef Odd(n):\n    return n != 0 and Even(n - 1)\n"
    for private in ("", "_x = 1\n"):
        folder = tmp_path / f"x{len(private)}"
        folder.mkdir()
        made = release(piece("Odd", private + odd, "Even"), piece("Even", private + even, "Odd"))
        assert outputs(made, folder, "print(Even(10), Even(7))") == ["True False\n"] * 2
        begun = "import socialcode_even.odd as o, socialcode_even.even as e; print(e.Even(4))"
        done = run(folder, "-c", begun)
        assert done.stdout == "True\n", done.stderr


def test_names_that_are_no_modules_get_along_with_python_and_with_each_other(
    tmp_path: Path,
) -> None:
    made = release(
        piece("Class", "def Class():\n    return 1\n"),
        piece("class_", "def class_():\n    return 2\n"),
        piece("Tests", "def Tests():\n    return 3\n"),
        piece("json_", "def json_():\n    return 4\n"),
        piece(
            "Json",
            "import json\ndef Json():\n"
            "    return json.dumps([Class(), class_(), Tests(), json_()])\n",
            "Class",
            "Tests",
            "class_",
            "json_",
        ),
    )
    assert outputs(made, tmp_path, "print(Json())") == ["[1, 2, 3, 4]\n"] * 2


def test_the_same_versions_are_the_same_bytes_and_others_are_not() -> None:
    def made(title: str) -> Release:
        return release(piece("Add", "def Add(a, b):\n    return a + b\n", title=title))

    first, again, other = made("plain"), made("plain"), made("fancy")
    assert wheel_bytes(first) == wheel_bytes(again)
    assert sdist_bytes(first) == sdist_bytes(again)
    assert first.version == again.version != other.version


def test_tests_of_every_shape_pass_in_pytest_and_fail_when_they_should(tmp_path: Path) -> None:
    text = (
        'for n in (1, 2):\n    log(n)\n    assert Add(n, 1) == n + 1\nassert """\nx""" == "\\nx"\n'
    )
    tests = (
        case("Add", text, title="a slab: with `odd` title"),
        case("Add", "def test_one():\n    check(Add(1, 1) == 2, 'two')\n", number=2),
        case("Add", "async def test_later():\n    assert Add(1, 1) == 2\n", number=3),
        case(
            "Add",
            "n = 0\ndef up():\n    global n\n    n += 1\nup()\nassert Add(n, 0) == 1\n",
            number=4,
        ),
        case("Add", "import unittest\nunittest.main(exit=False)\n", number=5),
        case("Add", "async def test_wrong():\n    assert Add(1, 1) == 3\n", number=6),
        case("Add", "if Add(1, 1) == 2:\n    assert False\n", number=7),
        case("Add", "def test_eight():\n    assert test_nothing\n", number=8),
    )
    code = "def Add(a, b):\n    return a + b\ndef test_nothing(of):\n    assert 0\n"
    made = release(piece("Add", code), tests=tests)
    write(made, tmp_path)
    options = ("-p", "no:cacheprovider", "-c", "/dev/null")
    done = run(tmp_path, "-m", "pytest", "-q", *options, "--pyargs", "socialcode_add")
    assert "2 failed, 5 passed" in done.stdout, done.stdout


def test_the_source_archive_says_who_wrote_it_and_needs_nothing() -> None:
    made = release(
        piece("Add", "def Add(a, b):\n    return a + b\n", author='an"n', title="two\nlines")
    )
    with tarfile.open(fileobj=io.BytesIO(sdist_bytes(made))) as archive:
        names = [name.split("/", 1)[1] for name in archive.getnames()]
        project = archive.extractfile(f"{made.stem}/pyproject.toml")
        readme = archive.extractfile(f"{made.stem}/README.md")
        assert project is not None
        assert readme is not None
        assert 'name = "an\\"n"' in (text := project.read().decode())
        assert "dependencies = []" in text
        assert "Add: “two lines”, implementation 7 by an" in readme.read().decode()
    assert "socialcode_add/add.py" in names


def test_the_licenses_of_all_works_are_in_every_file() -> None:
    add = replace(piece("Add", "def Add(a, b):\n    return a + b\n"), license="MIT")
    test = replace(case("Add", "assert Add(1, 1) == 2\n"), license="CC0-1.0 OR MIT")
    made = release(add, tests=(test,))
    assert made.bundle.license == "(CC0-1.0 OR MIT) AND MIT"
    assert "# SPDX-License-Identifier: MIT\n" in made.single
    assert "# SPDX-License-Identifier: MIT\n" in made.files["socialcode_add/add.py"]
    assert "CC0-1.0 OR MIT\n" in made.files["socialcode_add/tests/test_add_1.py"]
    with zipfile.ZipFile(io.BytesIO(wheel_bytes(made))) as archive:
        metadata = archive.read(f"{made.stem}.dist-info/METADATA").decode()
    assert "\nLicense-Expression: (CC0-1.0 OR MIT) AND MIT\n" in metadata
    assert parse_email(metadata)[1] == {}
    with tarfile.open(fileobj=io.BytesIO(sdist_bytes(made))) as archive:
        project = archive.extractfile(f"{made.stem}/pyproject.toml")
        assert project is not None
        text = project.read().decode()
    assert tomllib.loads(text)["project"]["license"] == "(CC0-1.0 OR MIT) AND MIT"
    assert release(piece("Add", add.code), tests=(test,)).bundle.license == ""


def test_the_source_archive_builds_the_same_wheel(tmp_path: Path) -> None:
    text = '"""“Adds” two numbers\r\nof any size."""'
    made = release(piece("Add", f"def Add(a, b):\n    {text}\n    return a + b\n"))
    with tarfile.open(fileobj=io.BytesIO(sdist_bytes(made))) as archive:
        archive.extractall(tmp_path, filter="data")
    build = "import build_wheel_here; print(build_wheel_here.build_wheel('..'))"
    built = run(tmp_path / made.stem, "-c", build)
    assert (tmp_path / built.stdout.strip()).read_bytes() == wheel_bytes(made)
