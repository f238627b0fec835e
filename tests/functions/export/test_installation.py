"""Downloaded samples: installed into a fresh environment, where their tests pass."""

import os
import subprocess
import sys
import tomllib
import venv
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from functions.maintenance.sample_library import ACCOUNTS, LIBRARY, read_library
from functions.models import Dependency, Function, Implementation, Test
from functions.names import name_key
from functions.request_limits import EXPORTS
from functions.source.markers import find_markers
from tests.support import builders as make
from tests.support.limits import limits  # noqa: F401 - a fixture

TEN = (
    *("EvaluateExpression", "MergeSort", "MergeSorted", "BinarySearch", "Slugify", "ToRoman"),
    *("ShortestPath", "ClosestWord", "RunLengthDecode", "ParseCsvLine"),
)
SMALL = ("Add", "Double", "Subtract", "Negate", "Halve", "IsOdd", "Multiply")


def fill_library(names: Collection[str] = ()) -> dict[str, Function]:
    """Have samples with their promised winners elected, without running anything."""
    people = {name: User.objects.create_user(name) for name in ACCOUNTS}
    samples = [one for one in read_library(LIBRARY) if not names or one.name in names]
    winners = promised_winners()
    functions = {
        sample.name: make.function(
            sample.name,
            owner=people[sample.owner],
            signature=sample.signature,
            description=sample.description,
        )
        for sample in samples
    }
    for model in (Implementation, Test):
        works: Any = model.objects
        works.bulk_create(
            model(
                function=functions[sample.name],
                code=work.code,
                title=work.title,
                author=people[work.author],
                number=number,
                state="published",
                published_at=make.SINCE,
                **({"counts": True} if model is Test else {}),
            )
            for sample in samples
            for number, work in enumerate(sample.works, start=1)
            if work.model is model and (model is Test or work.code == winners[sample.name])
        )
    for winner in Implementation.objects.all():
        make.elect(winner)
    link_all({name_key(name): function for name, function in functions.items()})
    return functions


@pytest.fixture
def library(db: None) -> dict[str, Function]:
    """Have what multiplication consists of."""
    return fill_library(SMALL)


def promised_winners() -> dict[str, str]:
    """Return the code of the implementations that the library says are elected."""
    winners = {}
    for file in LIBRARY.glob("*/*/function.toml"):
        top = tomllib.loads(file.read_text(encoding="utf-8"))
        elected = top.get("elected", top["implementations"][0]["file"])
        winners[top["name"]] = (file.parent / elected).read_text(encoding="utf-8")
    return winners


def link_all(functions: dict[str, Function]) -> None:
    """Say in the database what the works name."""
    rows = []
    for model in (Implementation, Test):
        works: Any = model.objects.all()
        for work in works:
            for key, marker in find_markers(work.code).first_by_key().items():
                if functions[key].pk != work.function_id:
                    fields = {work.noun: work, "name": marker.name, "name_key": key}
                    rows.append(Dependency(**fields, target=functions[key]))
    Dependency.objects.bulk_create(rows)


def take(client: Client, name: str, ending: str, folder: Path) -> Path:
    """Download the file of this kind."""
    told = client.get(f"/api/v1/functions/{name}/export/").json()
    found = next(file for file in told["files"] if file["filename"].endswith(ending))
    response = client.get(found["url"])
    assert response.status_code == 200
    path = folder / str(found["filename"])
    path.write_bytes(response.content)
    return path


