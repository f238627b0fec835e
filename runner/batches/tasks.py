"""Adds tasks to batches; tasks with a known result succeed at once."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import connection

from runner.batches.executions import (
    ExecutionRequest,
    ExecutionRow,
    next_vtime,
    requeue,
    save_requeued,
    upsert_executions,
)
from runner.errors import InvalidChain
from runner.events.task_events import (
    ExecutionEnd,
    NewEvent,
    OpenTask,
    append_events,
    finished_event,
    notify_recorders,
)
from runner.models import Batch, Task
from runner.pipelines.outbox import notify_workers_after_commit
from runner.programs.program import PreparedProgram
from runner.registry import payer_of
from runner.states import FINAL_STATES, OPEN_STATES, State

# The message of a task that is cancelled because of its predecessor.
PREDECESSOR_ENDED = "the task before it did not succeed"

_INSERT_TASKS = """
    insert into runner_task (batch_id, execution_id, state, is_load_check, executed, finished_at)
    select n.batch_id, n.execution_id, n.state, n.is_load_check, false,
           case when n.state = any(%(final)s) then now() end
    from unnest(%(batches)s::bigint[], %(executions)s::bigint[], %(states)s::smallint[],
                %(load_checks)s::boolean[])
        with ordinality as n (batch_id, execution_id, state, is_load_check, position)
    order by n.position on conflict (batch_id, execution_id) do nothing
    returning id, batch_id, execution_id
"""
_CHAIN_TASKS = """
    update runner_task t set predecessor_id = n.predecessor_id
    from unnest(%s::bigint[], %s::bigint[]) as n (id, predecessor_id) where n.id = t.id
"""


@dataclass(frozen=True, slots=True)
class SubmitOptions:
    """The options of a request, as in `submit_batch`."""

    priority: int = 0
    priorities: Mapping[bytes, int] = field(default_factory=dict)
    after: Mapping[bytes, bytes | Task] = field(default_factory=dict)
    rerun: bool = False


@dataclass(frozen=True, slots=True)
class NewTasks:
    """Programs to add to a batch."""

    batch: Batch
    programs: Iterable[PreparedProgram]
    terms: SubmitOptions


def insert_tasks(new_tasks: Iterable[NewTasks]) -> None:
    """Add the programs to their batches, each once per batch, in the caller's transaction.

    Known results are published and recorded at once.
    """
    chains = [chain for chain in map(_TaskChain, new_tasks) if chain.programs]
    if not chains:
        return
    programs = {key: program for chain in chains for key, program in chain.programs.items()}
    request = _execution_request(chains)
    chained = set[bytes]().union(*(chain.keys for chain in chains))
    executions = {
        execution.key: execution for execution in upsert_executions(programs, request, chained)
    }
    states = _initial_states(chains, executions, request)
    _insert_rows(chains, executions, states)
    Batch.objects.bulk_update([chain.batch for chain in chains], ["last_turn"])
    ready = sum(state == State.PENDING for each in states for state in each.values())
    if ready:
        notify_workers_after_commit(ready)


class _TaskChain:
    """A batch's programs and their predecessors: programs of the batch, or other tasks."""

    def __init__(self, new: NewTasks) -> None:
        self.batch, self.terms = new.batch, new.terms
        self.programs = {program.key: program for program in new.programs}
        self.predecessors: dict[bytes, bytes | int] = {}  # by key: a key, or another task's id
        self._task_ids: set[int] = set()
        self.keys: set[bytes] = set()  # of all programs in chains
        for key, predecessor in new.terms.after.items() if self.programs else ():
            if key not in self.programs:
                raise InvalidChain("a program with a predecessor is not among those submitted")
            if isinstance(predecessor, bytes) and predecessor in self.programs:
                self.predecessors[key] = predecessor
                self.keys |= {key, predecessor}
            else:
                task = _find_task(new.batch, predecessor)
                self.predecessors[key] = task.pk
                self._task_ids.add(task.pk)
                self.keys |= {key, bytes(task.execution.key)}
        self.order = self._in_order()

    def predecessor_states(self) -> dict[int, State]:
        """Return the states of other tasks that are predecessors; their executions are locked."""
        if not self._task_ids:
            return {}
        rows = Task.objects.filter(pk__in=self._task_ids).values_list("pk", "state")
        return {pk: State(state) for pk, state in rows}

    def _in_order(self) -> list[bytes]:
        """Return the keys as given, but each after its predecessor.

        Raises InvalidChain for cycles.
        """
        ordered: dict[bytes, None] = {}
        for key in self.programs:
            path: list[bytes] = []
            at: bytes | int | None = key
            while isinstance(at, bytes) and at not in ordered:
                path.append(at)
                if len(path) > len(self.predecessors) + 1:
                    raise InvalidChain("these tasks wait for one another in a cycle")
                at = self.predecessors.get(at)
            ordered.update(dict.fromkeys(reversed(path)))
        return list(ordered)


def _find_task(batch: Batch, predecessor: bytes | Task) -> Task:
    tasks = Task.objects.select_related("execution").only("id", "execution__key")
    if isinstance(predecessor, Task):
        return tasks.get(pk=predecessor.pk)
    task = tasks.filter(batch=batch, execution__key=predecessor).first()
    if task is None:
        raise InvalidChain("a predecessor is not in the batch")
    return task


