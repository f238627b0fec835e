"""Puts programs into a batch: as tasks that wait, for their executions or for other tasks.

Those whose result is known have succeeded at once.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import connection

from runner.errors import BadChain
from runner.finishing import (
    Ending,
    NewEvent,
    Waiting,
    append_events,
    finished_event,
    tell_recorders,
)
from runner.models import Batch, Execution, Task
from runner.outbox import ring_after_commit
from runner.programs import PreparedProgram
from runner.states import FINAL_STATES, OPEN_STATES, State
from runner.wanting import Wish, next_turn, revive, save_revived, want

# Why a task is cancelled that waited for another, as its event says.
PREDECESSOR_ENDED = "the task before it did not succeed"

_INSERT_TASKS = """
    insert into runner_task (batch_id, execution_id, state, executed, finished_at)
    select %(batch)s, n.execution_id, n.state, false,
           case when n.state = any(%(final)s) then now() end
    from unnest(%(executions)s::bigint[], %(states)s::smallint[])
        with ordinality as n (execution_id, state, position)
    order by n.position on conflict (batch_id, execution_id) do nothing
    returning id, execution_id
"""
_CHAIN_TASKS = """
    update runner_task t set predecessor_id = n.predecessor_id
    from unnest(%s::bigint[], %s::bigint[]) as n (id, predecessor_id) where n.id = t.id
