"""Endpoints of imports."""

from collections.abc import Sequence

from django.http import HttpRequest
from ninja import Router, Schema, Status
from pydantic import Field

from functions.api.authentication import SOMEBODY
from functions.api.bodies import Text
from functions.api.problems import refusals
from functions.api.schemas import Answer, IdOrNull, Ids, path
from functions.authoring import Imported, import_module, read_plan
from functions.module_import.plan_types import Plan

router = Router(tags=["functions"])


class ModuleSent(Schema):
    """A Python module, and a module of pytest tests for it."""

    module: Text
    tests: Text = ""


class PlannedTestShown(Answer):
    """A test that would be made."""

    title: str
    code: str
    line: int = Field(description="where it stands in what was sent")


class PlannedFunctionShown(Answer):
    """A function that would be made, or be given one more implementation."""

    name: str
    exists: bool
    is_here: bool = Field(
        validation_alias="is_published", description="this very implementation is published already"
    )
    signature: str
    description: str
    code: str
    line: int
    uses: list[str] = Field(description="functions that are marked in it")
    tests: list[PlannedTestShown]


class PlanShown(Answer):
    """What an import would make."""

    functions: list[PlannedFunctionShown]
    notes: list[str]


class ImportedShown(Answer):
    """A function, and the ids of the drafts that were made for it."""

    name: str = path("function", "name")
    is_new: bool
    implementation: IdOrNull = Field(description="null where this very one is published")
    tests: Ids


class ImportShown(Answer):
    """What an import has made."""

    functions: list[ImportedShown]


_REFUSALS = refusals(400, 401, 403, 409, 413, 422, 429)


@router.post(
    "/preview/",
    auth=SOMEBODY,
    response={200: PlanShown, **_REFUSALS},
    summary="See what an import would make",
)
def preview_import(request: HttpRequest, payload: ModuleSent) -> Plan:
    """Return the drafts that would be made; nothing is."""
    return read_plan(actor=request.user, **payload.model_dump())


@router.post(
    "/",
    auth=SOMEBODY,
    response={201: ImportShown, **_REFUSALS},
    summary="Import a module with its tests",
)
def create_import(
    request: HttpRequest, payload: ModuleSent
) -> Status[dict[str, Sequence[Imported]]]:
    """Define what is missing, and begin drafts of all; nothing is published."""
    made = import_module(actor=request.user, **payload.model_dump())
    return Status(201, {"functions": made})
