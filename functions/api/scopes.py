"""Scopes of tokens, and the one that each operation needs; documented in docs/api.md.

Reading needs `read`, apart from what is of one's account. All other operations are named here.
"""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from pydantic import Field

from functions.api.problems import Problem, problem
from functions.api.routes import path_of

READ, CHECK, DRAFT, PUBLISH = "read", "check", "draft", "publish"
VOTE, CALL, ACCOUNT = "vote", "call", "account"
# With what each permits, for people.
SCOPES = {
    READ: gettext_lazy("read all that you may read, and your drafts"),
    CHECK: gettext_lazy("check code, run drafts, repeat and cancel runs, preview changes"),
    DRAFT: gettext_lazy("make, change and discard drafts"),
    PUBLISH: gettext_lazy(
        "change what others see: define functions, publish, withdraw, decide as an owner, comment,"
        " write documents and items of collections"
    ),
    VOTE: gettext_lazy("vote and flag"),
    CALL: gettext_lazy("call functions"),
    ACCOUNT: gettext_lazy(
        "your account: tokens, agents, profile, notifications, webhooks, registered projects,"
        " export and deletion; and the work of staff"
    ),
}

# Operations by scope: methods with routes below /api/v1/.
_TABLE = {
    CHECK: """
        POST functions/<name>/check/
        POST implementations/<int:id>/run/ POST tests/<int:id>/run/
        POST functions/<name>/run-again/ POST results/<key>/run-again/
        POST batches/<int:id>/cancel/ POST batches/<int:id>/retry/ POST batches/<int:id>/run-again/
        POST implementations/<int:id>/preview/ POST tests/<int:id>/preview/
        POST functions/<name>/preview/ POST previews/<int:id>/tell/ POST imports/preview/
        POST document-templates/<name>/apply/
    """,
    DRAFT: """
        POST functions/<name>/implementations/ POST functions/<name>/tests/
        PUT implementations/<int:id>/ PATCH implementations/<int:id>/
        DELETE implementations/<int:id>/
        PUT tests/<int:id>/ PATCH tests/<int:id>/ DELETE tests/<int:id>/
        POST acceptance-tests/ PATCH acceptance-tests/<int:id>/
    """,
    PUBLISH: """
        POST functions/ PATCH functions/<name>/ DELETE functions/<name>/
        POST functions/<name>/clone/ POST imports/
        POST functions/<name>/revisions/<int:id>/restore/ POST functions/<name>/rename/
        PUT functions/<name>/offer/ DELETE functions/<name>/offer/
        POST functions/<name>/offer/accept/
        POST functions/<name>/archive/ POST functions/<name>/unarchive/
        POST implementations/<int:id>/publish/ POST implementations/<int:id>/withdraw/
        PUT implementations/<int:id>/verdict/
        POST tests/<int:id>/publish/ POST tests/<int:id>/withdraw/ PUT tests/<int:id>/verdict/
        POST acceptance-tests/<int:id>/publish/ POST acceptance-tests/<int:id>/withdraw/
        POST functions/<name>/comments/ POST implementations/<int:id>/comments/
        POST tests/<int:id>/comments/ POST comments/<int:id>/replies/
        PATCH comments/<int:id>/ DELETE comments/<int:id>/
        POST comments/<int:id>/hide/ POST comments/<int:id>/show/
        PUT documents/<name>/ PATCH documents/<name>/
        POST documents/<name>/versions/<int:number>/restore/
        POST document-templates/ PUT document-templates/<name>/ DELETE document-templates/<name>/
        POST views/ DELETE views/<name>/
        POST collections/ PATCH collections/<name>/ DELETE collections/<name>/
        POST collections/<name>/items/ PUT collections/<name>/items/<int:id>/
        PATCH collections/<name>/items/<int:id>/ DELETE collections/<name>/items/<int:id>/
    """,
    VOTE: """
        PUT implementations/<int:id>/vote/ PUT tests/<int:id>/vote/ PUT comments/<int:id>/vote/
        POST functions/<name>/flag/ POST implementations/<int:id>/flag/ POST tests/<int:id>/flag/
        POST comments/<int:id>/flag/ POST people/<username>/flag/
    """,
    CALL: "POST functions/<name>/call/",
    ACCOUNT: """
        GET tokens/ POST tokens/ DELETE tokens/<int:id>/
        GET agents/ POST agents/ POST agents/<username>/token/ DELETE agents/<username>/
        PUT account/agent-label/ DELETE account/agent-label/
        PUT accounts/<username>/agent-label/ DELETE accounts/<username>/agent-label/
        PUT account/username/ GET account/export/ POST account/deletion/
        GET canaries/ POST canaries/ GET canaries/<int:id>/ PUT canaries/<int:id>/
        DELETE canaries/<int:id>/ GET canaries/<int:id>/changes/
        PUT profile/ PUT people/<username>/watch/ PUT watches/<name>/
        GET notifications/ POST notifications/read/
        GET notifications/digest/ PUT notifications/digest/
        GET webhooks/ POST webhooks/ GET webhooks/<int:id>/ PATCH webhooks/<int:id>/
        DELETE webhooks/<int:id>/ POST webhooks/<int:id>/secret/ POST webhooks/<int:id>/ping/
        GET webhooks/<int:id>/deliveries/ POST webhooks/<int:id>/deliveries/<int:delivery>/resend/
        GET staff/flags/ POST staff/flags/<int:id>/resolve/ GET staff/audit/ GET staff/suspensions/
        POST functions/<name>/transfer/ POST people/<username>/clear/
        PUT accounts/<username>/suspension/ DELETE accounts/<username>/suspension/
        GET accounts/<username>/use/ PUT accounts/<username>/quotas/<resource>/
    """,
}


