"""The origin of what is being done: which client, in which way, and who."""

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass

from django.contrib.auth.models import User

from runner.sockets.networks import network_of


def nobody() -> None:
    """Return no user."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The client's address, the way (`form`, `api`, `admin`, `command`), and the signed-in user."""

    address: str = ""
    how: str = "command"
    actor: Callable[[], User | None] = nobody

    @property
    def network(self) -> str:
        """The network that the client controls; limits count by it."""
        return network_of(self.address)


COMMAND = Origin()
# That of the current request; commands and workers have the default.
origin: ContextVar[Origin] = ContextVar("origin", default=COMMAND)
