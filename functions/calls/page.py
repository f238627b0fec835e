"""Renders pages for visitors, by calls that count for whoever owns the page."""

import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from typing import Any

from functions.calls.call import check_arguments, run, wrap
from functions.calls.pins import PinnedVersions
from functions.calls.quota import check_calls
from functions.models import Implementation
from functions.sized_cache import SizedCache
from runner.calls import CallRequest
from runner.sandbox import Outcome, Verdict

MIN_STATUS, MAX_STATUS = 200, 599  # below, an answer isn't the last one
# The same request gives the same page, but for what its code reads from the clock.
KEEP_SECONDS = 1.0
MOST_BYTES_KEPT = 16_000_000  # in each process
MAX_CACHED = 1_000

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


def render_once(
    versions: PinnedVersions, request: PageRequest, *, payer: int, visitor: str, with_data: bool
) -> RenderedPage:
    """Return what render_page does. Of equal requests within KEEP_SECONDS, only one is rendered.

    The others aren't counted as calls. Only for requests that change nothing.
    """
    if _names_request_id(versions.closure[-1].implementation):  # every answer is another one
        return render_page(versions, request, payer=payer, visitor=visitor, with_data=with_data)
    asked = [versions.lock, with_data, replace(request, request_id="").context]
    key = hashlib.sha256(json.dumps(asked).encode()).digest()
    now = time.monotonic()
    kept = _kept.get(key)
    if kept is not None and now < kept.until:
        return kept.page
    page = render_page(versions, request, payer=payer, visitor=visitor, with_data=with_data)
    size = len(page.text) + (len(json.dumps(page.data)) if with_data else 0)
    _kept.put(key, _Kept(page, now + KEEP_SECONDS), size + len(key))
    return page


@dataclass(frozen=True, slots=True)
class _Kept:
    page: RenderedPage
    until: float  # monotonic


_kept: SizedCache[bytes, _Kept] = SizedCache(MOST_BYTES_KEPT)


# Published code doesn't change.
@lru_cache(maxsize=MAX_CACHED)
def _names_request_id(implementation_id: int) -> bool:
    code = Implementation.objects.values_list("code", flat=True).get(pk=implementation_id)
    return "request_id" in code


def _rendered(value: Any) -> RenderedPage | None:
    """Return the page; None if what it uses has made the answer something else."""
    match value:
        case [int(status), str(content_type), str(location), str(text), data, list(commands)] if (
            MIN_STATUS <= status <= MAX_STATUS
        ):
            return RenderedPage(status, content_type, location, text, data, commands)
    return None