"""


@dataclass(frozen=True, slots=True)
class Terms:
    """How programs are wanted, as the arguments of `submit_batch` say."""

    priority: int = 0
    lower: Mapping[bytes, int] = field(default_factory=dict)
    after: Mapping[bytes, bytes | Task] = field(default_factory=dict)
    afresh: bool = False


def insert_tasks(batch: Batch, programs: Iterable[PreparedProgram], terms: Terms) -> None:
    """Have the batch wait for these programs, each once, in the caller's transaction.

    Those whose result is known are told to the topic and the recorder at once.
    """
    distinct = {program.key: program for program in programs}
    if not distinct:
        return
    chain = _Chain(batch, distinct, terms.after)
    first_turn = next_turn(batch.owner_id, terms.priority)
    wish = Wish(
        batch.owner_id,
        turns={key: first_turn + position for position, key in enumerate(chain.order)},
        priorities={key: terms.lower.get(key, terms.priority) for key in distinct},
        afresh=terms.afresh,
        waiting=frozenset(chain.predecessors),
    )
    executions = {bytes(execution.key): execution for execution in want(distinct, wish, chain.keys)}
    states = _settle_states(chain, executions, wish)
    _insert_rows(batch, chain, executions, states)
    batch.last_turn = first_turn + len(distinct) - 1
    batch.save(update_fields=["last_turn"])
    if any(state in OPEN_STATES for state in states.values()):
        ring_after_commit()


class _Chain:
    """What comes after what: among programs that are submitted together, or after other tasks."""

    def __init__(
        self,
        batch: Batch,
        programs: Mapping[bytes, PreparedProgram],
        after: Mapping[bytes, bytes | Task],
    ) -> None:
        self.predecessors: dict[bytes, bytes | int] = {}  # by key: a key, or another task's id
        self._task_ids: set[int] = set()
        self.keys: set[bytes] = set()  # of all programs that a chain runs through
        for key, predecessor in after.items():
            if key not in programs:
                raise BadChain("what is to come after something is not submitted")
            if isinstance(predecessor, bytes) and predecessor in programs:
                self.predecessors[key] = predecessor
                self.keys |= {key, predecessor}
            else:
                task = _find_task(batch, predecessor)
                self.predecessors[key] = task.pk
                self._task_ids.add(task.pk)
                self.keys |= {key, bytes(task.execution.key)}
        self.order = self._in_order(programs)

    def states(self) -> dict[int, State]:
        """Return where the other tasks stand, whose executions are locked."""
        rows = Task.objects.filter(pk__in=self._task_ids).values_list("pk", "state")
        return {pk: State(state) for pk, state in rows}

    def _in_order(self, programs: Iterable[bytes]) -> list[bytes]:
        """Return the keys as given, but each behind its predecessor; refuses circles."""
        ordered: dict[bytes, None] = {}
        for key in programs:
            run: list[bytes] = []
            at: bytes | int | None = key
            while isinstance(at, bytes) and at not in ordered:
                run.append(at)
                if len(run) > len(self.predecessors) + 1:
                    raise BadChain("these tasks wait for one another in a circle")
                at = self.predecessors.get(at)
            ordered.update(dict.fromkeys(reversed(run)))
        return list(ordered)


def _find_task(batch: Batch, predecessor: bytes | Task) -> Task:
    tasks = Task.objects.select_related("execution").only("id", "execution__key")
    if isinstance(predecessor, Task):
        return tasks.get(pk=predecessor.pk)
    task = tasks.filter(batch=batch, execution__key=predecessor).first()
    if task is None:
        raise BadChain("what something is to come after is not in the batch")
    return task


def _settle_states(
    chain: _Chain, executions: Mapping[bytes, Execution], wish: Wish
) -> dict[bytes, State]:
    """Return where each task begins; what is wanted now is made pending."""
    known = chain.states()
    states: dict[bytes, State] = {}
    revived = []
    for key in chain.order:
        before = chain.predecessors.get(key)
        # One that was removed meanwhile was final, and nobody had waited for it.
        former = states[before] if isinstance(before, bytes) else known.get(before or 0)
        if before is not None and former in OPEN_STATES:
            states[key] = State.WAITING
        elif before is not None and former != State.SUCCEEDED:
            states[key] = State.CANCELLED
        else:
            if revive(executions[key], wish):
                revived.append(executions[key])
            states[key] = State(executions[key].state)
    save_revived(revived)
    return states


def _insert_rows(
    batch: Batch,
    chain: _Chain,
    executions: Mapping[bytes, Execution],
    states: Mapping[bytes, State],
) -> None:
    """Insert the tasks in their order, and tell what is under way or known already."""
    rows: dict[str, Any] = {
        "batch": batch.pk,
        "final": list(FINAL_STATES),
        "executions": [executions[key].pk for key in chain.order],
        "states": [states[key] for key in chain.order],
    }
    keys = {executions[key].pk: key for key in chain.order}
    with connection.cursor() as cursor:
        cursor.execute(_INSERT_TASKS, rows)
        inserted = {keys[execution_id]: task_id for task_id, execution_id in cursor}
        _chain_rows(cursor, chain, inserted)
    tell_states(
        [
            (
                Waiting(task_id, batch.pk, executions[key].pk, batch.topic_id, batch.recorder),
                executions[key],
                states[key],
            )
            for key, task_id in inserted.items()
        ]
    )


def _chain_rows(cursor: Any, chain: _Chain, inserted: Mapping[bytes, int]) -> None:
    pairs = [
        (inserted[key], inserted.get(before) if isinstance(before, bytes) else before)
        for key, before in chain.predecessors.items()
        if key in inserted
    ]
    if pairs:
        cursor.execute(_CHAIN_TASKS, [list(column) for column in zip(*pairs, strict=True)])


def tell_states(tasks: Sequence[tuple[Waiting, Execution, State]]) -> None:
    """Tell topics, and the recorders of what is known, where these tasks have got to at once."""
    started = [
        _started_event(task, execution)
        for task, execution, state in tasks
        if state == State.IN_PROGRESS
    ]
    dropped = [
        finished_event(task, cancelled_ending(execution, PREDECESSOR_ENDED))
        for task, execution, state in tasks
        if state == State.CANCELLED
    ]
    known = [
        (task, _known_ending(execution))
        for task, execution, state in tasks
        if state == State.SUCCEEDED
    ]
    cached = [finished_event(task, ending, cached=True) for task, ending in known]
    append_events(started + dropped + cached)
    tell_recorders(known)


def cancelled_ending(execution: Execution, reason: str) -> Ending:
    """Return the end of a task that is not to be run any more."""
    return Ending(
        key=bytes(execution.key),
        state=State.CANCELLED,
        attempt=execution.attempts,
        message=reason,
    )


def _started_event(task: Waiting, execution: Execution) -> NewEvent:
    payload = {
        "batch": task.batch_id,
        "task": task.task_id,
        "key": bytes(execution.key).hex(),
        "attempt": execution.attempts,
    }
    return NewEvent(task.topic_id, "task.started", payload)


def _known_ending(execution: Execution) -> Ending:
    result = execution.result
    return Ending(
        key=bytes(execution.key),
        state=State.SUCCEEDED,
        attempt=result.attempt,
        verdict=result.verdict,
        message=result.message,
        line=result.line,
        cpu_us=result.cpu_us,
        wall_us=result.wall_us,
    )
