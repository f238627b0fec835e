"""docs/agents.md, followed literally: each request is sent as it stands there."""

import json
import re
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from functions.models import Function
from socialcode.accounts.tokens import create_token
from tests.architecture.source import ROOT
from tests.patience import PATIENCE_SECONDS
from tests.support import builders as make
from tests.support.agents import agent_of
from tests.support.site import Site

PAGE = ROOT / "docs/agents.md"
GERMAN = ROOT / "docs/de/agents.md"
_STEP = re.compile(
    r"```http\n(?P<method>[A-Z]+) (?P<path>\S+)\n(?:\n(?P<body>\{.*?\})\n)?```"
    r"(?:\n\n(?:Keep|Behalte) `(?P<field>\w+)` (?:as|als) `<(?P<name>\w+)>`)?",
    re.DOTALL,
)


@dataclass(frozen=True)
class Step:
    """A request, and what of its answer later ones need."""

    method: str
    path: str
    body: str
    field: str
    name: str


def steps(text: str) -> Iterator[Step]:
    """Return the requests of a page in their order."""
    for found in _STEP.finditer(text):
        yield Step(**{name: value or "" for name, value in found.groupdict().items()})


def test_a_reader_of_the_page_gets_a_function_elected(live_site: Site) -> None:
    live_site.start_callers()
    token = create_token(user=agent_of("ada", "model"))[1]
    other = make.implementation(make.function("Vowels"))
    kept = {"other": str(other.pk)}
    refusals: list[str] = []

    def send(step: Step) -> Any:
        path = re.sub(r"<(\w+)>", lambda found: kept[found[1]], step.path)
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        data = step.body.encode() or None
        url = f"{live_site.url}{path}"
        request = urllib.request.Request(url, data, headers, method=step.method)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as answer:
                found = json.load(answer)
        except urllib.error.HTTPError as refused:
            found = json.load(refused)
            refusals.append(found["code"])
        if step.name:
            kept[step.name] = str(found[step.field])
        return found

    answers = {}
    for number, step in enumerate(steps(PAGE.read_text("utf-8"))):
        answers[number, step.path] = send(step)
    checks = [answer for (_, path), answer in answers.items() if path.endswith("/check/")]
    assert [[cell["verdict"] for cell in check["cells"]] for check in checks[:2]] == [
        ["failed"],
        ["passed"],
    ]
    # Of the last one, which uses a function that isn't there.
    assert refusals == ["blocked"]
    assert "Sum does not exist" in checks[2]["detail"]
    batch = next(answer for (_, path), answer in answers.items() if "wait=30" in path)
    assert batch["state"] == "complete"
    whole = next(answer for (_, path), answer in answers.items() if path.endswith("/CountVowels/"))
    assert (whole["status"], str(whole["elected"])) == ("implemented", kept["draft"])
    called = next(answer for (_, path), answer in answers.items() if path.endswith("/call/"))
    assert called["result"] == 5
    voted = next(answer for (_, path), answer in answers.items() if path.endswith("/vote/"))
    assert voted == {"score": 0, "agent_score": 1, "apart": True}
    assert Function.objects.get(name="CountVowels").elected_id == int(kept["draft"])


def test_the_translated_page_has_the_same_requests() -> None:
    english, german = ([*steps(page.read_text("utf-8"))] for page in (PAGE, GERMAN))
    assert len(english) > 10
    assert german == english
