"""One number means one thing on every page, in the API and in events."""

import pytest
from django.test import Client

from runner.models import Batch
from runner.workers.drainer import Drainer
from tests.support.batches import events
from tests.support.works import constant, define, implement, publish_test


@pytest.mark.django_db(transaction=True)
def test_the_load_check_is_counted_nowhere_among_the_results(worker: Drainer) -> None:
    function = define("Two")
    for value in (2, 2.0, 3):
        publish_test(function, f"assert Two() == {value}  # {value!r}")
    implement(function, constant("Two", 2))
    worker.drain()
    run = Batch.objects.latest("pk")
    client = Client()
    page = client.get("/functions/Two/").content.decode()
    assert "<b>2</b> of 3 passed" in page
    assert "<b>2</b>/3" in page
    for path in (f"/runs/{run.pk}/", "/runs/"):
        assert "3 of 3</" in client.get(path).content.decode()
    shown = client.get(f"/api/v1/batches/{run.pk}/").json()
    assert (shown["total"], shown["load_checks"]) == (3, 1)
    assert (shown["tasks"]["succeeded"], shown["executed"]) == (3, 3)
    assert (shown["verdicts"]["passed"], shown["verdicts"]["failed"]) == (2, 1)
    (submitted,) = [one for one in events(function.topic, "batch.submitted") if one["total"]]
    assert submitted["total"] == 3
    ended = events(function.topic, "batch.finished")[-1]
    assert (ended["total"], ended["verdicts"]) == (3, {"passed": 2, "failed": 1})
    assert ended["load_checks"] == {"passed": 1}
    flags = [one["load_check"] for one in events(function.topic, "task.finished")]
    assert sorted(flags) == [False, False, False, True]