def _execution_request(chains: Sequence[_TaskChain]) -> ExecutionRequest:
    """Return one request for all programs, with consecutive virtual times per owner."""
    owners: dict[bytes, int | None] = {}
    vtimes: dict[bytes, int] = {}
    priorities: dict[bytes, int] = {}
    next_vtimes: dict[tuple[int | None, int], int] = {}
    for chain in chains:
        owner_id, terms = chain.batch.owner_id, chain.terms
        payer_id = None if owner_id is None else payer_of(owner_id)
        queue = (owner_id, terms.priority)
        first = next_vtimes[queue] if queue in next_vtimes else next_vtime(*queue)
        next_vtimes[queue] = first + len(chain.order)
        chain.batch.last_turn = next_vtimes[queue] - 1
        for vtime, key in enumerate(chain.order, start=first):
            own = terms.priorities.get(key, terms.priority)
            owners.setdefault(key, payer_id)
            vtimes.setdefault(key, vtime)
            priorities[key] = min(own, priorities.get(key, own))
    return ExecutionRequest(
        owners,
        vtimes,
        priorities,
        rerun={key for chain in chains if chain.terms.rerun for key in chain.programs},
        waiting={key for chain in chains for key in chain.predecessors},
    )


def _initial_states(
    chains: Sequence[_TaskChain],
    executions: Mapping[bytes, ExecutionRow],
    request: ExecutionRequest,
) -> list[dict[bytes, State]]:
    """Return the states of each chain's tasks; requeue executions where needed."""
    requeued: dict[int, ExecutionRow] = {}
    states = [_chain_states(chain, executions, request, requeued) for chain in chains]
    save_requeued(list(requeued.values()))
    return states


def _chain_states(
    chain: _TaskChain,
    executions: Mapping[bytes, ExecutionRow],
    request: ExecutionRequest,
    requeued: dict[int, ExecutionRow],
) -> dict[bytes, State]:
    others = chain.predecessor_states()
    states: dict[bytes, State] = {}
    for key in chain.order:
        before = chain.predecessors.get(key)
        # A predecessor that was removed meanwhile has no state; its successor is cancelled.
        state = states[before] if isinstance(before, bytes) else others.get(before or 0)
        if before is not None and state in OPEN_STATES:
            states[key] = State.WAITING
        elif before is not None and state != State.SUCCEEDED:
            states[key] = State.CANCELLED
        else:
            if requeue(executions[key], request):
                requeued[executions[key].pk] = executions[key]
            states[key] = State(executions[key].state)
    return states


def _insert_rows(
    chains: Sequence[_TaskChain],
    executions: Mapping[bytes, ExecutionRow],
    states: Sequence[Mapping[bytes, State]],
) -> None:
    """Insert the tasks in order, and publish those that are running or finished already."""
    pairs = list(zip(chains, states, strict=True))
    rows: dict[str, Any] = {
        "final": list(FINAL_STATES),
        "batches": [chain.batch.pk for chain in chains for _ in chain.order],
        "executions": [executions[key].pk for chain in chains for key in chain.order],
        "states": [initial[key] for chain, initial in pairs for key in chain.order],
        "load_checks": [
            chain.programs[key].is_load_check for chain in chains for key in chain.order
        ],
    }
    keys = {execution.pk: key for key, execution in executions.items()}
    inserted: dict[int, dict[bytes, int]] = defaultdict(dict)  # by batch
    with connection.cursor() as cursor:
        cursor.execute(_INSERT_TASKS, rows)
        for task_id, batch_id, execution_id in cursor:
            inserted[batch_id][keys[execution_id]] = task_id
        _chain_rows(cursor, chains, inserted)
    publish_states(
        [
            (_open_task(chain, executions[key], task_id), executions[key], initial[key])
            for chain, initial in pairs
            for key, task_id in inserted[chain.batch.pk].items()
        ]
    )


def _open_task(chain: _TaskChain, execution: ExecutionRow, task_id: int) -> OpenTask:
    batch, is_load_check = chain.batch, chain.programs[execution.key].is_load_check
    return OpenTask(task_id, batch.pk, execution.pk, batch.topic_id, batch.recorder, is_load_check)


def _chain_rows(
    cursor: Any, chains: Sequence[_TaskChain], inserted: Mapping[int, Mapping[bytes, int]]
) -> None:
    pairs = []
    for chain in chains:
        tasks = inserted[chain.batch.pk]
        pairs += [
            (tasks[key], tasks.get(before) if isinstance(before, bytes) else before)
            for key, before in chain.predecessors.items()
            if key in tasks
        ]
    if pairs:
        cursor.execute(_CHAIN_TASKS, [list(column) for column in zip(*pairs, strict=True)])


def publish_states(tasks: Sequence[tuple[OpenTask, ExecutionRow, State]]) -> None:
    """Publish the states of these tasks, and notify recorders of known results."""
    started = [
        _started_event(task, execution)
        for task, execution, state in tasks
        if state == State.IN_PROGRESS
    ]
    cancelled = [
        finished_event(task, cancelled_ending(execution, PREDECESSOR_ENDED))
        for task, execution, state in tasks
        if state == State.CANCELLED
    ]
    succeeded = [
        (task, execution.end)
        for task, execution, state in tasks
        if state == State.SUCCEEDED and execution.end
    ]
    cached = [finished_event(task, end, cached=True) for task, end in succeeded]
    append_events(started + cancelled + cached)
    notify_recorders(succeeded)


def cancelled_ending(execution: ExecutionRow, reason: str) -> ExecutionEnd:
    """Return the end of an execution that won't run."""
    return ExecutionEnd(
        key=execution.key,
        state=State.CANCELLED,
        attempt=execution.attempts,
        message=reason,
    )


def _started_event(task: OpenTask, execution: ExecutionRow) -> NewEvent:
    payload = {
        "batch": task.batch_id,
        "task": task.task_id,
        "key": execution.key.hex(),
        "attempt": execution.attempts,
        "load_check": task.is_load_check,
    }
    return NewEvent(task.topic_id, "task.started", payload)
