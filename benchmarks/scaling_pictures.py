"""Draws the measurements as SVG: lines over the number of workers, and bars.

Each picture has a ground of its own, so that it can be read on a light and a dark page.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 720, 360
LEFT, RIGHT, TOP, BOTTOM = 64, 24, 64, 48
COLOURS = ("#1f6fb4", "#c2571a", "#2b8a3e", "#8a4fb0", "#8c8c8c", "#b8860b", "#0f8b8d")
INK, QUIET, GROUND = "#1c1c1c", "#5c5c5c", "#ffffff"
# A style sheet can't see the page's own switch, only the system's; the ground fits in either case.
_DARK = """<style>@media (prefers-color-scheme: dark) {
.ground { fill: #1e1f24 } .ink { fill: #ececec } .quiet { fill: #b0b0b0 }
.rule { stroke: #4a4b52 } }</style>"""
SHARE_SHOWN = 0.04  # smaller parts are "other"


class Line(NamedTuple):
    """One series; `is_dashed` is for what is calculated."""

    name: str
    points: Sequence[tuple[float, float]]
    is_dashed: bool = False


class Bar(NamedTuple):
    """One bar, of parts in the order of the legend."""

    label: str
    parts: Sequence[float]


def draw_all(measured: Mapping[str, Any], folder: Path) -> None:
    """Write all pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    at_once = [run for run in measured["runs"] if not run["sleep_ms"]]
    pictures = {
        "throughput": _throughput(measured["runs"]),
        "cpu": _cpu(at_once),
        "waits": _waits(at_once),
        "statements": _statements(at_once),
        "bytes": _bytes(measured["whole"]["sizes"]["bytes"]),
    }
    for name, picture in pictures.items():
        (folder / f"scaling-{name}.svg").write_text(picture, encoding="utf-8")


def _throughput(runs: Sequence[Mapping[str, Any]]) -> str:
    lines = []
    for sleep_ms in sorted({run["sleep_ms"] for run in runs}):
        some = [run for run in runs if run["sleep_ms"] == sleep_ms]
        points = [(run["workers"], run["per_second"]) for run in some]
        name = f"programs that take {sleep_ms} ms" if sleep_ms else "programs that take no time"
        lines.append(Line(name, points))
        if sleep_ms:
            ideal = [(workers, 1_000 / sleep_ms * workers) for workers, _ in points]
            lines.append(Line("the same without any cost", ideal, is_dashed=True))
    return lines_over_workers("Tasks per second", lines)


def _cpu(runs: Sequence[Mapping[str, Any]]) -> str:
    parts = {"PostgreSQL": "postgres", "workers": "workers", "Valkey": "valkey"}
    bars = [
        Bar(str(run["workers"]), [run["cpu_ms"][key] for key in parts.values()]) for run in runs
    ]
    return columns("CPU time per task in ms, by number of workers", list(parts), bars)


def _waits(runs: Sequence[Mapping[str, Any]]) -> str:
    rows = [run["waits"] for run in runs]
    title = "Sessions of PostgreSQL on average, by number of workers"
    return _stacked(title, [str(run["workers"]) for run in runs], rows)


def _statements(runs: Sequence[Mapping[str, Any]]) -> str:
    rows = [{kind: spent for kind, (_, spent) in run["statements"].items()} for run in runs]
    title = "Time in statements per task in ms, waits included"
    return _stacked(title, [str(run["workers"]) for run in runs], rows)


def _stacked(
    title: str, labels: Sequence[str], rows: Sequence[Mapping[str, float]], most: int = 6
) -> str:
    """Return columns of the largest parts; the rest is summed up."""
    totals: dict[str, float] = {}
    for row in rows:
        whole = sum(row.values()) or 1.0
        for name, value in row.items():
            totals[name] = max(totals.get(name, 0.0), value / whole)
    ranked = sorted(totals, key=lambda name: -totals[name])
    shown = [name for name in ranked if totals[name] >= SHARE_SHOWN and name != "other"][:most]
    bars = []
    for label, row in zip(labels, rows, strict=True):
        parts = [row.get(name, 0.0) for name in shown]
        bars.append(Bar(label, [*parts, sum(row.values()) - sum(parts)]))
    return columns(title, [*shown, "other"], bars)


def _bytes(tables: Mapping[str, Mapping[str, float]]) -> str:
    sizes = {
        name.replace("runner_", "").replace("functions_", ""): [size["heap"], size["indexes"]]
        for name, size in tables.items()
        if name.startswith(("runner_", "functions_"))
    }
    largest = sorted(sizes.items(), key=lambda item: -sum(item[1]))[:9]
    bars = [Bar(name, parts) for name, parts in largest]
    return rows_of_bars("Bytes per task on disk", ["rows", "indexes"], bars)


def lines_over_workers(title: str, lines: Sequence[Line]) -> str:
    """Return a chart with a doubling of workers, and of the value, for each step."""
    values = [max(1.0, value) for line in lines for _, value in line.points]
    steps = sorted({workers for line in lines for workers, _ in line.points})
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))

    def x(workers: float) -> float:
        share = math.log2(workers / steps[0]) / max(1.0, math.log2(steps[-1] / steps[0]))
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def y(value: float) -> float:
        return HEIGHT - BOTTOM - (math.log10(max(1.0, value)) - low) / (high - low) * _plot_height()

    body = [_rule(y(10**power), f"{10**power:,}") for power in range(low, high + 1)]
    body += [_text(x(step), HEIGHT - BOTTOM + 18, f"{step:g}", "middle") for step in steps]
    body.append(_text(WIDTH / 2, HEIGHT - 8, "workers", "middle", "quiet"))
    for colour, line in zip(COLOURS, lines, strict=False):
        path = " ".join(f"{x(workers):.1f},{y(value):.1f}" for workers, value in line.points)
        dashes = ' stroke-dasharray="5 5"' if line.is_dashed else ""
        body.append(
            f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2.5"{dashes}/>'
        )
        if not line.is_dashed:
            body += [
                f'<circle cx="{x(workers):.1f}" cy="{y(value):.1f}" r="4" fill="{colour}"/>'
                for workers, value in line.points
            ]
    return _picture(title, [line.name for line in lines], body)


def columns(title: str, legend: Sequence[str], bars: Sequence[Bar]) -> str:
    """Return stacked columns."""
    high = max(sum(bar.parts) for bar in bars)
    step = _round_step(high)
    top = step * math.ceil(high / step)

    def y(value: float) -> float:
        return HEIGHT - BOTTOM - value / top * _plot_height()

    body = [_rule(y(step * n), f"{step * n:g}") for n in range(round(top / step) + 1)]
    width = (WIDTH - LEFT - RIGHT) / len(bars)
    for number, bar in enumerate(bars):
        left, below = LEFT + (number + 0.2) * width, 0.0
        for colour, part in zip(COLOURS, bar.parts, strict=False):
            height = y(below) - y(below + part)
            body.append(_box(left, y(below + part), 0.6 * width, height, colour))
            below += part
        middle = left + 0.3 * width
        body.append(_text(middle, HEIGHT - BOTTOM + 18, bar.label, "middle"))
    body.append(_text(WIDTH / 2, HEIGHT - 8, "workers", "middle", "quiet"))
    return _picture(title, legend, body)


def rows_of_bars(title: str, legend: Sequence[str], bars: Sequence[Bar]) -> str:
    """Return stacked bars, one below the other, with their sums."""
    high = max(sum(bar.parts) for bar in bars)
    start, scale = LEFT + 80, (WIDTH - LEFT - 80 - RIGHT - 60) / high
    height = (HEIGHT - TOP - 16) / len(bars)
    body = []
    for number, bar in enumerate(bars):
        top, left = TOP + (number + 0.15) * height, float(start)
        for colour, part in zip(COLOURS, bar.parts, strict=False):
            body.append(_box(left, top, part * scale, 0.7 * height, colour))
            left += part * scale
        middle = top + 0.35 * height + 5
        body.append(_text(start - 8, middle, bar.label, "end"))
        body.append(_text(left + 6, middle, f"{sum(bar.parts):,.0f}", "start", "quiet"))
    return _picture(title, legend, body)


def _picture(title: str, legend: Sequence[str], body: Sequence[str]) -> str:
    parts = [_text(16, 24, title, "start", size=16)]
    left = 16.0
    for colour, name in zip(COLOURS, legend, strict=False):
        parts.append(_box(left, 38, 11, 11, colour))
        parts.append(_text(left + 16, 48, name, "start", size=12))
        left += 30 + 6.4 * len(name)
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="system-ui, sans-serif" role="img">'
    )
    ground = f'<rect class="ground" width="{WIDTH}" height="{HEIGHT}" rx="8" fill="{GROUND}"/>'
    heading = f"<title>{escape(title)}</title>"
    return "\n".join([opening, heading, _DARK, ground, *parts, *body, "</svg>", ""])


def _text(x: float, y: float, text: str, anchor: str, kind: str = "ink", size: int = 13) -> str:
    fill = INK if kind == "ink" else QUIET
    return (
        f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" '
        f'font-size="{size}" fill="{fill}">{escape(text)}</text>'
    )


def _box(x: float, y: float, width: float, height: float, colour: str) -> str:
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{colour}"/>'
    )


def _rule(y: float, label: str) -> str:
    rule = f'<path class="rule" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#d8d8d8"/>'
    return rule + _text(LEFT - 8, y + 4, label, "end", "quiet")


def _plot_height() -> float:
    return HEIGHT - TOP - BOTTOM


def _round_step(high: float) -> float:
    """Return a round distance of rules, of which four to eight fit below `high`."""
    step = 10.0 ** math.floor(math.log10(high))
    return next(step * part for part in (1, 0.5, 0.25, 0.2, 0.1) if high / (step * part) >= 4)
