"""Sentences that rows keep in English, such as causes, in the language of whoever reads them.

Rows outlive languages, are read by programs, and are written where nobody reads. So a sentence is
kept as it is, and its pattern is found when it is shown. One without a pattern stays English.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from django.conf import settings
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_noop as _

SEPARATOR = "; "  # of several causes
CUT_OFF = " …"

# The first that fits is taken. What a place may hold is told by its name.
SENTENCES = (
    # Causes of runs and elections.
    _("all tests again"),
    _("an author's work again"),
    _("a program was run once more"),
    _("another version of Python, the policy or the helpers"),
    _("run %(run)s cancelled"),
    _("implementation %(implementation)s published"),
    _("implementation %(implementation)s withdrawn"),
    _("implementation %(implementation)s revised"),
    _("revision of %(function)s run"),
    _("implementation %(implementation)s accepted by %(person)s"),
    _("implementation %(implementation)s marked unacceptable by %(person)s"),
    _("implementation %(implementation)s left to the votes by %(person)s"),
    _("votes on implementation %(implementation)s: %(difference)s, to %(score)s"),
    _("test %(test)s published"),
    _("test %(test)s withdrawn"),
    _("test %(test)s accepted by %(person)s"),
    _("test %(test)s marked unacceptable by %(person)s"),
    _("test %(test)s left to the votes by %(person)s"),
    _("votes on test %(test)s: %(difference)s, to %(score)s"),
    _("draft of acceptance test %(acceptance)s run"),
    _("acceptance test %(acceptance)s published"),
    _("acceptance test %(acceptance)s of %(function)s"),
    _("draft of %(function)s run"),
    _("%(changed)s changed"),
    _("%(function)s defined by %(person)s"),
    _("%(function)s edited by %(person)s"),
    _("%(function)s deleted by %(person)s"),
    _("%(function)s handed on to %(person)s"),
    _("%(name)s renamed to %(function)s by %(person)s"),
    _("level %(level)s of what %(function)s changes"),
    _("the elections of %(functions)s chase each other: unsettled"),
    _("your draft"),
    _("preview of publishing this test"),
    _("preview of publishing this implementation"),
    _("preview of withdrawing %(work)s"),
    _("preview of accepting %(work)s"),
    _("preview of marking unacceptable %(work)s"),
    _("preview of leaving to the votes %(work)s"),
    _("preview of deleting %(function)s"),
    # Reasons of standings and decisions.
    _("the owner marked it unacceptable"),
    _("the same code as %(work)s"),
    _("through %(path)s"),
    _("leads back here through %(path)s"),
    _("blocked: %(reason)s"),
    _("%(function)s does not exist"),
    _("%(function)s is not implemented"),
    _("%(function)s has no current implementation"),
    _("%(function)s was deleted"),
    _("%(function)s does not use %(name)s"),
    _("%(function)s does not load: %(message)s"),
    _("something that it uses does not exist"),
    _("does not pass %(tests)s"),
    _("no result of %(tests)s: cancelled, or given up by our machinery"),
    _("its runs are not all done"),
    _("verdicts are still to come"),
    _("eligible, with the most votes"),
    _("it could not be judged anew"),
    _("none that could be judged is eligible"),
    _("none could be judged, so it stands"),
    _("there is no candidate"),
    _("its circle is incomplete"),
    _("its circle falls"),
    _("its circle waits"),
    _("tried together with others"),
    _("tried together with others, of which not all can be elected"),
    # Refusals of revisions.
    _("it does not pass %(test)s: %(message)s"),
    _("it does not pass %(test)s"),
    _("it does not load: %(message)s"),
    _("it does not load"),
    _("the document is no longer there"),
    _("its run was cancelled"),
    _("it could not be judged"),
    _("blocked by %(path)s"),
    # Notices.
    _("%(implementation)s, for which you voted, was revised: version %(count)s"),
    _("has a new comment"),
    _("has a new reply"),
    _("has a new comment on %(work)s"),
    _("has a new reply on %(work)s"),
    _("does not pass the acceptance test %(acceptance)s of %(function)s"),
    _("your implementation does not pass %(test)s"),
    _("%(implementation)s does not pass %(test)s, a challenge: it doesn't count yet"),
    _("%(implementation)s became current: %(cause)s"),
    _("lost its current implementation: %(cause)s"),
    _("depends on %(function)s, which broke: %(cause)s"),
    _("was defined by %(person)s; you watched this name"),
    _("was defined by %(person)s"),
    _("has a new implementation by %(person)s"),
    _("has a new test by %(person)s"),
    # Names of tokens.
    _("made by name and password"),
)
# Within lists of tests.
_ITEMS = (_("loading it"), _("loading %(function)s"))
_AND_MORE = _("%(items)s and %(count)s more")

_PLACE = re.compile(r"%\((\w+)\)s")
_WORD = r"[^\W\d]\w*"
_FITS = {
    **dict.fromkeys(("function", "changed", "name"), _WORD),
    **dict.fromkeys(("run", "level", "count"), r"\d+"),
    **dict.fromkeys(("difference", "score"), r"[+-]?\d+"),
    "implementation": r"#\d+(?: [^ :,]+)?",
    "test": r"T\d+(?: [^ :,]+)?",
    "acceptance": r"A\d+",
}
_ANYTHING = ".+"
# Places that hold sentences.
_NESTED = ("reason", "cause")


class Parts(NamedTuple):
    """A sentence's pattern, and what is in its places."""

    sentence: str
    values: Mapping[str, str]


