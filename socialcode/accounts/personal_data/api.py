"""The API of one's own account: its name, its export and its deletion."""

from typing import Literal

from django.contrib.auth.models import User
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from ninja import Router, Schema, Status

from functions.api.authentication import SOMEBODY
from functions.api.bodies import Text
from functions.api.problems import refusals
from functions.api.schemas import Answer
from functions.permissions import require_person
from socialcode.accounts.models import DeletedAccount
from socialcode.accounts.passwords.guess_limit import address_of
from socialcode.accounts.personal_data.confirmation import require_password
from socialcode.accounts.personal_data.deletion import delete_account
from socialcode.accounts.personal_data.views import archive_response
from socialcode.accounts.username_change.change import change_username
from socialcode.accounts.username_change.views import notify_change

router = Router(tags=["account"], auth=SOMEBODY)


class Deletion(Schema):
    """What becomes of your published work, and your password."""

    work: Literal["kept", "withdrawn"]
    password: Text


class NewUsername(Schema):
    """Your new user name, and your password."""

    username: Text
    password: Text


class NameShown(Answer):
    """Your user name."""

    username: str


@router.put(
    "/username/",
    response={200: NameShown, **refusals(400, 401, 403, 409, 413, 422, 429)},
    summary="Change your user name",
)
def change_name(request: HttpRequest, payload: NewUsername) -> User:
    """Change your user name; three times in thirty days. Sessions and tokens stay valid.

    Nobody else can take the former name. Addresses with it lead to you.
    """
    person = require_person(request.user)
    require_password(person, payload.password, address=address_of(request))
    changed = change_username(actor=person, name=payload.username)
    notify_change(request, changed, person.get_username())
    return changed


@router.get(
    "/export/",
    response={200: None, **refusals(401, 403, 429)},
    summary="Export your account",
    openapi_extra={
        "responses": {
            200: {
                "description": "a ZIP with a README and files of JSON lines",
                "content": {"application/zip": {"schema": {"type": "string", "format": "binary"}}},
            }
        }
    },
)
def export(request: HttpRequest) -> HttpResponseBase:
    """Return everything that is stored about your account, as a ZIP; a few times an hour."""
    return archive_response(request, require_person(request.user))


@router.post(
    "/deletion/",
    response={204: None, **refusals(400, 401, 403, 409, 413, 422, 429)},
    summary="Delete your account",
)
def delete(request: HttpRequest, payload: Deletion) -> Status[None]:
    """Delete your account and your agents'. Sessions, sockets and tokens end at once.

    Your published work stays, credited to a deleted user, or is withdrawn. It can't be undone.
    """
    person = require_person(request.user)
    require_password(person, payload.password, address=address_of(request))
    delete_account(actor=person, work=DeletedAccount.Work(payload.work))
    return Status(204, None)
