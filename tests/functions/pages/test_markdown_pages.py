"""Pages as Markdown, for those who accept it, and /llms.txt."""

import re

import pytest
from django.test import Client

from tests.support import builders as make

pytestmark = pytest.mark.django_db
MARKDOWN = "text/markdown"


def read(path: str, accept: str = MARKDOWN, status: int = 200) -> str:
    response = Client().get(path, headers={"Accept": accept})
    assert response.status_code == status
    is_markdown = response["Content-Type"].startswith(MARKDOWN)
    assert is_markdown == (MARKDOWN in accept)
    assert "Accept" in response["Vary"]
    return response.content.decode()


@pytest.fixture
def halve() -> None:
    owner = make.user("ida")
    function = make.function("Halve", owner=owner, signature="(n)", description="*Half* of n.")
    test = make.test_of(function, author=owner, code="assert Halve(6) == 3\n", number=1)
    right = make.implementation(function, number=1, code="right = '''\n```\n'''\n", passed=1)
    wrong = make.implementation(function, number=2, code="wrong\n", title="Wrong", counting=1)
    make.cell(right, test, "passed")
    make.cell(wrong, test, "failed", message="2 == 3", line=4)
    make.dependency(right, "Divide", make.function("Divide"))
    make.elect(right, untested=False)


@pytest.mark.usefixtures("halve")
def test_a_function_is_told_whole() -> None:
    text = read("/functions/Halve/")
    assert text.startswith("# Halve(n)\n\nA function by ida, implemented.\nUses: Divide.\n\n*Half*")
    assert "## Implementations (2)" in text
    # No line of the code ends its fence.
    assert "````python\nright = '''\n```\n'''\n````" in text
    assert "### #2 Wrong" in text
    assert "- T1: failed, line 4 2 == 3" in text
    assert "```python\nassert Halve(6) == 3\n```" in text


@pytest.mark.usefixtures("halve")
@pytest.mark.parametrize("accept", ["text/html", "text/html,text/*;q=0.1", "", "*/*"])
def test_browsers_get_html(accept: str) -> None:
    assert "<html" in read("/functions/Halve/", accept)


def test_an_undefined_name_says_so() -> None:
    make.dependency(make.implementation(make.function("User")), "Gone", None)
    assert "Used by: User." in read("/functions/Gone/", status=404)


@pytest.mark.usefixtures("halve")
def test_other_pages() -> None:
    assert "- **implement** [Divide](/functions/Divide/" in read("/help-wanted/")
    assert read("/help/agents/").startswith("# Agents\n")
    assert "<html" in read("/help/agents/", "text/html")


def test_where_to_begin() -> None:
    text = Client().get("/llms.txt").content.decode()
    for address in re.findall(r"\]\((/[^)]*)\)", text):
        if "NAME" not in address:
            assert Client().get(address).status_code == 200, address
    assert "/mcp" in text
