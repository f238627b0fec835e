"""The examples of docs/pages.md, published and run in their order."""

import re
from pathlib import Path

import pytest
from django.test import Client

from functions.authoring import define_function
from functions.models import Cell, Function
from runner.workers.drainer import Drainer
from tests.support import builders as make
from tests.support.works import implement, publish_test

GUIDE = Path(__file__).parents[3] / "docs" / "pages.md"
EXAMPLE = re.compile(
    r"The (?P<what>page|function|document|test of) `(?P<name>\w+)`:\n\n"
    r"```(?:html|python|json)\n(?P<text>.*?)```",
    re.DOTALL,
)


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_what_the_guide_says_of_pages_is_so(worker: Drainer, callers: Path, client: Client) -> None:
    ana = make.user("ana")
    for example in EXAMPLE.finditer(GUIDE.read_text(encoding="utf-8")):
        name, what = example["name"], example["what"]
        function = Function.objects.filter(name=name).first()
        function = function or define_function(actor=ana, name=name, kind=what)
        (publish_test if what == "test of" else implement)(function, example["text"], author="ana")
        worker.drain()
    names = "About Clock Greeting Guestbook Head Home Kitchen Shopping Today".split()
    implemented = Function.objects.filter(status="implemented")
    assert list(implemented.order_by("name").values_list("name", flat=True)) == names
    assert Cell.objects.exclude(test=None).filter(verdict="passed").count() == 6
    assert "Hello, &lt;Ada&gt;!" in client.get("/p/Home/?name=<Ada>").content.decode()
    sent = client.post("/p/Guestbook/", {"name": "Ada"})
    assert (sent.status_code, sent["Location"]) == (303, "/p/Guestbook/thanks?name=Ada")
    asked = client.get("/p/Clock/?minutes=2", headers={"accept": "application/json"})
    assert asked.json() == {"seconds": 120}