def _by_operation() -> dict[str, str]:
    found: dict[str, str] = {}
    for scope, text in _TABLE.items():
        words = text.split()
        pairs = zip(words[::2], words[1::2], strict=True)
        found.update((f"{method} {route}", scope) for method, route in pairs)
    return found


SCOPE_BY_OPERATION = _by_operation()
# With parameters as OpenAPI writes them.
_BY_PATH = {path_of(operation): scope for operation, scope in SCOPE_BY_OPERATION.items()}


class MissingScope(Problem):
    """A refusal of a token without the scope that the operation needs."""

    scope: str = Field(description="the scope needed")


def scope_of(method: str, route: str) -> str | None:
    """Return the scope that an operation needs, by method and route; None if there is none."""
    method = "GET" if method == "HEAD" else method
    return SCOPE_BY_OPERATION.get(f"{method} {route}") or (READ if method == "GET" else None)


def scopes_of(request: HttpRequest) -> frozenset[str]:
    """Return the scopes of the request's token; all for a session."""
    scopes: frozenset[str] | None = getattr(request, "token_scopes", None)
    return frozenset(SCOPES) if scopes is None else scopes


def missing_scope(request: HttpRequest, scope: str | None) -> HttpResponse | None:
    """Return the refusal of a request whose token lacks this scope, or None."""
    if scope is None or scope in scopes_of(request):
        return None
    answer = problem(
        403,
        code="missing_scope",
        detail=_("This token lacks the scope “%(scope)s”.") % {"scope": scope},
        form=MissingScope,
        scope=scope,
    )
    # As RFC 6750 has it.
    answer["WWW-Authenticate"] = f'Bearer error="insufficient_scope", scope="{scope}"'
    return answer


def name_scopes(schema: dict[str, Any]) -> None:
    """Add the scope that each operation needs to an OpenAPI description, in place."""
    for path, operations in schema["paths"].items():
        for method, operation in operations.items():
            operation["x-scope"] = scope_of_path(method.upper(), path)


def scope_of_path(method: str, path: str) -> str | None:
    """Return the scope of an operation by its path in the OpenAPI description."""
    route = path.partition("/api/v1/")[2]
    return _BY_PATH.get(f"{method} {route}") or (READ if method == "GET" else None)
