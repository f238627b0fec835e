"""All texts of the site can be translated, and all translations are there and fit."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

import pytest
from django.test import Client
from django.utils.translation import trans_real

from tests import messages
from tests.support import builders as make
from tests.support.pages import Rows, addresses

CATALOGUES = [(language, domain) for language in messages.LANGUAGES for domain in messages.DOMAINS]
CONTEXT_END = "\x04"
MARKED = re.compile(r"⟦[^⟦⟧]*⟧")
SHOWN_ATTRIBUTES = ("title", "aria-label", "placeholder", "alt")
# Code, names and numbers are the same in every language.
SAME_IN_ALL = {"code", "pre", "script", "style", "kbd", "time", "option"}
LETTERS = re.compile(r"[a-z]{3}", re.IGNORECASE)
SAME_TEXT = re.compile(
    r"Social Code|[\d-]+ [\d:]+ UTC|MiB|English|Deutsch|SOCIALCODE_METRICS_TOKEN"
    # Names and texts of the rows of these pages, searches, and code in forms.
    r"|Crowd|Multiply|(?:reader|[Uu]ser|Function|Used|Missing|Paper)\d*\b"
    r"|number \d+|[\w-]+:\w+|crowd"
    r"|^\s*(?:a test|first|second|Again|Another|Voted|On a work|Of the crowd|Said|spam|Unit)\b"
    r"|^\s*\{\s*\W\w+\W: .*|\bdef .*|\(a: int, b: int\) -> int"
    r"|https://[\w./]+"
    r"|\S+\.(?:py|whl|tar\.gz)|\b[0-9a-f]{8,64}\b",
    re.DOTALL,
)


@pytest.mark.parametrize(("language", "domain"), CATALOGUES)
def test_a_catalogue_has_all_texts_and_no_others(language: str, domain: str) -> None:
    now = messages.brought_up_to_date(language, domain)
    lacking = [one.id for one in now if one.id and not messages.is_translated(one)]
    assert lacking == []
    unused = {one.id for one in messages.read(language, domain)} - {one.id for one in now}
    assert unused == set(), "run `make messages`"


@pytest.mark.parametrize(("language", "domain"), CATALOGUES)
def test_a_catalogue_is_compiled(language: str, domain: str) -> None:
    compiled = messages.LOCALE / language / "LC_MESSAGES" / f"{domain}.mo"
    is_current = compiled.read_bytes() == messages.as_mo(messages.read(language, domain))
    assert is_current, "run `make messages`"


def marks(text: str) -> list[str]:
    """Return the places and tags of a text, in any order."""
    return sorted(re.findall(r"%\(\w+\)[sd]|</?\w+[^>]*>|&\w+;", text))


@pytest.mark.parametrize(("language", "domain"), CATALOGUES)
def test_translations_have_the_places_and_tags_of_their_texts(language: str, domain: str) -> None:
    wrong = {}
    for one in messages.read(language, domain):
        originals, translated = messages.forms(one.id), messages.forms(one.string)
        if one.id and not all(
            any(marks(text) == marks(original) for original in originals) for text in translated
        ):
            wrong[originals[0]] = translated
    assert wrong == {}


class Words(HTMLParser):
    """Collects what a reader sees or hears of a page: its texts, and those in attributes."""

    VOID = frozenset({"br", "hr", "img", "input", "link", "meta", "use", "path", "rect", "circle"})

    def __init__(self, page: str) -> None:
        super().__init__()
        self.within: list[str] = []
        self.found: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in self.VOID:
            self.within.append(tag)
        self.found += [value or "" for name, value in attrs if name in SHOWN_ATTRIBUTES]

    def handle_endtag(self, tag: str) -> None:
        while self.within and self.within.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if not SAME_IN_ALL & set(self.within):
            self.found.append(data)


def unmarked(page: str) -> Iterator[str]:
    """Find the words of a page that didn't come from a catalogue."""
    many = 1
    while many:  # as texts are put into texts
        page, many = MARKED.subn("", page)
    for text in Words(page).found:
        if LETTERS.search(SAME_TEXT.sub("", text)):
            yield " ".join(text.split())


@pytest.fixture
def marked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Show every text that comes from a catalogue in brackets."""

    def text(_self: Any, message: str) -> str:
        return f"⟦{message.rpartition(CONTEXT_END)[2]}⟧" if message else ""

    def form(_self: Any, one: str, many: str, number: int) -> str:
        return text(_self, one if number == 1 else many)

    monkeypatch.setattr(trans_real.DjangoTranslation, "gettext", text)
    monkeypatch.setattr(trans_real.DjangoTranslation, "ngettext", form)


@pytest.mark.django_db
@pytest.mark.parametrize("reader", ["nobody", "reader", "staff"])
def test_every_word_of_every_page_is_from_a_catalogue(reader: str, marked: None) -> None:
    person = make.user("reader", is_staff=reader == "staff")
    rows, client = Rows(person), Client()
    if reader != "nobody":
        client.force_login(person)
    rows.grow(2)
    found: dict[str, str] = {}
    for address in (
        one
        for one in addresses(rows)
        if not one.startswith(("/api/", "/docs/", "/help/", "/simple/"))
    ):
        answer = client.get(address)
        if "<html" in answer.content.decode(errors="replace"):
            found |= dict.fromkeys(unmarked(answer.content.decode()), address)
    assert found == {}
