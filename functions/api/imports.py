"""Endpoints of imports."""

from django.http import HttpRequest
from ninja import Router, Schema, Status
from pydantic import Field

from functions.api.authentication import SOMEBODY
from functions.api.bodies import Text
from functions.api.problems import refusals
from functions.authoring import import_module, read_plan

router = Router(tags=["functions"])


class ModuleSent(Schema):
    """A Python module, and a module of pytest tests for it."""

    module: Text
    tests: Text = ""


class PlannedTestShown(Schema):
    """A test that would be made."""

    title: str
    code: str
    line: int = Field(description="where it stands in what was sent")


class PlannedFunctionShown(Schema):
    """A function that would be made, or be given one more implementation."""

    name: str
    exists: bool
    is_here: bool = Field(description="this very implementation is published already")
    signature: str
    description: str
    code: str
    line: int
    uses: list[str] = Field(description="functions that are marked in it")
    tests: list[PlannedTestShown]


class PlanShown(Schema):
    """What an import would make."""

    functions: list[PlannedFunctionShown]
    notes: list[str]


class ImportedShown(Schema):
    """A function, and the ids of the drafts that were made for it."""

    name: str
    is_new: bool
    implementation: int | None = Field(description="null where this very one is published")
    tests: list[int]


class ImportShown(Schema):
    """What an import has made."""

    functions: list[ImportedShown]


_REFUSALS = refusals(400, 401, 403, 409, 413, 422, 429)


@router.post(
    "/preview/",
    auth=SOMEBODY,
    response={200: PlanShown, **_REFUSALS},
    summary="See what an import would make",
)
def preview_import(request: HttpRequest, payload: ModuleSent) -> PlanShown:
    """Return the drafts that would be made; nothing is."""
    plan = read_plan(actor=request.user, module=payload.module, tests=payload.tests)
    functions = [
        PlannedFunctionShown(
            name=one.name,
            exists=one.exists,
            is_here=one.is_published,
            signature=one.signature,
            description=one.description,
            code=one.code,
            line=one.line,
            uses=list(one.uses),
            tests=[
                PlannedTestShown(title=test.title, code=test.code, line=test.line)
                for test in one.tests
            ],
        )
        for one in plan.functions
    ]
    return PlanShown(functions=functions, notes=list(plan.notes))


@router.post(
    "/",
    auth=SOMEBODY,
    response={201: ImportShown, **_REFUSALS},
    summary="Import a module with its tests",
)
def create_import(request: HttpRequest, payload: ModuleSent) -> Status[ImportShown]:
    """Define what is missing, and begin drafts of all; nothing is published."""
    made = import_module(actor=request.user, module=payload.module, tests=payload.tests)
    functions = [
        ImportedShown(
            name=one.function.name,
            is_new=one.is_new,
            implementation=one.implementation.pk if one.implementation else None,
            tests=[test.pk for test in one.tests],
        )
        for one in made
    ]
    return Status(201, ImportShown(functions=functions))