def test_ten_samples_install_into_a_fresh_environment_and_their_tests_pass(
    db: None, client: Client, tmp_path: Path
) -> None:
    fill_library()
    wheels = [take(client, name, ".whl", tmp_path) for name in TEN[1:]]
    sources = take(client, TEN[0], ".tar.gz", tmp_path)
    venv.create(tmp_path / "fresh")
    python = tmp_path / "fresh" / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--no-index", "--no-compile"]
    installed = run([*pip, *wheels, sources], {"HOME": str(tmp_path)}, tmp_path)
    assert installed.returncode == 0, installed.stderr
    # What pytest needs comes from this project's environment; nothing else does.
    with_pytest = {
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path.endswith("-packages")),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    packages = [f"socialcode_{name.lower()}" for name in TEN]
    options = ["-q", "-p", "no:cacheprovider", "-c", "/dev/null", "--pyargs"]
    tested = run([python, "-m", "pytest", *options, *packages], with_pytest, tmp_path)
    assert tested.returncode == 0, tested.stdout[-3000:]
    assert tested.stdout.count("passed") == 1
    for name in TEN:
        take(client, name, f"{name}.py", tmp_path)
    alone = "; ".join(f"from {name} import {name}" for name in TEN)
    imported = run([python, "-c", alone], {"PYTHONDONTWRITEBYTECODE": "1"}, tmp_path)
    assert imported.returncode == 0, imported.stderr


def run(
    command: list[Any], variables: dict[str, str], folder: Path
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        env={"PATH": os.environ["PATH"], **variables},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_page_lists_files_and_authors_in_as_many_queries_however_much_there_is(
    library: dict[str, Function], client: Client
) -> None:
    numbers = []
    for name in ("Add", "Multiply"):
        with CaptureQueriesContext(connection) as queries:
            page = client.get(f"/functions/{name}/export/")
        assert page.status_code == 200
        numbers.append(len(queries))
    assert numbers[0] == numbers[1] <= 16
    html = page.content.decode()
    assert "Multiply.py" in html
    assert "Russian peasant" not in html
    assert "“Doubling and halving”, implementation 1 by mira" in html
    assert "/functions/Negate/" in html
    assert client.get("/functions/multiply/export/")["Location"] == "/functions/Multiply/export/"


def test_a_reader_who_has_the_version_is_told_so_and_an_older_one_is_gone(
    library: dict[str, Function], client: Client
) -> None:
    first = client.get("/functions/Double/export/Double.py")
    assert first["Content-Disposition"] == 'attachment; filename="Double.py"'
    again = client.get(
        "/functions/Double/export/Double.py", headers={"If-None-Match": first["ETag"]}
    )
    assert (again.status_code, again.content) == (304, b"")
    told = client.get("/api/v1/functions/Double/export/").json()
    wheel = told["files"][1]["filename"]
    by_api = client.get(f"/api/v1/functions/Double/export/{wheel}")
    assert by_api.content == client.get(told["files"][1]["url"]).content
    # Another author's name is another version: the dependency's implementation changes hands.
    Implementation.objects.filter(function=library["Add"]).update(title="Renamed")
    changed = client.get(
        "/functions/Double/export/Double.py", headers={"If-None-Match": first["ETag"]}
    )
    assert changed.status_code == 200
    assert client.get(told["files"][1]["url"]).status_code == 404


def test_what_is_not_implemented_can_not_be_taken_home(
    library: dict[str, Function], client: Client
) -> None:
    Function.objects.filter(name="Double").update(status="blocked")
    for address in ("/functions/Double/export/", "/functions/Double/export/Double.py"):
        assert client.get(address).status_code == 409
        refused = client.get(f"/api/v1{address}")
        assert (refused.status_code, refused.json()["code"]) == (409, "not_implemented")
    assert client.get("/functions/Nothing/export/").status_code == 404
    assert "Download" not in client.get("/functions/Double/").content.decode()
    assert "Download" in client.get("/functions/Add/").content.decode()


def test_who_takes_something_home_all_the_time_has_to_wait(
    library: dict[str, Function],
    client: Client,
    limits: None,  # noqa: F811 - the fixture
) -> None:
    for _ in range(EXPORTS.tries):
        EXPORTS.count("address 127.0.0.1")
    for address in ("/functions/Double/export/", "/functions/Double/export/Double.py"):
        for refused in (client.get(address), client.get(f"/api/v1{address}")):
            assert refused.status_code == 429
            assert 1 <= int(refused["Retry-After"]) <= EXPORTS.seconds
    elsewhere = client.get("/functions/Double/export/Double.py", REMOTE_ADDR="127.0.0.2")
    assert elsewhere.status_code == 200
