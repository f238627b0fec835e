"""The read model of what an account uses of its quotas."""

from dataclasses import dataclass, replace

from django.contrib.auth.models import User

from functions.people.quotas import DAILY
from functions.permissions import person_behind
from runner.quotas import SOCKETS, Use, read_use
from runner.sockets.limits import connection_limits


@dataclass(frozen=True, slots=True, kw_only=True)
class UsePage:
    """What an account has used today, and how many sockets it has open in this process."""

    account: int
    username: str
    uses: tuple[Use, ...]  # by day
    sockets: Use
    person: "UsePage | None"  # of an agent: what its person and all their agents use

    @property
    def all_uses(self) -> tuple[Use, ...]:
        return (*self.uses, self.sockets)

    @property
    def renewal_seconds(self) -> int:
        return self.sockets.renewal_seconds


def use_page(user: User) -> UsePage:
    """Return an account's use, and with an agent's that of its person."""
    person = person_behind(user)
    uses = read_use(user.pk, [*DAILY, SOCKETS])
    sockets = uses.pop(SOCKETS.name)
    return UsePage(
        account=user.pk,
        username=user.get_username(),
        uses=tuple(uses.values()),
        sockets=replace(sockets, used=connection_limits.open_for(user.pk)),
        person=use_page(person) if person != user else None,
    )
