"""Endpoints of comments."""

from typing import Any

from django.http import HttpRequest
from ninja import Query, Router, Status

from functions.api.authentication import SOMEBODY
from functions.api.bodies import VoteCast, read_nothing
from functions.api.comment_schemas import (
    CommentAnswer,
    CommentAnswers,
    CommentQuery,
    CommentText,
    FunctionCommentQuery,
    HidingReason,
    RepliesQuery,
)
from functions.api.problems import refusals
from functions.api.schemas import ScoreShown
from functions.errors import no_such
from functions.models import Comment, Function, Implementation, Test
from functions.moderation.comments import (
    Subject,
    delete_comment,
    edit_comment,
    hide_comment,
    reply_to,
    unhide_comment,
    write_comment,
)
from functions.read_models import function_or_404
from functions.read_models.comments import (
    CommentList,
    CommentShown,
    comment_row,
    comment_shown,
    reply_list,
    thread_list,
)
from functions.read_models.not_found import or_404
from functions.voting.cast import VoteResult
from functions.voting.votes import vote_on

REFUSED = refusals(400, 401, 403, 404, 409, 413, 422, 429)

router = Router(tags=["comments"])
writing: dict[str, Any] = {"auth": SOMEBODY}


@router.get(
    "functions/{name}/comments/",
    response={200: CommentAnswers, **refusals(400, 404)},
    summary="List comments on a function and its works",
)
def list_comments(
    request: HttpRequest, name: str, query: Query[FunctionCommentQuery]
) -> CommentList:
    """Return the top-level comments; replies have an address of their own."""
    function = function_or_404(name)
    return _listed(request, function, function if query.on == "function" else None, query)


@router.post(
    "functions/{name}/comments/",
    response={201: CommentAnswer, **REFUSED},
    summary="Comment on a function",
    **writing,
)
def comment_on_function(
    request: HttpRequest, name: str, payload: CommentText
) -> Status[CommentShown]:
    """Post a comment on a function."""
    return _written(request, function_or_404(name), payload)


def _work_operations(model: type[Implementation | Test]) -> None:
    """Add the endpoints for one kind of works."""

    def work_or_404(pk: int) -> Implementation | Test:
        rows: Any = model.objects.select_related("function", "author")
        work: Implementation | Test | None = rows.filter(pk=pk, function__deleted_at=None).first()
        if work is None:
            raise no_such(model.noun)
        return work

    @router.get(
        f"{model.noun}s/{{int:id}}/comments/",
        response={200: CommentAnswers, **refusals(400, 404)},
        operation_id=f"list_comments_on_{model.noun}",
        summary=f"List comments on {_a(model.noun)}",
    )
    def list_comments_on_work(
        request: HttpRequest, id: int, query: Query[CommentQuery]
    ) -> CommentList:
        """Return the top-level comments."""
        work = work_or_404(id)
        if work.state == work.State.DRAFT:
            raise no_such(model.noun)
        return _listed(request, work.function, work, query)

    @router.post(
        f"{model.noun}s/{{int:id}}/comments/",
        response={201: CommentAnswer, **REFUSED},
        operation_id=f"comment_on_{model.noun}",
        summary=f"Comment on {_a(model.noun)}",
        **writing,
    )
    def comment_on_work(
        request: HttpRequest, id: int, payload: CommentText
    ) -> Status[CommentShown]:
        """Post a comment on published work."""
        return _written(request, work_or_404(id), payload)


def _a(noun: str) -> str:
    return f"an {noun}" if noun[0] in "aeiou" else f"a {noun}"


_work_operations(Implementation)
_work_operations(Test)


@router.get(
    "comments/{int:id}/",
    response={200: CommentAnswer, **refusals(404)},
    summary="Read a comment",
)
def read_comment(request: HttpRequest, id: int) -> CommentShown:
    """Return a comment."""
    return comment_shown(_comment_or_404(request, id), request.user)


@router.get(
    "comments/{int:id}/replies/",
    response={200: CommentAnswers, **refusals(400, 404)},
    summary="List the replies to a comment",
)
def list_replies(request: HttpRequest, id: int, query: Query[RepliesQuery]) -> CommentList:
    """Return the replies, oldest first."""
    return reply_list(_comment_or_404(request, id), request.user, **query.model_dump())


@router.post(
    "comments/{int:id}/replies/",
    response={201: CommentAnswer, **REFUSED},
    summary="Reply to a comment",
    **writing,
)
def reply(request: HttpRequest, id: int, payload: CommentText) -> Status[CommentShown]:
    """Reply to a top-level comment."""
    thread = _comment_or_404(request, id)
    made = reply_to(actor=request.user, comment=thread, text=payload.text)
    return Status(201, read_comment(request, made.pk))


@router.patch(
    "comments/{int:id}/",
    response={200: CommentAnswer, **REFUSED},
    summary="Edit a comment",
    **writing,
)
def edit(request: HttpRequest, id: int, payload: CommentText) -> CommentShown:
    """Change its text; author only."""
    edit_comment(actor=request.user, comment=_comment_or_404(request, id), text=payload.text)
    return read_comment(request, id)


@router.delete(
    "comments/{int:id}/",
    response={204: None, **refusals(400, 401, 403, 404, 409, 429)},
    summary="Delete a comment",
    **writing,
)
def delete(request: HttpRequest, id: int) -> Status[None]:
    """Delete it; author only. While it has replies, it remains listed without its text."""
    delete_comment(actor=request.user, comment=_comment_or_404(request, id))
    return Status(204, None)


@router.post(
    "comments/{int:id}/hide/",
    response={200: CommentAnswer, **REFUSED},
    summary="Hide a comment",
    **writing,
)
def hide(request: HttpRequest, id: int, payload: HidingReason) -> CommentShown:
    """Hide its text from most readers; the function's owner and staff only."""
    comment = _comment_or_404(request, id)
    hide_comment(actor=request.user, comment=comment, reason=payload.reason)
    return read_comment(request, id)


@router.post(
    "comments/{int:id}/show/",
    response={200: CommentAnswer, **refusals(400, 401, 403, 404, 409, 429)},
    summary="Show a hidden comment again",
    **writing,
)
def show(request: HttpRequest, id: int) -> CommentShown:
    """Make its text public again; the function's owner and staff only."""
    read_nothing(request)
    unhide_comment(actor=request.user, comment=_comment_or_404(request, id))
    return read_comment(request, id)


@router.put(
    "comments/{int:id}/vote/",
    response={200: ScoreShown, **refusals(400, 401, 404, 409, 422, 429)},
    operation_id="vote_on_comment",
    summary="Vote on a comment",
    **writing,
)
def vote(request: HttpRequest, id: int, payload: VoteCast) -> VoteResult:
    """Vote on somebody else's comment; a new vote replaces the old one, 0 removes it."""
    return vote_on(actor=request.user, model=Comment, pk=id, value=payload.value)


def _comment_or_404(request: HttpRequest, pk: int) -> Comment:
    return or_404(comment_row(pk, request.user))


def _listed(
    request: HttpRequest, function: Function, on: Subject | None, query: CommentQuery
) -> CommentList:
    page = query.model_dump(include={"order", "cursor", "limit"})
    return thread_list(function, request.user, on=on, **page)


def _written(request: HttpRequest, subject: Subject, payload: CommentText) -> Status[CommentShown]:
    made = write_comment(actor=request.user, subject=subject, text=payload.text)
    return Status(201, read_comment(request, made.pk))
