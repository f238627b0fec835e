"""The package index, as installers ask for it."""

import hashlib
import io
import re
import zipfile

from django.test import Client
from packaging.metadata import Metadata
from packaging.utils import parse_sdist_filename, parse_wheel_filename

from functions.authoring import withdraw
from functions.export.distribution import distribution_name
from functions.models import Function, Release, ReleaseFile
from functions.releases.build import build_releases, retry_releases
from runner.workers.drainer import Drainer
from tests.functions.releases.conftest import publish

JSON = {"accept": "application/vnd.pypi.simple.v1+json"}


def test_names_of_projects_are_different_and_normalised() -> None:
    names = ["Add", "A_b", "A__b", "_a_b", "a_b_", "A1", "add_1"]
    projects = {distribution_name(name) for name in names}
    assert len(projects) == len(names)
    assert all(re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", project) for project in projects)
    assert distribution_name("ShortestPath") == "sc-shortestpath"


def test_projects_and_files_are_listed_in_json_and_html(
    client: Client, library: dict[str, Function]
) -> None:
    listed = client.get("/simple/", headers=JSON)
    assert listed["Content-Type"] == "application/vnd.pypi.simple.v1+json"
    assert listed.json()["meta"] == {"api-version": "1.1"}
    names = [project["name"] for project in listed.json()["projects"]]
    assert names == sorted(map(distribution_name, library))
    found = client.get("/simple/sc-twice/", headers=JSON).json()
    assert (found["name"], found["versions"]) == ("sc-twice", ["1"])
    wheel, sdist = sorted(found["files"], key=lambda file: file["filename"].endswith(".gz"))
    assert str(parse_wheel_filename(wheel["filename"])[1]) == "1"
    assert parse_sdist_filename(sdist["filename"])[0] == "sc-twice"
    page = client.get("/simple/sc-twice/").content.decode()
    for file in (wheel, sdist):
        content = client.get(file["url"])
        assert hashlib.sha256(content.content).hexdigest() == file["hashes"]["sha256"]
        assert file["size"] == len(content.content)
        assert "immutable" in content["Cache-Control"]
        assert not content.cookies
        assert f'href="{file["url"]}#sha256={file["hashes"]["sha256"]}"' in page
    assert 'href="sc-twice/"' in client.get("/simple/").content.decode()
    metadata = client.get(f"{wheel['url']}.metadata").content
    assert hashlib.sha256(metadata).hexdigest() == wheel["core-metadata"]["sha256"]
    assert client.get(f"{sdist['url']}.metadata").status_code == 404


def test_metadata_states_requirements_license_authors_source_and_results(
    client: Client, library: dict[str, Function]
) -> None:
    content = client.get("/simple/files/sc_thrice-1-py3-none-any.whl").content
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert "sc/Thrice.py" in archive.namelist()
        assert not [name for name in archive.namelist() if "test" in name or "__init__" in name]
        raw = archive.read("sc_thrice-1.dist-info/METADATA")
    assert raw == client.get("/simple/files/sc_thrice-1-py3-none-any.whl.metadata").content
    found = Metadata.from_email(raw)
    assert found.license_expression == "MIT"
    assert [str(one) for one in found.requires_dist or ()] == [
        *("sc-add==1", "sc-twice==1"),
        *('pytest; extra == "test"', 'sc-twice==1; extra == "test"'),
    ]
    assert found.author == "ida, olga"
    urls = found.project_urls or {}
    assert urls["Source"].endswith("/functions/Thrice/")
    assert re.search("/results/[0-9a-f]{64}/$", urls["Result T1"])


def test_files_stay_when_another_release_comes_and_yanked_ones_are_marked(
    client: Client, library: dict[str, Function], worker: Drainer
) -> None:
    address = "/simple/files/sc_add-1-py3-none-any.whl"
    before = client.get(address).content
    first = Release.objects.get(name="Add").implementation
    publish(worker, "Add", "def Add(a, b):\n    return b + a\n", author="eve")
    withdraw(actor=first.author, work=first)
    worker.drain()
    build_releases(0)
    assert client.get(address).content == before
    files = client.get("/simple/sc-add/", headers=JSON).json()["files"]
    yanked = {file["filename"]: file["yanked"] for file in files}
    assert yanked["sc_add-1.tar.gz"] == "the implementation was withdrawn"
    assert yanked["sc_add-2.tar.gz"] is False
    assert 'data-yanked="the implementation was withdrawn"' in (
        client.get("/simple/sc-add/").content.decode()
    )
    assert client.get("/simple/sc-thrice/", headers=JSON).json()["versions"] == ["1", "2"]


def test_unusual_requests_are_answered_as_installers_expect(
    client: Client, library: dict[str, Function]
) -> None:
    assert client.get("/simple/SC_Add/")["Location"] == "/simple/sc-add/"
    hostile = ("/simple/sc-0-00/", "/simple/sc-%00/", "/simple/files/%00", "/simple/sc-0-ff/")
    for absent in (
        *hostile,
        *("/simple/sc-absent/", "/simple/add/", "/simple/files/sc_add-9.tar.gz"),
    ):
        assert client.get(absent).status_code == 404
    assert client.get("/simple/", headers={"accept": "image/png"}).status_code == 406
    found = client.get("/simple/sc-add/", headers=JSON)
    known = {**JSON, "if-none-match": found["ETag"]}
    assert client.get("/simple/sc-add/", headers=known).status_code == 304
    odd = client.get("/simple/sc-0-615f5f62/", headers=JSON).json()
    assert odd["files"][0]["filename"] == "sc_0_615f5f62-1-py3-none-any.whl"


def test_files_are_built_once_and_what_can_not_be_built_is_said(
    library: dict[str, Function],
) -> None:
    count = ReleaseFile.objects.count()
    assert count == 2 * len(library)
    assert build_releases(0) == 0
    release = Release.objects.get(name="Add")
    release.files.all().delete()
    Release.objects.filter(pk=release.pk).update(built_at=None, source_sha256=b"0" * 32)
    build_releases(0)
    release.refresh_from_db()
    assert release.build_error == "its source is not stored any more"
    retry_releases(0)
    release.refresh_from_db()
    assert release.build_error == ""
    assert ReleaseFile.objects.count() == count - 2


def test_the_same_release_is_the_same_bytes(library: dict[str, Function]) -> None:
    before = {file.filename: file.sha256 for file in ReleaseFile.objects.all()}
    ReleaseFile.objects.all().delete()
    Release.objects.update(built_at=None)
    build_releases(0)
    assert {file.filename: file.sha256 for file in ReleaseFile.objects.all()} == before


def test_a_functions_releases_are_shown_by_page_and_api(
    client: Client, library: dict[str, Function], worker: Drainer
) -> None:
    publish(worker, "Add", "def Add(a, b):\n    return b + a\n", author="eve")
    listed = client.get("/api/v1/functions/Thrice/releases/?limit=1").json()
    assert listed["project"] == "sc-thrice"
    [newest] = listed["items"]
    assert (newest["number"], newest["built"], newest["yanked"]) == (2, False, None)
    assert newest["requires"] == [{"name": "Add", "number": 2}, {"name": "Twice", "number": 2}]
    address = f"/api/v1/functions/Thrice/releases/?cursor={listed['next']}"
    [first] = client.get(address).json()["items"]
    assert (first["number"], first["built"], first["author"]) == (1, True, "ida")
    page = client.get("/functions/Thrice/export/").content.decode()
    assert "/simple/ sc-thrice==2" in page
    assert "being built" in page
