"""The examples of docs/documents.md, published and run in their order."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qsl

import pytest

from functions.authoring import define_function
from functions.json_data.query import parse_query
from functions.models import Document, Function, Implementation
from functions.read_models.document_search import search_documents
from runner.workers.drainer import Drainer
from tests.support import builders as make
from tests.support.works import implement, publish_test

GUIDE = Path(__file__).parents[3] / "docs" / "documents.md"
EXAMPLE = re.compile(
    r"(?:The (?P<what>document|function|test of) `(?P<name>\w+)`"
    r"|Expanded, `(?P<shown>\w+)` is):\n\n"
    r"```(?:json|python)\n(?P<text>.*?)```",
    re.DOTALL,
)
QUERY = re.compile(r"^\| `\?(?P<query>[^`]+)` \| (?P<found>.*) \|$", re.MULTILINE)


def follow(text: str, worker: Drainer) -> Iterator[tuple[str, object, object]]:
    """Publish the examples; yield each document that is shown, what it is, and what is said."""
    ana = make.user("ana")
    for example in EXAMPLE.finditer(text):
        if example["shown"]:
            found = Document.objects.get(function__name=example["shown"]).expanded
            yield example["shown"], found, json.loads(example["text"])
            continue
        name, what = example["name"], example["what"]
        function = Function.objects.filter(name=name).first()
        function = function or define_function(actor=ana, name=name, kind=what)
        (publish_test if what == "test of" else implement)(function, example["text"], author="ana")
        worker.drain()


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_what_the_guide_says_of_documents_is_so(worker: Drainer) -> None:
    text = GUIDE.read_text(encoding="utf-8")
    shown = list(follow(text, worker))
    assert len(shown) == 5
    assert [found for _name, found, _said in shown] == [said for *_rest, said in shown]
    assert Implementation.objects.get(function__name="Hen").standing == "circular"
    assert not Function.objects.filter(name__in=["Person", "City"], untested=True).exists()
    queries = list(QUERY.finditer(text))
    assert len(queries) == 7
    for query in queries:
        found = search_documents(parse_query(parse_qsl(query["query"])))
        assert [row.name for row in found.rows] == re.findall(r"`(\w+)`", query["found"]), query[0]
