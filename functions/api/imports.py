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
    """A Python module and a pytest module that tests it."""

    module: Text
    tests: Text = ""


class PlannedTestShown(Answer):
    """A test that would be created."""

    title: str
    code: str
    line: int = Field(description="its line in the module sent")


class PlannedFunctionShown(Answer):
    """A function that would be created or get another implementation."""

    name: str
    exists: bool
    is_here: bool = Field(
        validation_alias="is_published", description="an identical one is published already"
    )
    signature: str
    description: str
    code: str
    line: int
    uses: list[str] = Field(description="functions that it marks")
    tests: list[PlannedTestShown]


class PlanShown(Answer):
    """What an import would create."""

    functions: list[PlannedFunctionShown]
    notes: list[str]


class ImportedShown(Answer):
    """A function and the ids of the drafts created for it."""

    name: str = path("function", "name")
    is_new: bool
    implementation: IdOrNull = Field(description="null if an identical one is published")
    tests: Ids


class ImportShown(Answer):
    """What an import created."""

    functions: list[ImportedShown]


_REFUSALS = refusals(400, 401, 403, 409, 413, 422, 429)


@router.post(
    "/preview/",
    auth=SOMEBODY,
    response={200: PlanShown, **_REFUSALS},
    summary="Preview an import",
)
def preview_import(request: HttpRequest, payload: ModuleSent) -> Plan:
    """Return the drafts that would be created, without creating them."""
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
    """Create missing functions and drafts of all works; nothing is published."""
    made = import_module(actor=request.user, **payload.model_dump())
    return Status(201, {"functions": made})
