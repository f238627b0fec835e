"""Context of the editor's page: the draft, its links, and its opponents."""

from dataclasses import replace
from typing import Any

from django.contrib.auth.models import User
from django.http import Http404
from django.utils.translation import gettext as _

from functions.analysis.client import starter
from functions.graph.queries import living_functions
from functions.kinds import JAVASCRIPT, Kind, kind_of, kind_of_work
from functions.models import Function, Implementation, Test
from functions.moderation.challenges import first_cause
from functions.names import name_key
from functions.read_models.cells import UNBUILDABLE, Matrix, MatrixCell
from functions.read_models.draft import work_card
from functions.read_models.draft_runs import earlier_runs, whole_runs
from functions.read_models.function import FunctionPage, function_page
from functions.read_models.links import MISSING, FunctionLink, link_to
from functions.read_models.works import AnyImplementation, ImplementationCard, TestCard
from functions.source.name_check import find_reservation
from functions.views.draft_rows import comparison_rows
from functions.views.labels import LOOKS, NOT_RUN, shown
from functions.views.markdown import first_paragraph
from functions.views.markup import link_url
from functions.views.pages import preview_url
from functions.views.results_panel import results_panel
from runner.events.topics import head
from runner.models import Event
from runner.sandbox import IMPORTABLE

MAX_DOCSTRING = 80  # characters of a starter's docstring


def helpers() -> list[dict[str, str]]:
    """Return the helpers of every run, for completion and signature help."""
    return [
        {
            "name": "log",
            "signature": "log(*values)",
            "summary": _("Writes to the run’s log, like print."),
        },
        {
            "name": "check",
            "signature": "check(condition, message='')",
            "summary": _("Raises AssertionError unless the condition is true."),
        },
    ]


def _known(draft: Implementation | Test) -> dict[str, Any]:
    """Return the modules and helpers that the draft's language has."""
    if kind_of_work(draft) is not JAVASCRIPT:
        return {"modules": sorted(IMPORTABLE), "helpers": helpers()}
    equal = {
        "name": "assert",
        "signature": "assert.equal(actual, expected, message)",
        "summary": _("Throws an AssertionError unless both have the same content."),
    }
    return {"modules": [], "helpers": [*helpers(), equal]}


def editor_context(draft: Implementation | Test, author: User) -> dict[str, Any]:
    """Return the context of the editor's page."""
    try:
        page = function_page(draft.function, author)
        card = _card_of(draft, page)
        implementations, tests = _matrix_axes(card, page)
        current = page.current if isinstance(draft, Implementation) else None
        cells = tuple(page.cells.get((current.id, test.id)) for test in tests) if current else ()
    except Function.DoesNotExist:  # deleted; the draft stays, without opponents
        card, implementations, tests = work_card(draft, author), (), ()
        current, cells = None, ()
    panel = results_panel(implementations, tests, _not_run(implementations, tests))
    position = head(draft.draft_topic)
    return {
        "function": draft.function,
        "draft": draft,
        "card": card,
        "language": kind_of_work(draft).language,
        "preview": _preview(draft),
        "panel": panel,
        "is_challenge": isinstance(draft, Test) and not first_cause(draft, draft.function),
        "opposite": tests if isinstance(card, ImplementationCard) else implementations,
        "current": current,
        "last_run": _last_run(draft),
        "compared": comparison_rows(draft, panel, current, cells, earlier_runs(draft)),
        "links": editor_links(draft, draft.code),
        "known": _known(draft),
        "is_formatted": kind_of_work(draft) is not JAVASCRIPT,
        "words": shown(LOOKS),
        "topic": draft.draft_topic,
        "epoch": position.epoch,
        "seq": before_last_run(draft.draft_topic, position.seq),
    }


def _card_of(draft: Implementation | Test, page: FunctionPage) -> ImplementationCard | TestCard:
    for card in page.drafts:
        if (card.noun, card.id) == (draft.noun, draft.pk):
            # A draft is shown as counting, so that its author sees which implementations pass.
            return replace(card, counts=True) if isinstance(card, TestCard) else card
    raise Http404


def _matrix_axes(
    card: ImplementationCard | TestCard, page: FunctionPage
) -> tuple[tuple[AnyImplementation, ...], tuple[TestCard, ...]]:
    """Return the rows and columns of the draft's matrix: the draft against all its opponents."""
    if isinstance(card, ImplementationCard):
        return (card,), page.standing_tests
    return page.candidates, (card,)


def _not_run(implementations: tuple[AnyImplementation, ...], tests: tuple[TestCard, ...]) -> Matrix:
    return {
        (row.id, column.id): MatrixCell(
            implementation=row.id,
            test=column.id,
            key=None,
            result_key=None,
            verdict=None,
            is_current=False,
            state=UNBUILDABLE if column.health == "broken" else NOT_RUN,
            message="",
            line=None,
            cpu_us=None,
        )
        for row in implementations
        for column in tests
    }


def _preview(draft: Implementation | Test) -> str:
    """Return the address of the draft's preview; empty if it has none."""
    if isinstance(draft, Implementation) and kind_of_work(draft).has_preview:
        return preview_url(draft)
    return ""


def _last_run(draft: Implementation | Test) -> int:
    """Return the last run against all opponents, 0 if there is none."""
    last = whole_runs(draft.draft_topic).first()
    return last.payload["batch"] if last else 0


def before_last_run(topic: str, seq: int) -> int:
    """Return the stream position from which the last run, and those after it, are replayed."""
    last = whole_runs(topic).values_list("seq", flat=True).first()
    if last is None:  # only runs against one opponent
        events = Event.objects.filter(topic__name=topic, type="batch.submitted")
        last = events.order_by("seq").values_list("seq", flat=True).first()
    return last - 1 if last else seq


def editor_links(draft: Implementation | Test, code: str) -> list[dict[str, str]]:
    """Return one link for each name that the code of a draft marks."""
    own = draft.function.name_key
    spelled: dict[str, str] = {}
    for marker in kind_of_work(draft).find_markers(code).markers:
        spelled.setdefault(name_key(marker.name), marker.name)
    spelled.pop(own, None)
    found = living_functions(spelled)
    links = [
        link_to(found[key]) if key in found else FunctionLink(name=name, status=MISSING)
        for key, name in spelled.items()
        if key in found or not find_reservation(name, IMPORTABLE)  # reserved, so can't be defined
    ]
    return [{"name": link.name, "status": link.status, "url": link_url(link)} for link in links]


def starter_code(
    function: Function, noun: str, *, owner: str, schema: str = "", kind: Kind | None = None
) -> str:
    """Return the initial code of an implementation or a test, as its kind or this one has it.

    `schema` is the name of a document that a test is to judge by, if the kind can be.
    """
    name, kind = function.name, kind or kind_of(function)
    if schema and noun == Test.noun and kind.schema_test:
        return kind.schema_test.format(schema=schema)
    taken, arguments, returns = starter(function.signature, owner=owner) or ("", "...", "")
    if noun == Test.noun:
        return kind.begin_test(name, arguments=arguments, returns=returns)
    docstring = f'    """{about}"""\n' if (about := _docstring(function.description)) else ""
    return kind.begin_implementation(name, parameters=taken, docstring=docstring)


def _docstring(description: str) -> str:
    """Return a description's first sentence for a docstring; empty if that would not fit."""
    sentence = first_paragraph(description).partition(". ")[0].rstrip(".")
    fits = sentence and len(sentence) < MAX_DOCSTRING and not set(sentence) & set('"\\')
    return f"{sentence}." if fits and "<<" not in sentence else ""
