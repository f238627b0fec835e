"""Users of the site who publish, vote and withdraw works of dependent functions."""

import random
from typing import Any

from django.contrib.auth.models import User

from functions.authoring import define_function, publish, start_draft, withdraw
from functions.models import Function, Implementation, Test, Work
from functions.voting.votes import cast_vote

FUNCTIONS = ("ChaosOne", "ChaosTwo", "ChaosThree")
ACCOUNTS = [f"person{number}" for number in range(5)]
# Owners of batches that are submitted to the runner directly.
OWNERS = [f"owner{number}" for number in range(3)]
MOST_WORKS = 4


def found() -> None:
    """Create the accounts, and functions each of which depends on the previous one."""
    owner = User.objects.create_user("founder")
    for name in FUNCTIONS:
        define_function(actor=owner, name=name, signature="(x)")
    for name in (*ACCOUNTS, *OWNERS):
        User.objects.create_user(name)


class People:
    """Acts as random users."""

    def __init__(self, name: str, seed: str, generation: int) -> None:
        self._chance = random.Random(f"{seed} {name} {generation}")
        self._mark = f"{generation}"
        self._accounts = list(User.objects.filter(username__in=ACCOUNTS).order_by("pk"))

    def begin(self) -> None:
        """Do nothing, as there is no submission to repeat."""

    def act(self) -> None:
        """Publish, withdraw or vote."""
        name = self._chance.choice(FUNCTIONS)
        function = Function.objects.get(name=name)
        model = self._chance.choice((Implementation, Test))
        published: list[Any] = list(
            model.objects.filter(function=function, state=Work.State.PUBLISHED).order_by("pk")
        )
        chosen = self._chance.random()
        if len(published) > MOST_WORKS:
            oldest = published[0]
            withdraw(actor=oldest.author, work=oldest)
        elif chosen < 0.25 or not published:
            code = self._implementation(name) if model is Implementation else self._test(name)
            actor = self._chance.choice(self._accounts)
            draft = start_draft(actor=actor, function=function, model=model, code=code)
            publish(actor=actor, draft=draft)
        else:
            work = self._chance.choice(published)
            others = [account for account in self._accounts if account.pk != work.author_id]
            for voter in self._chance.sample(others, 2):
                cast_vote(actor=voter, work=work, value=self._chance.choice((-1, 0, 1)))

    def _implementation(self, name: str) -> str:
        number = self._chance.randrange(10**9)
        place = FUNCTIONS.index(name)
        inner = f"{FUNCTIONS[place - 1]}(x)" if place else f"x + {self._chance.choice((1, 1, 2))}"
        marker = f" uses <<{FUNCTIONS[place - 1]}>>" if place else ""
        return f"# {number} of {self._mark}{marker}\ndef {name}(x):\n    return {inner}\n"

    def _test(self, name: str) -> str:
        number = self._chance.randrange(10**9)
        bound = self._chance.choice(("> 1", "< 100", "== 2"))
        return f"# {number} of {self._mark}\nassert {name}(1) {bound}\n"
