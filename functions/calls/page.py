"""Renders pages for visitors, by calls that count for whoever owns the page."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from functions.calls.call import check_arguments, run, wrap
from functions.calls.pins import PinnedVersions
from functions.calls.quota import check_calls
from runner.calls import CallRequest
from runner.sandbox import Outcome, Verdict

MIN_STATUS, MAX_STATUS = 200, 599  # below, an answer isn't the last one

# Data only on request, as it needn't be JSON otherwise.
_WRAPPER = """\
def {wrapper}(with_data, request):
    page = {name}(**request)
    data = page.data if with_data else None
    return [page.status, page.content_type, page.location, page.text, data, page.commands]
"""


@dataclass(frozen=True, slots=True)
class PageRequest:
    """An HTTP request as a page gets it; of repeated fields, the last one.

    `items` are those of collections, by the names that the page has for them. `visitor` is the name
    of the account that has opened the page on the site.
    """

    method: str
    path: str
    query: Mapping[str, str]
    form: Mapping[str, str]
    request_id: str = ""
    visitor: str = ""
    items: Mapping[str, Any] = field(default_factory=dict)

    @property
    def context(self) -> dict[str, Any]:
        """The names that the template may use, and their values."""
        own = asdict(self)
        return {**own.pop("items"), **own}


@dataclass(frozen=True, slots=True)
class RenderedPage:
    """A page's answer; `location` is empty unless it redirects."""

    status: int
    content_type: str
    location: str
    text: str
    data: Any
    commands: Sequence[Mapping[str, Any]]


class PageFailed(Exception):
    """The page couldn't be rendered, which is its author's fault; `outcome` has the place."""

    def __init__(self, page: str, outcome: Outcome) -> None:
        super().__init__(outcome.message)
        self.page = page
        self.outcome = outcome


def render_page(
    versions: PinnedVersions,
    request: PageRequest,
    *,
    payer: int,
    visitor: str,
    with_data: bool = False,
    sources: Mapping[str, str] | None = None,
) -> RenderedPage:
    """Return the page rendered in the sandbox. Raises PageFailed, and a Refusal for now.

    `payer` is the account for which the call counts. At once, each `visitor` gets a few processes
    only. `sources` are those of the versions that aren't published, by hash.
    """
    arguments = {"args": [with_data, request.context]}
    check_arguments(arguments)
    check_calls(payer)
    source, row = wrap(versions, _WRAPPER)
    call = CallRequest(
        owner=f"visitor {visitor}",
        modules=(*versions.rows, row),
        subject=row[0],
        arguments=arguments,
        sources={**(sources or {}), row[1]: source},
    )
    outcome = run(call, versions, payer)
    if outcome.verdict is not Verdict.PASSED:
        raise PageFailed(versions.name, outcome)
    page = _rendered(outcome.value)
    if page is None:
        said = f"{versions.name} gave what is no page"
        raise PageFailed(versions.name, replace(outcome, verdict=Verdict.ERROR, message=said))
    return page


def _rendered(value: Any) -> RenderedPage | None:
    """Return the page; None if what it uses has made the answer something else."""
    match value:
        case [int(status), str(content_type), str(location), str(text), data, list(commands)] if (
            MIN_STATUS <= status <= MAX_STATUS
        ):
            return RenderedPage(status, content_type, location, text, data, commands)
    return None
