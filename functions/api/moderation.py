"""Endpoints of flags and of the audit log."""

from typing import Literal

from django.http import Http404, HttpRequest
from ninja import Query, Router, Status
from pydantic import Field

from functions.api.authentication import SOMEBODY
from functions.api.bodies import ListQuery, Text
from functions.api.moderation_schemas import (
    AuditList,
    FlagList,
    FlagRaised,
    FlagShown,
    Resolution,
)
from functions.api.problems import refusals
from functions.models import AuditEntry, Flag
from functions.moderation.flags import flag_item, resolve_flag
from functions.permissions import require_staff
from functions.read_models import function_or_404
from functions.read_models.audit import AuditFilter, AuditPage, audit_log, has_log
from functions.read_models.flags import FlagPage, FlagRow, flag_queue, flag_rows, own_flags
from functions.read_models.not_found import or_404
from functions.read_models.person import person_named
from runner.registry import Actor

router = Router(tags=["moderation"])
FLAGGED = {201: FlagShown, **refusals(400, 401, 404, 409, 413, 422, 429)}
READ_BY_STAFF = refusals(400, 401, 403)


class LogQuery(ListQuery):
    """A page of a function's log."""

    act: Text = ""


class AuditQuery(LogQuery):
    """Filters and page of the audit log."""

    actor: Text = Field("", description="name of the user who did it")
    person: Text = Field("", description="name of the user affected")
    function: Text = Field("", description="a name")


class QueueQuery(ListQuery):
    """Filters and page of the queue."""

    state: Literal["", "open", "upheld", "dismissed"] = "open"


@router.post(
    "/functions/{name}/flag/",
    auth=SOMEBODY,
    response=FLAGGED,
    summary="Flag a function",
)
def flag_function(request: HttpRequest, name: str, payload: FlagRaised) -> Status[FlagRow]:
    """Report a function to staff; once per user."""
    return _raise_flag(request.user, "function", function_or_404(name).pk, payload)


@router.post(
    "/people/{username}/flag/",
    auth=SOMEBODY,
    response=FLAGGED,
    summary="Flag a profile",
)
def flag_profile(request: HttpRequest, username: str, payload: FlagRaised) -> Status[FlagRow]:
    """Report what a person says about themselves to staff; once per user."""
    person = or_404(person_named(username))
    return _raise_flag(request.user, "profile", person.pk, payload)


def add_flagging(kind: str) -> None:
    """Add the endpoint to flag items of this kind, by id."""

    @router.post(
        f"/{kind}s/{{int:id}}/flag/",
        auth=SOMEBODY,
        response=FLAGGED,
        operation_id=f"flag_{kind}",
        summary=f"Flag a {kind}",
    )
    def flag(request: HttpRequest, id: int, payload: FlagRaised) -> Status[FlagRow]:
        """Report it to staff; once per user."""
        return _raise_flag(request.user, kind, id, payload)


for _kind in ("implementation", "test", "comment"):
    add_flagging(_kind)


@router.get(
    "/flags/", auth=SOMEBODY, response={200: FlagList, **refusals(400, 401)}, summary="Your flags"
)
def list_own_flags(request: HttpRequest, query: Query[ListQuery]) -> FlagPage:
    """Return your flags with their resolutions, newest first."""
    return own_flags(request.user, **query.model_dump())


@router.get(
    "/staff/flags/",
    auth=SOMEBODY,
    response={200: FlagList, **READ_BY_STAFF},
    summary="List all flags",
)
def list_queue(request: HttpRequest, query: Query[QueueQuery]) -> FlagPage:
    """Return everybody's flags, newest first; staff only."""
    require_staff(request.user)
    return flag_queue(**query.model_dump())


@router.post(
    "/staff/flags/{int:id}/resolve/",
    auth=SOMEBODY,
    response={200: FlagShown, **refusals(400, 401, 403, 404, 409, 413, 422, 429)},
    summary="Resolve a flag",
)
def resolve(request: HttpRequest, id: int, payload: Resolution) -> FlagRow:
    """Resolve a flag; staff only."""
    flag = or_404(Flag.objects.filter(pk=id).first())
    resolve_flag(actor=request.user, flag=flag, is_upheld=payload.upheld, note=payload.note)
    return _flag(id)


@router.get(
    "/staff/audit/", auth=SOMEBODY, response={200: AuditList, **READ_BY_STAFF}, summary="Audit log"
)
def read_audit(request: HttpRequest, query: Query[AuditQuery]) -> AuditPage:
    """Return all acts of moderation, newest first; staff only."""
    require_staff(request.user)
    filters = AuditFilter(
        act=_act(query.act), actor=query.actor, person=query.person, function=query.function
    )
    return audit_log(filters, cursor=query.cursor, limit=query.limit)


@router.get(
    "/functions/{name}/log/", response={200: AuditList, **refusals(400, 404)}, summary="Its log"
)
def read_log(
    request: HttpRequest,  # noqa: ARG001 - everybody sees the same
    name: str,
    query: Query[LogQuery],
) -> AuditPage:
    """Return acts of owners and staff on functions of this name, newest first."""
    if not has_log(name):
        raise Http404
    filters = AuditFilter(function=name, act=_act(query.act))
    return audit_log(filters, cursor=query.cursor, limit=query.limit)


def _act(act: str) -> str:
    if act and act not in AuditEntry.Act.values:
        raise Http404
    return act


def _raise_flag(actor: Actor, kind: str, pk: int, payload: FlagRaised) -> Status[FlagRow]:
    flag = flag_item(actor=actor, kind=kind, item_id=pk, reason=payload.reason)
    return Status(201, _flag(flag.pk))


def _flag(pk: int) -> FlagRow:
    (row,) = flag_rows([Flag.objects.select_related("function", "flagger", "resolver").get(pk=pk)])
    return row
