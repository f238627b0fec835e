"""Requests made up from the OpenAPI description, valid or not, are answered as it says."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections, transaction
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import CHECKS, load_all_checks

from socialcode.accounts.tokens import create_token
from socialcode.api import api
from tests.support import builders as make
from tests.support.roles import World

load_all_checks()
# Rules refuse what no schema can say, such as a name that is taken, or another list's cursor.
RULES = ["400", "412", "413", "415", "422", "428"]
# It takes the token that is sent for one that it has made up; `tests/socialcode/test_roles.py`
# tries all operations without one.
LEFT_OUT = ("ignored_auth",)
TAGS = (
    *("acceptance tests", "account", "agents", "batches", "canaries", "collections", "comments"),
    *("document views", "documents", "functions", "implementations", "moderation"),
    *("notifications", "people", "previews", "results", "tests", "tokens", "topics", "use"),
    *("votes", "webhooks"),
)


@pytest.fixture(autouse=True)
def _kept_connection() -> Iterator[None]:
    """Keep the test's connection, which the end of a request would close."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.fixture(scope="module")
def described() -> Any:
    description = json.loads(json.dumps(api.get_openapi_schema(path_params={})))
    for operations in description["paths"].values():
        for operation in operations.values():
            # With chosen fields, answers lack the others, which no schema can say.
            taken = operation.get("parameters", [])
            operation["parameters"] = [one for one in taken if one["name"] != "fields"]
    schema = schemathesis.openapi.from_dict(description)
    schema.app = get_wsgi_application()
    accepted = schema.config.checks.positive_data_acceptance
    accepted.expected_statuses = [*accepted.expected_statuses, *RULES]
    return schema


def try_operation(operation: Any, token: str, examples: int) -> None:
    """Send requests of this operation, and undo what they do."""
    # Compressed answers aren't read.
    headers = {"Authorization": f"Bearer {token}", "Accept-Encoding": "identity"}
    left_out = CHECKS.get_by_names(LEFT_OUT)

    @given(case=operation.as_strategy())
    @settings(
        max_examples=examples,
        database=None,
        deadline=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def attempt(case: Any) -> None:
        with transaction.atomic():
            response = case.call(headers=headers)
            transaction.set_rollback(True)
        case.validate_response(response, excluded_checks=left_out)

    attempt()


def test_all_operations_are_tried(described: Any) -> None:
    tags = {tag for result in described.get_all_operations() for tag in result.ok().tags}
    assert tags == set(TAGS)


@pytest.mark.parametrize("tag", TAGS)
def test_operations_answer_as_described(db: None, described: Any, tag: str) -> None:
    world = World("owner")
    operations = [result.ok() for result in described.get_all_operations()]
    for operation in operations:
        if tag in operation.tags:
            try_operation(operation, world.token, examples=12)


@pytest.mark.parametrize("path", ["/functions/{name}/", "/drafts/", "/tokens/"])
def test_some_readings_answer_as_described(db: None, described: Any, path: str) -> None:
    owner = make.user("owner")
    make.implementation(make.function("Crowd", owner=owner), author=owner, state="draft")
    token = create_token(user=owner)[1]
    try_operation(described[f"/api/v1{path}"]["GET"], token, examples=4)
