"""The guide docs/application.md, followed step by step through the site's own forms."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import translation

from functions.models import Function, Implementation, Item, Test
from runner.sandbox.process.elements import Element, parse_html
from runner.workers.drainer import Drainer
from tests.support import builders as make
from tests.support.callers import callers, callers_socket  # noqa: F401 - fixtures

FIELD = re.compile(r"^\| ([^|`]+) \| `(.+)` \|$", re.MULTILINE)
DOCS = Path(__file__).parents[3] / "docs"
GUIDE, GERMAN = DOCS / "application.md", DOCS / "de/application.md"
STEP = re.compile(
    r"`(?P<form>/[^`\s]+/new/)`[^`|]*:\n\n"
    r"\| field \| value \|\n\|---\|---\|\n(?P<fields>(?:\|[^\n]*\|\n)+)"
    r"|`(?P<new>/functions/\w+/(?:tests|implementations)/new/)`[^`]*:\n\n```\w+\n(?P<code>.*?)```"
    r"|`(?P<page>/functions/\w+/)`, press\s+\*Copy & edit\* on implementation #(?P<number>\d+),"
    r" put this in place of `(?P<old>[^`]+)`, and\s+publish:\n\n```\w+\n(?P<replaced>.*?)```"
    r"|```\n(?P<method>[A-Z]+) (?P<path>[^\n]+)\n(?P<body>[^`]*?)"
    r"→ (?P<status>\d+)(?P<told> [^\n]*)?\n```"
    r"|Type `(?P<text>[^`]+)` into \*(?P<label>[^*]+)\* and press \*Add\*"
    r"|Press \*(?P<button>Finish [^*]+)\*"
    r"|`(?P<address>/[^`]+)` shows\s+\*(?P<shown>[^*]+)\*"
    r"|another account, say \*(?P<account>\w+)\*",
    re.DOTALL,
)


class Reader:
    """Follows the guide: as somebody who is signed in, with a browser that runs no scripts."""

    def __init__(self, drain: Callable[[], object]) -> None:
        self.drain = drain
        self.sign_in(make.user("you"))

    def sign_in(self, user: User) -> None:
        self.client = Client()
        self.client.force_login(user)

    def see(self, address: str) -> Element:
        """Return the document at an address; where it shows a page in a frame, that one."""
        answer = self.client.get(address)
        assert answer.status_code == 200, address
        document = parse_html(answer.content.decode())
        frames = document.select("iframe#page-frame")
        return self.see(frames[0]["src"]) if frames else document

    def send(self, address: str, form: Element, fields: dict[str, str]) -> str:
        """Send a form with what it has and these fields, by name; return where it leads."""
        known = dict(filter(None, map(value_of, form.select("input, select, textarea"))))
        assert fields.keys() - known.keys() - {"done"} == set()
        target = form.get("action") or address
        answer = self.client.post(target, {**known, **fields})
        assert answer.status_code in (302, 303), answer.content.decode()
        self.drain()
        return answer["Location"]

    # --- The steps --------------------------------------------------------------------------------

    def fill_in(self, step: re.Match[str]) -> None:
        rows = FIELD.findall(step["fields"])
        document = self.see(step["form"])
        form = document.select("main form")[0]
        self.send(step["form"], form, dict(named(form, label, value) for label, value in rows))

    def publish(self, step: re.Match[str]) -> None:
        form = self.see(step["new"]).select("main form")[0]
        self._publish_draft(self.send(step["new"], form, {"code": step["code"]}), {})

    def edit_copy(self, step: re.Match[str]) -> None:
        name = step["page"].split("/")[2]
        work = Implementation.objects.get(function__name=name, number=step["number"])
        assert work.code.count(step["old"]) == 1
        copies = self.see(step["page"]).select(f'form[action="/implementations/{work.pk}/copy/"]')
        replaced = work.code.replace(step["old"], step["replaced"].rstrip("\n"))
        copied = self.send(step["page"], copies[0], {})
        self._publish_draft(copied, {"code": replaced})

    def _publish_draft(self, address: str, fields: dict[str, str]) -> None:
        editor = self.see(address)
        form = editor.select("form#draft-form")[0]
        assert "Publish…" in [button.text for button in editor.select("button")]
        known = dict(filter(None, map(value_of, form.select("input, textarea"))))
        published = self.client.post(f"{address}publish/", {**known, **fields})
        assert published.status_code == 302, published.content.decode()
        self.drain()

    def request(self, step: re.Match[str]) -> None:
        path = quote(step["path"], safe="/?=&")
        answer = self.client.generic(step["method"], path, step["body"], "application/json")
        assert answer.status_code == int(step["status"]), (step[0], answer.content)
        if step["told"]:
            found = answer.json()
            items = found.get("items", [])
            assert found.get("result", [each["value"] for each in items]) == json.loads(
                step["told"]
            )

    def type_in(self, step: re.Match[str]) -> None:
        address = self._page_address()
        document = self.see(address)
        (field,) = document.select(f'input[aria-label="{step["label"]}"]')
        form = form_of(field)
        assert [button.text for button in form.select("button")] == ["Add"]
        self.send(address, form, {field["name"]: step["text"]})

    def press(self, step: re.Match[str]) -> None:
        address = self._page_address()
        (button,) = self.see(address).select(f'button[aria-label="{step["button"]}"]')
        self.send(address, form_of(button), {button["name"]: button["value"]})

    def _page_address(self) -> str:
        opened = self.client.get("/functions/ChoreList/open/").content.decode()
        return urlsplit(parse_html(opened).select("iframe#page-frame")[0]["src"]).path

    def look(self, step: re.Match[str]) -> None:
        assert " ".join(step["shown"].split()) in self.see(step["address"]).text, step[0]


def form_of(element: Element) -> Element:
    while element.tag != "form" and element.parent:
        element = element.parent
    return element


def value_of(field: Element) -> tuple[str, str] | None:
    """Return the name and value of a field, as a browser would send it."""
    if field.get("name") is None or field.get("type") in ("submit", "button"):
        return None
    if field.tag == "select":
        options = field.select("option[selected]") or field.select("option")
        return field["name"], options[0].get("value") or ""
    if field.tag == "textarea":
        return field["name"], field.text
    return field["name"], field.get("value") or ""


def named(form: Element, label: str, value: str) -> tuple[str, str]:
    """Return the name of the field with this label, and what it is to send."""
    labels = [each for each in form.select("label") if each.text.removesuffix(" optional") == label]
    assert len(labels) == 1, (label, [each.text for each in form.select("label")])
    (field,) = form.select(f'[id="{labels[0]["for"]}"]')
    choices = {each.text: each["value"] for each in field.select("option")}
    return field["name"], choices[value] if choices else value


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_new_user_builds_an_application_by_the_guide(
    worker: Drainer,
    callers: Path,  # noqa: F811
) -> None:
    reader = Reader(worker.drain)
    text = GUIDE.read_text("utf-8")
    steps = list(STEP.finditer(text))
    acts: dict[str, Callable[[re.Match[str]], None]] = {
        "form": reader.fill_in,
        "new": reader.publish,
        "page": reader.edit_copy,
        "method": reader.request,
        "text": reader.type_in,
        "button": reader.press,
        "address": reader.look,
        "account": lambda step: reader.sign_in(make.user(step["account"])),
    }
    for step in steps:
        (act,) = (name for name in acts if step[name])
        acts[act](step)

    # No step was overlooked.
    done = "".join(f"{step[0]}\n" for step in steps)
    for pattern in (r"^```", r"^\| field", "Copy & edit", r"shows\s+\*", r"\b[Pp]ress \*[AF]"):
        found = len(re.findall(pattern, text, re.MULTILINE))
        assert found == len(re.findall(pattern, done, re.MULTILINE)), pattern
    current = Function.objects.filter(status="implemented").order_by("name")
    shown = current.values_list("name", "elected__number", "elected__author__username")
    assert list(shown) == [("ChoreCounts", 2, "ben"), ("ChoreList", 2, "you")]
    assert not Test.objects.filter(counts=False).exists()
    assert Item.objects.count() == 3
    opened = reader.client.get("/functions/ChoreList/open/").content.decode()
    assert '{"topic": "collection:' in opened
    assert reader.client.get("/p/client.js").status_code == 200
    assert reader.see("/functions/ChoreList/open/").select('script[src="/p/client.js"]')


def test_the_german_guide_has_the_same_steps() -> None:
    """Code, requests and addresses are the same; fields have their German labels."""
    english, german = (path.read_text("utf-8") for path in (GUIDE, GERMAN))
    for pattern in (r"^```.*?^```", r"`(/[^`]+)`", r"#\d", r"\*Finish [^*]+\*", r"^## \d"):
        flags = re.MULTILINE | re.DOTALL
        assert re.findall(pattern, german, flags) == re.findall(pattern, english, flags), pattern
    with translation.override("de"):
        expected = [tuple(map(translation.gettext, row)) for row in FIELD.findall(english)]
    assert FIELD.findall(german) == expected
