"""Who has as much waiting as one may is told so, and nothing of the request is there."""

import pytest
from pytest_django.fixtures import Settings

from functions.models import Function, Implementation
from runner.models import Batch, Task
from tests.functions.api.conftest import Caller, assert_problem
from tests.functions.api.test_works import begin


@pytest.mark.parametrize("call", ["run", "publish"])
def test_too_much_in_the_queue_is_a_problem_that_says_what_to_do(
    mira: Caller, add: Function, settings: Settings, call: str
) -> None:
    settings.QUEUED_PER_OWNER = 0
    draft = begin(mira, "implementations")["id"]
    response = mira.post(f"/implementations/{draft}/{call}/")
    problem = assert_problem(response, 429, "too_many_requests")
    assert "cancel some" in problem["detail"]
    assert int(response["Retry-After"]) > 0
    assert not Batch.objects.exists()
    assert not Task.objects.exists()
    assert Implementation.objects.get().state == Implementation.State.DRAFT
    settings.QUEUED_PER_OWNER = 10
    assert mira.post(f"/implementations/{draft}/{call}/").status_code == 202
