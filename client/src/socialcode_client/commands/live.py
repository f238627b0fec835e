"""Live events of a function's page, shown in the terminal."""

import json
import sys
import time
from collections import deque
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Annotated, Any

import typer
from rich.console import Group
from rich.live import Live
from rich.markup import escape
from rich.text import Text

from socialcode_client.client import Client
from socialcode_client.commands.screen import Harmless, out
from socialcode_client.commands.session import AsJson, ExitCode, Url, open_client, plain, stop
from socialcode_client.commands.verdicts import LOOKS, matrix, verdicts_of
from socialcode_client.models import Event, Function

_KEPT_LINES = 12
# Events that change more than a single cell.
_RELOADING = frozenset(
    {
        "batch.submitted",
        "batch.superseded",
        "standing.changed",
        "function.changed",
        "dependents.changed",
    }
)


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(watch)


def watch(
    name: Annotated[str, typer.Argument(help="The function's name.")],
    until_settled: Annotated[
        bool, typer.Option("--until-settled", help="End when nothing runs any more.")
    ] = False,
    timeout: Annotated[float | None, typer.Option(help="Seconds to watch at most.")] = None,
    poll: Annotated[
        bool, typer.Option("--poll", help="Ask every 2 seconds, without a socket.")
    ] = False,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Watch a function's results and log, live. Ctrl-C ends it.

    With --json, the first line has the function, and each further one an event.
    """
    until = None if timeout is None else time.monotonic() + timeout
    with open_client(url) as client:
        watched = Watched(client, client.function(name))
        screen = nullcontext() if as_json else Live(console=out, get_renderable=watched.shown)
        with screen:
            while not _is_over(watched, until, until_settled=until_settled):
                _follow_until_reset(
                    watched, until, poll=poll, as_json=as_json, settled=until_settled
                )
    stop(ExitCode.FAILED if until_settled and watched.is_unsettled else ExitCode.DONE)


def _is_over(watched: "Watched", until: float | None, *, until_settled: bool) -> bool:
    if until is not None and time.monotonic() >= until:
        return True
    return until_settled and not watched.is_unsettled


def _follow_until_reset(
    watched: "Watched", until: float | None, *, poll: bool, as_json: bool, settled: bool
) -> None:
    # It takes long to load.
    from socialcode_client.stream import Position, Reset, follow  # noqa: PLC0415

    if as_json:
        _print_line({"seq": watched.function.seq, "type": "function", "payload": watched.function})
    position = Position(watched.function.topic, watched.function.epoch, watched.function.seq)
    for happening in follow(watched.client, position, by_polling=poll):
        if isinstance(happening, Reset):
            watched.reload()
            return
        if isinstance(happening, Event):
            watched.apply(happening)
            if as_json:
                _print_line(happening)
        else:
            watched.look()
        if _is_over(watched, until, until_settled=settled and not watched.is_stale):
            return


def _print_line(value: Any) -> None:
    sys.stdout.write(json.dumps(plain(value), ensure_ascii=False) + "\n")
    sys.stdout.flush()


@dataclass(slots=True)
class Watched:
    """A function as it is now, with the last lines of the log."""

    client: Client
    function: Function
    verdicts: dict[tuple[int, int], str | None] = field(default_factory=dict)
    lines: deque[Text] = field(default_factory=lambda: deque(maxlen=_KEPT_LINES))
    open_batches: dict[int, tuple[int, int]] = field(default_factory=dict)  # done, in all
    is_stale: bool = False

    def __post_init__(self) -> None:
        self.verdicts = verdicts_of(self.function)

    @property
    def is_unsettled(self) -> bool:
        """True while something runs, or waits to."""
        return self.function.judging or bool(self.open_batches)

    def reload(self) -> None:
        """Read the function anew."""
        self.function = self.client.function(self.function.name)
        self.verdicts = verdicts_of(self.function)
        self.is_stale = False

    def look(self) -> None:
        """Read what has changed beyond single cells, once it is quiet."""
        if self.is_stale:
            self.reload()

    def apply(self, event: Event) -> None:
        """Set what an event says; applying it twice does no harm."""
        payload = event.payload
        match event.type:
            case "batch.submitted":
                self.open_batches.setdefault(payload["batch"], (0, payload.get("total", 0)))
            case "batch.finished":
                self.open_batches.pop(payload["batch"], None)
                counts = ", ".join(
                    f"{count} {each}" for each, count in payload["verdicts"].items() if count
                )
                self._say(
                    f"run {payload['batch']} is {payload['state']}: {counts or 'nothing to run'}",
                    "bold",
                )
                self.is_stale = True
            case "task.started":
                self._set(payload["key"], "running")
            case "task.finished":
                self._set(payload["key"], payload["verdict"])
                self._count(payload["batch"])
                if payload["verdict"] not in ("passed", None):
                    self._say(f"{self._label(payload['key'])}: {payload['message']}", "red")
            case "task.output":
                for _, stream, text in payload["lines"]:
                    self._say(
                        f"{self._label(payload['key'])}  {text}", "red" if stream == "err" else ""
                    )
            case _:
                pass
        self.is_stale = self.is_stale or event.type in _RELOADING

    def shown(self) -> Harmless:
        """Return the whole picture."""
        function = self.function
        state = function.status.replace("_", " ")
        busy = ""
        if self.open_batches:
            done, total = map(sum, zip(*self.open_batches.values(), strict=True))
            busy = f"  {LOOKS['running'][0]} {done} of {max(done, total)}"
        head = Text.from_markup(
            f"[bold]{escape(function.name)}[/]{escape(function.signature)}  {state}{busy}"
        )
        return Harmless(Group(head, matrix(function, self.verdicts), *self.lines))

    def _set(self, key: str, verdict: str | None) -> None:
        for cell in self.function.cells:
            if cell.key == key:
                self.verdicts[cell.implementation, cell.test] = verdict

    def _count(self, batch: int) -> None:
        if batch in self.open_batches:
            done, total = self.open_batches[batch]
            self.open_batches[batch] = (done + 1, total)

    def _label(self, key: str) -> str:
        for cell in self.function.cells:
            if cell.key == key:
                return f"{self._number(cell.implementation)} × test {self._number(cell.test)}"
        return key[:8]

    def _number(self, work_id: int) -> str:
        works: list[Any] = [*self.function.implementations, *self.function.tests]
        return next((one.label for one in works if one.id == work_id), str(work_id))

    def _say(self, text: str, style: str) -> None:
        self.lines.append(Text(text, style=style))
