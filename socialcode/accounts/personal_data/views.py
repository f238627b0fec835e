"""The pages on which people take home what is stored about them, and delete their account."""

from collections.abc import AsyncIterator, Iterator
from functools import partial
from http import HTTPStatus

from asgiref.sync import sync_to_async
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import AnonymousUser, User
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from functions.errors import Refusal
from functions.views.responses import refused, signed_in, with_retry_after
from socialcode.accounts.models import DeletedAccount
from socialcode.accounts.passwords.guess_limit import address_of
from socialcode.accounts.personal_data.archive import export_account, export_name
from socialcode.accounts.personal_data.deletion import delete_account
from socialcode.accounts.personal_data.forms import DeletionForm
from socialcode.accounts.personal_data.summary import summary_of
from socialcode.accounts.views import proof_required


@login_required
@never_cache
@require_safe
def show_account_data(request: HttpRequest) -> HttpResponse:
    """Offer the export and the deletion of the account."""
    return render(request, "account/data.html", {"summary": summary_of(signed_in(request))})


@login_required
@require_POST
@proof_required
def export(request: HttpRequest) -> HttpResponseBase:
    """Return everything about the account as a file."""
    try:
        return archive_response(request, signed_in(request))
    except Refusal as refusal:
        return refused(request, refusal)


def _has_no_password(request: HttpRequest) -> bool:
    return not signed_in(request).has_usable_password()


@login_required
@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
# With a password, the form itself asks for it.
@partial(proof_required, enabled=_has_no_password)
def delete(request: HttpRequest) -> HttpResponse:
    """Say what a deletion does, and do it once it is confirmed."""
    person = signed_in(request)
    form = DeletionForm(person, request.POST if request.method == "POST" else None)
    refused_by, status = None, HTTPStatus.OK
    if form.is_bound and form.is_valid():
        try:
            form.confirm(address_of(request))
            work = DeletedAccount.Work(form.cleaned_data["work"])
            delete_account(actor=person, work=work)
        except Refusal as refusal:
            form.add_refusal(refusal)
            refused_by, status = refusal, HTTPStatus(refusal.status)
        else:
            return _say_goodbye(request, work)
    elif form.is_bound:
        status = HTTPStatus.UNPROCESSABLE_ENTITY
    context = {"form": form, "summary": summary_of(person)}
    response = render(request, "account/delete.html", context, status=status)
    return with_retry_after(response, refused_by)


def archive_response(request: HttpRequest, person: User) -> StreamingHttpResponse:
    """Return the export of a person. Raises TooOften."""
    pieces = export_account(actor=person)
    # By ASGI, Django would collect an ordinary iterator before it sends anything.
    content = _without_waiting(pieces) if isinstance(request, ASGIRequest) else pieces
    return StreamingHttpResponse(
        content,
        content_type="application/zip",
        headers={
            "Content-Disposition": f'attachment; filename="{export_name(person)}"',
            "Content-Encoding": "identity",  # it is compressed
        },
    )


async def _without_waiting(pieces: Iterator[bytes]) -> AsyncIterator[bytes]:
    """Yield the pieces, each made in the request's thread."""

    def piece() -> bytes:
        return next(pieces, b"")

    while made := await sync_to_async(piece)():
        yield made


def _say_goodbye(request: HttpRequest, work: DeletedAccount.Work) -> HttpResponse:
    request.session.flush()
    request.user = AnonymousUser()
    return render(request, "account/deleted.html", {"work": work})
