"""A picture of a function's results, for previews of links to it."""

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe
from PIL import Image, ImageDraw, ImageFont

from functions.models import Function
from functions.read_models.function import FunctionPage, function_or_404, function_page
from functions.sized_cache import SizedCache
from functions.views.results_panel import results_panel

FRESH_SECONDS = 300
WIDTH, HEIGHT = 1200, 630  # as the sites that show previews recommend
MARGIN, TOP, BOTTOM, GAP = 64, 246, 510, 8
SQUARES = (40, 72)  # the smallest and the largest
MOST_ROWS, MOST_COLUMNS = 5, 20
MOST_BYTES = 8_000_000
# The colours of the light theme: background, and the glyph's, by state.
_PAPER, _INK, _SOFT = "#fbfbf8", "#1a1b1e", "#63656a"
_COLOURS = {
    "passed": ("#d5ecdc", "#14733b"),
    "failed": ("#bf2a2a", "#ffffff"),
    "error": ("#a04a06", "#ffffff"),
    "timeout": ("#7a35a8", "#ffffff"),
    "broken": ("#e7e6e0", "#8a8a84"),
}
_NO_COLOURS = ("#efefea", "#8a8a84")


@dataclass(frozen=True, slots=True)
class _Picture:
    """All that a picture shows; `rows` are states, the current implementation's first."""

    name: str
    signature: str
    words: str
    rows: tuple[tuple[str, ...], ...]


_kept: SizedCache[_Picture, bytes] = SizedCache(MOST_BYTES)


@require_safe
@cache_control(public=True, max_age=FRESH_SECONDS)
def show_picture(_request: HttpRequest, name: str) -> HttpResponse:
    """Return a picture of the function's results as PNG."""
    with translation.override("en"):  # other sites keep the picture, whoever reads it
        shown = _picture_of(function_page(function_or_404(name), AnonymousUser()))
    content = _kept.get(shown)
    if content is None:
        content = _draw(shown)
        _kept.put(shown, content, len(content))
    headers = {"Cross-Origin-Resource-Policy": "cross-origin"}
    return HttpResponse(content, content_type="image/png", headers=headers)


def _picture_of(page: FunctionPage) -> _Picture:
    panel = results_panel(page.candidates, page.standing_tests, page.cells)
    rows = sorted(panel.rows, key=lambda row: not row.card.is_current)
    counts = f"{_count(len(panel.rows), 'implementation')}, {_count(len(panel.columns), 'test')}"
    status = Function.Status(page.function.status).label
    return _Picture(
        name=page.function.name,
        signature=page.function.signature,
        words=f"{status} · {counts}",
        rows=tuple(row.states[:MOST_COLUMNS] for row in rows[:MOST_ROWS]),
    )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _draw(shown: _Picture) -> bytes:
    image = Image.new("RGB", (WIDTH, HEIGHT), _PAPER)
    draw = ImageDraw.Draw(image)
    _write(draw, shown.name, size=84, top=56, colour=_INK)
    _write(draw, shown.signature, size=34, top=166, colour=_SOFT)
    side = _side_of(shown.rows)
    for line, row in enumerate(shown.rows):
        for place, state in enumerate(row):
            left, top = MARGIN + place * (side + GAP), TOP + line * (side + GAP)
            _draw_square(draw, left, top, side, state)
    _write(draw, shown.words, size=30, top=HEIGHT - 92, colour=_INK)
    mark = ImageFont.load_default(30)
    draw.text((WIDTH - MARGIN, HEIGHT - 92), "Social Code", _SOFT, mark, anchor="ra")
    content = BytesIO()
    image.save(content, "PNG", optimize=True)
    return content.getvalue()


def _write(draw: ImageDraw.ImageDraw, text: str, *, size: int, top: int, colour: str) -> None:
    """Write a line, smaller or cut off if it is too long."""
    room = WIDTH - 2 * MARGIN
    font = ImageFont.load_default(size)
    if (length := draw.textlength(text, font)) > room:
        font = ImageFont.load_default(max(size // 2, int(size * room / length)))
    while text and draw.textlength(text, font) > room:
        text = f"{text[:-2].rstrip('…')}…"
    draw.text((MARGIN, top), text, colour, font)


def _side_of(rows: Sequence[Sequence[str]]) -> int:
    """Return the side of squares that fill the room."""
    columns = max([len(row) for row in rows], default=1) or 1
    fitting = min((BOTTOM - TOP) // max(len(rows), 1), (WIDTH - 2 * MARGIN) // columns) - GAP
    return min(max(fitting, SQUARES[0]), SQUARES[1])


def _draw_square(draw: ImageDraw.ImageDraw, left: int, top: int, side: int, state: str) -> None:
    paper, ink = _COLOURS.get(state, _NO_COLOURS)
    draw.rounded_rectangle((left, top, left + side, top + side), 5, paper)

    def line(*points: tuple[float, float]) -> None:
        places = [(left + x * side, top + y * side) for x, y in points]
        draw.line(places, ink, side // 7, joint="curve")

    if state == "passed":
        line((0.26, 0.52), (0.43, 0.68), (0.74, 0.32))
    elif state in ("failed", "error", "timeout"):
        line((0.3, 0.3), (0.7, 0.7))
        line((0.7, 0.3), (0.3, 0.7))
    elif state == "broken":
        line((0.35, 0.7), (0.65, 0.3))
