"""Pages as Markdown, for language models: sent to those who accept text/markdown."""

import re
from collections.abc import Iterable, Iterator, Sequence

from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers

from functions.read_models import FunctionPage, MissingPage
from functions.read_models.cells import Matrix
from functions.read_models.help_wanted import Wanted
from functions.read_models.works import ImplementationCard, TestCard

MARKDOWN = "text/markdown"
_FENCE = re.compile(r"^`{3,}", re.MULTILINE)


def accepts_markdown(request: HttpRequest) -> bool:
    """Return whether the client prefers Markdown to HTML."""
    # Looked for first, as browsers' requests are many.
    if MARKDOWN not in request.headers.get("Accept", ""):
        return False
    return request.get_preferred_type(["text/html", MARKDOWN]) == MARKDOWN


def markdown_response(lines: Iterable[str], status: int = 200) -> HttpResponse:
    """Return these lines as a response."""
    text = "\n".join(lines) + "\n"
    response = HttpResponse(text, content_type=f"{MARKDOWN}; charset=utf-8", status=status)
    patch_vary_headers(response, ["Accept"])
    return response


def function_lines(page: FunctionPage) -> Iterator[str]:
    """Yield a function's page: definition, implementations and tests with their code, verdicts."""
    function = page.function
    yield f"# {function.name}{function.signature}"
    yield ""
    yield f"A {function.kind} by {page.owner}, {function.get_status_display().lower()}."
    for word, links in (("Uses", page.depends_on), ("Used by", page.depended_on_by)):
        if links:
            yield f"{word}: {', '.join(link.name for link in links)}."
    if function.description:
        yield from ("", function.description)
    works = [card for card in page.implementations if not card.is_withdrawn]
    yield from ("", f"## Implementations ({len(page.candidates)})")
    for card in works:
        yield from _implementation(card, page.cells, page.standing_tests)
    if len(works) < len(page.candidates):
        yield from ("", f"The others: GET /api/v1/functions/{function.name}/implementations/")
    yield from ("", f"## Tests ({len(page.standing_tests)})")
    for test in page.standing_tests:
        yield from _test(test)


def missing_lines(page: MissingPage) -> Iterator[str]:
    """Yield the page of an undefined name."""
    yield f"# {page.name}"
    yield from ("", "Nobody has defined this function.")
    if page.depended_on_by:
        yield f"Used by: {', '.join(link.name for link in page.depended_on_by)}."


def wanted_lines(wanted: Iterable[Wanted]) -> Iterator[str]:
    """Yield the work that helps others most."""
    yield "# Help wanted"
    yield from ("", "What helps most other functions comes first.", "")
    for one in wanted:
        subject = f" ({one.need.subject})" if one.need.subject else ""
        task = one.need.task.replace("_", " ")
        yield f"- **{task}** [{one.function}]({one.need.url}){subject}: helps {one.helps}"
    yield from ("", "With all code needed to begin: GET /api/v1/help-wanted/")


def _implementation(
    card: ImplementationCard, cells: Matrix, tests: Sequence[TestCard]
) -> Iterator[str]:
    current = ", current" if card.is_current else ""
    yield from ("", f"### {card.label} {card.title}".rstrip(), "")
    yield f"By {card.author}{current}; id {card.id}, score {card.score}."
    yield f"Passes {card.passed} of {card.counting} tests that count."
    yield from _code(card.code, card.language)
    for test in (None, *tests):
        cell = cells.get((card.id, test.id if test else None))
        if cell is not None and cell.state not in ("passed", "pending", "running"):
            line = f", line {cell.line}" if cell.line else ""
            subject = test.label if test else "Loading"
            yield f"- {subject}: {cell.state}{line} {cell.message}".rstrip()


def _test(card: TestCard) -> Iterator[str]:
    standing = "counts" if card.counts else "a challenge" if card.challenge else "does not count"
    yield from ("", f"### {card.label} {card.title}".rstrip(), "")
    yield f"By {card.author}; id {card.id}, {standing}."
    yield from _code(card.code, card.language)


def _code(code: str, language: str) -> Iterator[str]:
    """Yield code in a fence that none of its lines ends."""
    longest = max((len(fence) for fence in _FENCE.findall(code)), default=2)
    fence = "`" * (longest + 1)
    yield from ("", f"{fence}{language}", code.rstrip("\n"), fence, "")
