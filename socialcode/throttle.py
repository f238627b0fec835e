"""Rate limits of writing requests for pages and the API, and what users see of their quotas."""

from collections.abc import Callable, Collection
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from functions.api.middleware import API_PREFIX
from functions.api.problems import problem
from functions.api.routes import route_of
from functions.errors import TooOften
from functions.models.agent_labels import is_labelled
from functions.rate_limits import Limit, Rate
from functions.request_limits import limit_of_call, limit_of_page
from functions.views.rate_limited import refuse_too_often
from runner.quotas import Use, is_limited, observed_uses, shown
from runner.registry import payer_of
from socialcode.accounts.passwords.guess_limit import address_of

DAY_SECONDS = 86_400
WARNING_SECONDS = 3_600
READING = ("GET", "HEAD", "OPTIONS", "TRACE")
UNITS = ((3_600, "hour"), (60, "minute"), (1, "second"))


class ThrottleMiddleware:
    """Refuses writing requests above the rate limit; answers of the API say what is left of it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self._get_response(request)
        counted: tuple[Rate, int] | None = getattr(request, "counted_rate", None)
        if counted and settings.RATE_LIMITS and request.path.startswith(API_PREFIX):
            rate, left = counted
            wait = rate.retry_after_seconds()
            _add_policy(response, f"{rate.name}-rate", rate.tries, rate.seconds, left, wait)
        return response

    def process_view(self, request: HttpRequest, *_view: Any) -> HttpResponse | None:
        """Count the request before its view; return a refusal, or None to continue."""
        limit = None if request.method in READING else limit_of(request)
        rate = limit and _exceeded(request, limit)
        if not limit or not rate:
            return None
        refusal = TooOften(_message(limit, rate), retry_after_seconds=rate.retry_after_seconds())
        return self.process_exception(request, refusal)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """Respond to a refusal raised by the view, for example by the hash gate."""
        if not isinstance(error, TooOften):
            return None
        if not request.path.startswith(API_PREFIX):
            return refuse_too_often(request, error)
        return problem(429, detail=error.message, retry_after_seconds=error.retry_after_seconds)


class QuotaMiddleware:
    """Adds what is left to answers of the API, and warns on pages when it becomes scarce."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        with observed_uses() as uses:
            response = self._get_response(request)
        if request.path.startswith(API_PREFIX):
            _add_headers(response, uses.values())
        elif is_limited() and response.status_code < HTTPStatus.BAD_REQUEST:  # refusals say it
            for use in uses.values():
                if use.is_scarce:
                    _warn(request, use)
        return response


def limit_of(request: HttpRequest) -> Limit | None:
    """Return the limit of a writing request; None if it is exempt."""
    match = request.resolver_match
    if match is None:
        return None
    if request.path.startswith(API_PREFIX):
        return limit_of_call(str(request.method), route_of(request))
    return limit_of_page(match.view_name)


def _exceeded(request: HttpRequest, limit: Limit) -> Rate | None:
    """Count the request; return the rate that it exceeds, if any.

    Requests refused for the user are not counted for the address, which others may share.
    """
    user, who = request.user, address_of(request)
    agent = limit.agent if user.pk and is_labelled(user.pk) else None
    if agent and _is_over(request, agent, f"user {user.pk}"):
        return agent
    payer = payer_of(user.pk) if user.pk else None
    if limit.user and payer and _is_over(request, limit.user, f"user {payer}"):
        return limit.user
    visitor = None if user.is_authenticated else limit.visitor
    if visitor and _is_over(request, visitor, who):
        return visitor
    return limit.address if _is_over(request, limit.address, who) else None


def _is_over(request: HttpRequest, rate: Rate, who: str) -> bool:
    """Count the request; the first rate, and one that is exceeded, is told to the client."""
    left = rate.take(who)
    if left < 0 or not hasattr(request, "counted_rate"):
        request.counted_rate = (rate, left)  # type: ignore[attr-defined]
    return left < 0


def _message(limit: Limit, rate: Rate) -> str:
    if rate is limit.visitor:
        message = _(
            "At most %(count)s %(what)s without an account %(often)s: try again in %(wait)s."
        )
    elif rate is limit.agent:
        message = _("At most %(count)s %(what)s of an agent %(often)s: try again in %(wait)s.")
    elif rate is limit.address:
        message = _("At most %(count)s %(what)s from one address %(often)s: try again in %(wait)s.")
    else:
        message = _("At most %(count)s %(what)s %(often)s: try again in %(wait)s.")
    return message % {
        "count": number_format(rate.tries, force_grouping=True),
        "what": _(limit.what),
        "often": each(rate.seconds),
        "wait": spoken(rate.retry_after_seconds()),
    }


def each(seconds: int) -> str:
    """Return a rate's window as text: `a minute`, `in 10 minutes`."""
    number, unit = _in_units(seconds)
    if number > 1:
        return _("in %(duration)s") % {"duration": spoken(seconds)}
    once = {
        "hour": pgettext("so many", "an hour"),
        "minute": pgettext("so many", "a minute"),
        "second": pgettext("so many", "a second"),
    }
    return once[unit]


def spoken(seconds: int) -> str:
    """Return a duration as text, rounded up: `40 seconds`, `2 minutes`."""
    number, unit = _in_units(seconds)
    durations = {
        "hour": ngettext("%(count)s hour", "%(count)s hours", number),
        "minute": ngettext("%(count)s minute", "%(count)s minutes", number),
        "second": ngettext("%(count)s second", "%(count)s seconds", number),
    }
    return durations[unit] % {"count": number}


def _in_units(seconds: int) -> tuple[int, str]:
    """Return a duration in its largest unit, rounded up."""
    size, unit = next((size, unit) for size, unit in UNITS if seconds >= size or size == 1)
    return -(-seconds // size), unit


def _add_headers(response: HttpResponseBase, uses: Collection[Use]) -> None:
    """Add the fields of the IETF's draft on rate limits, for quotas that the request has used."""
    for use in uses:
        left = int(use.limit - use.used)
        name, wait = use.resource.name, use.renewal_seconds
        _add_policy(response, name, use.limit, DAY_SECONDS, left, wait)


def _add_policy(
    response: HttpResponseBase, name: str, tries: float, seconds: int, left: int, wait: int
) -> None:
    """Add one limit, and what is left of it until it is renewed."""
    for header, value in (
        ("RateLimit-Policy", f'"{name}";q={tries};w={seconds}'),
        ("RateLimit", f'"{name}";r={max(0, left)};t={wait}'),
    ):
        former = response.headers.get(header)
        response[header] = f"{former}, {value}" if former else value


def _warn(request: HttpRequest, use: Use) -> None:
    """Tell the user, once an hour, that a quota is nearly used up."""
    rate = Rate(f"warned-of-{use.resource.name}", 1, WARNING_SECONDS)
    if not rate.count(f"user {request.user.pk}"):
        return
    message = _("You have used %(used)s of today's %(limit)s %(what)s.") % {
        "used": shown(use.used),
        "limit": shown(use.limit),
        "what": _(use.resource.label),
    }
    messages.warning(request, message)
