"""A batch from its submission to its completion."""

from runner.models import Event, Task, Topic
from runner.states import BatchState, State
from runner.workers.drainer import Drainer
from tests.support.batches import event_types, events, program, submit


def test_submitted_programs_are_executed_and_the_batch_completes(drainer: Drainer) -> None:
    batch = submit([program(), program("assert 1 == 2"), program("print('hello')")])
    drainer.drain()
    batch.refresh_from_db()
    assert batch.state == BatchState.COMPLETE
    assert {task.state for task in Task.objects.all()} == {State.SUCCEEDED}
    types = event_types()
    assert types[0] == "batch.submitted"
    assert types[-1] == "batch.finished"
    assert types.count("task.finished") == 3
    assert events(type="batch.finished")[0]["verdicts"] == {"passed": 2, "failed": 1}
    assert events(type="task.output")[0]["lines"][0][1:] == ["out", "hello"]
    seqs = list(Event.objects.order_by("seq").values_list("seq", flat=True))
    assert seqs == list(range(1, Topic.objects.get().head_seq + 1))
