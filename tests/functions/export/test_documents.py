"""Downloaded documents, and functions that use them, work without the site."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from django.test import Client

from functions.authoring import define_function
from runner.workers.drainer import Drainer
from tests.functions.export.test_installation import take
from tests.support import builders as make
from tests.support.works import implement, publish_test

PERSON = """{"name": "Ada", "city": {"key": "City"}, "cook": {"key": "Nobody"}}"""
TEST_OF_PERSON = """\
def test_city():
    assert data["city"] == {"name": "Bern"}
    assert data["cook"] == {"key": "Nobody", "link_missing": True}
"""
GREETING = """\
# <<Person>>
def Greeting():
    return f"{Person['name']} from {Person['city']['name']}"
"""


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_document_keeps_its_value_and_passes_its_tests_outside(
    worker: Drainer, client: Client, tmp_path: Path
) -> None:
    ana = make.user("ana")
    for name, kind, code in (
        ("City", "document", '{"name": "Bern"}'),
        ("Person", "document", PERSON),
        ("Greeting", "function", GREETING),
    ):
        function = define_function(actor=ana, name=name, kind=kind)
        if name == "Person":
            publish_test(function, TEST_OF_PERSON, author="ana")
        implement(function, code, author="ana")
        worker.drain()
    for name in ("Person", "Greeting"):
        zipfile.ZipFile(take(client, name, ".whl", tmp_path)).extractall(tmp_path)
        take(client, name, f"{name}.py", tmp_path)
    packages = ["socialcode_person", "socialcode_greeting"]
    tested = run(["-m", "pytest", "-q", "-p", "no:cacheprovider", *packages], tmp_path)
    assert "2 passed" in tested, tested
    code = "import Greeting, Person; print(Greeting.Greeting(), Person.Person['city'])"
    assert run(["-c", code], tmp_path) == "Ada from Bern {'name': 'Bern'}\n"


def run(arguments: list[str], folder: Path) -> str:
    """Return the output of Python in this folder, without the site's packages of its own."""
    paths = [str(folder), *(path for path in sys.path if path.endswith("-packages"))]
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={"PYTHONPATH": os.pathsep.join(paths), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr
