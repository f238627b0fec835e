"""Output for a terminal. What others have written must not command it."""

import sys
from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderableType, RenderHook
from rich.segment import Segment

# A pipe has no width; lines that are too long are better than lines that are cut.
_PIPE_WIDTH = 400
# Control characters, beside the end of a line and the tabulator, by their pictures.
_PICTURES = {
    **{code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\n\t"},
    0x7F: "\u2421",
    **dict.fromkeys(range(0x80, 0xA0), "\ufffd"),
}


def harmless(text: str) -> str:
    """Return text in which nothing can move the cursor, colour or retitle a terminal."""
    return text.translate(_PICTURES)


class Harmless:
    """Something to print, without control characters of its own."""

    def __init__(self, inner: RenderableType) -> None:
        self._inner = inner

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterable[Segment]:
        """Render it."""
        for segment in console.render(self._inner, options):
            if segment.control:
                yield segment
            else:
                yield Segment(harmless(segment.text), segment.style)


class _Filter(RenderHook):
    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        return [Harmless(one) for one in renderables]


def _console(*, stderr: bool) -> Console:
    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else _PIPE_WIDTH
    console = Console(stderr=stderr, width=width, highlight=False)
    console.push_render_hook(_Filter())
    return console


out = _console(stderr=False)
err = _console(stderr=True)