def recorded(text: str) -> str:
    """Return a kept sentence, or several causes, in the language of the page."""
    language = get_language() or settings.LANGUAGE_CODE
    return text if language == settings.LANGUAGE_CODE else _translated(text, language)


@lru_cache(maxsize=4096)
def _translated(text: str, language: str) -> str:  # noqa: ARG001 - a key of the cache
    return SEPARATOR.join(map(_sentence, text.split(SEPARATOR)))


def _sentence(text: str) -> str:
    cut = CUT_OFF if text.endswith(CUT_OFF) else ""
    parts = parse(text.removesuffix(CUT_OFF), SENTENCES)
    if parts is None:
        return text
    values = {place: _value(place, value) for place, value in parts.values.items()}
    return gettext(parts.sentence) % values + cut


def _value(place: str, value: str) -> str:
    if place in _NESTED:
        return _sentence(value)
    return _items(value) if place == "tests" else value


def _items(text: str) -> str:
    """Return a list of tests, which may end in the number of others."""
    if parts := parse(text, (_AND_MORE,)):
        return gettext(_AND_MORE) % {**parts.values, "items": _items(parts.values["items"])}
    return ", ".join(map(_item, text.split(", ")))


def _item(text: str) -> str:
    parts = parse(text, _ITEMS)
    return gettext(parts.sentence) % parts.values if parts else text


@lru_cache(maxsize=4096)
def parse(text: str, sentences: tuple[str, ...]) -> Parts | None:
    """Return the first of these sentences that a text is, and what is in its places."""
    for sentence, pattern in _patterns(sentences):
        if found := pattern.fullmatch(text):
            return Parts(sentence, found.groupdict())
    return None


def sentences_for_scripts() -> list[tuple[str, str]]:
    """Return patterns, as JavaScript writes them, and their sentences in the present language."""
    return [
        (f"^{pattern.pattern.replace('(?P<', '(?<')}$", gettext(sentence))
        for sentence, pattern in _patterns(SENTENCES)
    ]


@lru_cache(maxsize=4)
def _patterns(sentences: tuple[str, ...]) -> list[tuple[str, re.Pattern[str]]]:
    return [(sentence, _pattern(sentence)) for sentence in sentences]


def _pattern(sentence: str) -> re.Pattern[str]:
    pieces = _PLACE.split(sentence)
    pieces[::2] = map(re.escape, pieces[::2])
    pieces[1::2] = (f"(?P<{place}>{_FITS.get(place, _ANYTHING)})" for place in pieces[1::2])
    return re.compile("".join(pieces), re.DOTALL)
