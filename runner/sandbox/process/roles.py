"""What the processes of runs do, one part each."""

from __future__ import annotations

from runner.sandbox.border.protocol import Channel
from runner.sandbox.language import environment
from runner.sandbox.process import cases, judge, subject
from runner.sandbox.process.output import Output
from runner.sandbox.process.rehearsal import Rehearsal
from runner.sandbox.report.results import Result
from runner.sandbox.supervisor.protocol import Content, Role


class Roles:
    """Acts as a judge, a subject or an aide; made in the zygote, which forks."""

    def __init__(self) -> None:
        self._rehearsal: Rehearsal | None = None

    def prepare(self, output: Output) -> None:
        """Get everything ready while files are within reach."""
        cases.preload()
        environment.prepare(output)
        self._rehearsal = Rehearsal()

    def warm(self) -> None:
        """Do what all runs do, for nobody."""
        if self._rehearsal is not None:
            self._rehearsal.perform()

    def __call__(self, content: Content, output: Output, borders: list[int]) -> Result | None:
        """Do one process's part of a run; returns the result if it is the judge's."""
        channels = [Channel(border) for border in borders]
        if content["role"] == Role.JUDGE:
            return judge.run(content, output, channels)
        subject.run(content, output, channels[0])
        return None


roles = Roles()
