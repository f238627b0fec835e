"""The site, to which is done what happens in a tiny world."""

from typing import Any

from functions.acceptance import (
    publish_acceptance_test,
    start_acceptance_test,
    withdraw_acceptance_test,
)
from functions.authoring import delete_function, withdraw
from functions.errors import Refusal
from functions.models import AcceptanceTest, Chase, Election, Function, Implementation, Test
from functions.moderation.acceptability import judge_work
from functions.moderation.archive import archive_function, unarchive_function
from functions.moderation.ownership import transfer_function
from functions.voting.votes import cast_vote
from runner.pipelines.materialized_views import joiner
from runner.workers.drainer import Drainer
from tests.patience import PATIENCE_SECONDS
from tests.support.rulebook.rulebook import Elected
from tests.support.rulebook.tiny_world import STAFF, Step
from tests.support.rulebook.wishes import NAMES
from tests.support.works import account, define, implement, publish_test

MODELS: dict[str, type[Implementation | Test]] = {"implementation": Implementation, "test": Test}


class Site:
    """The site, to which the same is done."""

    def __init__(self, worker: Drainer) -> None:
        self._worker = worker
        self._staff = account(STAFF, is_staff=True)
        self._clear()

    def do(self, step: Step) -> bool:
        """Do it; false if that was refused."""
        try:
            self._do(step)
        except Refusal:
            return False
        return True

    def rest(self) -> None:
        """Execute and elect until nothing is left."""
        joiner.wait_idle(PATIENCE_SECONDS)
        self._worker.drain()

    def elected(self) -> Elected:
        living = Function.objects.filter(deleted_at=None)
        rows = living.values_list("name", "elected__number", "circle")
        return frozenset((name, number or 0, tuple(circle)) for name, number, circle in rows)

    def begun(self) -> frozenset[str]:
        """Return the functions that have had an election."""
        rows = Election.objects.filter(function__deleted_at=None)
        return frozenset(rows.values_list("function__name", flat=True))

    def standing(self) -> frozenset[tuple[str, int, int]]:
        """Return the tests that have standing, with what passed them where it is by that."""
        rows = Test.objects.filter(function__deleted_at=None, state="published")
        found = rows.exclude(standing_cause="").values_list(
            "function__name", "number", "proven_by__number"
        )
        return frozenset((name, number or 0, prover or 0) for name, number, prover in found)

    def chases(self) -> list[tuple[str, ...]]:
        """Return who is unsettled together, in the order in which they have chased each other."""
        found = [tuple(chase.names) for chase in Chase.objects.order_by("id")]
        unsettled = Function.objects.filter(deleted_at=None).exclude(chase=None)
        names = unsettled.values_list("name", flat=True)
        assert sorted(names) == sorted(name for chase in found for name in chase)
        return found

    def said(self) -> dict[str, tuple[object, ...]]:
        """Return how everything stands."""
        living: dict[str, Any] = {"state": "published", "function__deleted_at": None}
        functions = Function.objects.filter(deleted_at=None)
        columns = ("function__name", "number", "score")
        implementations = Implementation.objects.filter(**living)
        tests = Test.objects.filter(**living)
        acceptance = AcceptanceTest.objects.filter(**living)
        return {
            **{
                name: (f"is {status}", *standing)
                for name, status, *standing in functions.values_list(
                    "name", "status", "untested", "judging"
                )
            },
            **{
                f"{name} implementation {number}": tuple(standing)
                for name, number, *standing in implementations.values_list(
                    *columns, "standing", "passed", "counting"
                )
            },
            **{
                f"{name} test {number}": tuple(standing)
                for name, number, *standing in tests.values_list(*columns, "health", "counts")
            },
            **{
                f"{name} acceptance {number}": (verdict or "asleep" * bool(asleep),)
                for name, number, verdict, asleep in acceptance.values_list(
                    "function__name", "title", "verdict", "asleep"
                )
            },
        }

    def blockers(self) -> dict[str, str]:
        functions = Function.objects.filter(deleted_at=None).exclude(blocked_by="")
        return dict(functions.values_list("name", "blocked_by"))

    def last_elections(self) -> set[tuple[str, int]]:
        """Return what the history says, of those who have one."""
        rows = Election.objects.filter(function__deleted_at=None).order_by("id")
        last = dict(rows.values_list("function__name", "elected__number"))
        return {(name, number or 0) for name, number in last.items()}

    def _do(self, step: Step) -> None:
        if step.act == "define":
            define(step.name, owner=step.actor)
            return
        function = Function.objects.get(name=step.name, deleted_at=None)
        actor = account(step.actor)
        if step.act == "delete":
            delete_function(actor=actor, function=function)
        elif step.act == "archive":
            change = unarchive_function if function.archived_at else archive_function
            change(actor=actor, function=function)
        elif step.act == "transfer":
            transfer_function(actor=actor, function=function, to=account(step.other).username)
        elif step.noun == "acceptance":
            self._do_acceptance(step, function)
        elif step.act == "publish" and step.noun == "test":
            publish_test(function, step.code.testing(step.name), author=step.actor)
        elif step.act == "publish":
            implement(function, step.code.implementing(step.name), author=step.actor)
        else:
            self._do_to_work(
                step, MODELS[step.noun].objects.get(function=function, number=step.number)
            )

    def _do_acceptance(self, step: Step, function: Function) -> None:
        actor = account(step.actor)
        if step.act == "withdraw":
            tests = AcceptanceTest.objects.filter(function=function).order_by("id")
            withdraw_acceptance_test(actor=actor, test=tests[step.number - 1])
            return
        code = step.code.testing(step.other)
        test = start_acceptance_test(
            actor=actor, function=function, target=step.other, code=code, title=f"{step.number}"
        )
        publish_acceptance_test(actor=actor, test=test)

    def _do_to_work(self, step: Step, work: Implementation | Test) -> None:
        actor = account(step.actor)
        if step.act == "vote":
            cast_vote(actor=actor, work=work, value=step.value)
        elif step.act == "withdraw":
            withdraw(actor=actor, work=work)
        else:
            acceptable = {1: True, 0: None, -1: False}[step.value]
            judge_work(actor=actor, work=work, acceptable=acceptable)

    def _clear(self) -> None:
        """Delete all functions, and let nobody have a claim on their names."""
        for function in Function.objects.filter(deleted_at=None):
            delete_function(actor=self._staff, function=function)
        self.rest()
        for function in Function.objects.filter(name_key__in=[name.lower() for name in NAMES]):
            function.name_key = f"former-{function.pk}"
            function.save(update_fields=["name_key"])
