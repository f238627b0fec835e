# Uses <<NiceTicks>> and <<ShowNumber>>.
import math
from html import escape


def LineChart(points, x_label, y_label, marked=None):
    if len(points) < 2 or not all(math.isfinite(place) for point in points for place in point):
        raise ValueError("A line has at least two points, which are pairs of numbers.")
    everything = [*points, marked] if marked else points
    (left, right), (low, high) = (_range(places) for places in zip(*everything))

    def place(x, y):
        return 60 + 330 * (x - left) / (right - left), 200 - 180 * (y - low) / (high - low)

    lines = [
        f'<svg viewBox="0 0 400 240" role="img" aria-label="{escape(y_label)} for {escape(x_label)}"'
        ' font-size="11" fill="currentColor" xmlns="http://www.w3.org/2000/svg">',
        '<path d="M60 20V200H390" stroke="currentColor" fill="none"/>',
    ]
    for tick in NiceTicks(left, right, 4):
        at, _ = place(tick, low)
        lines.append(f'<text x="{at:.1f}" y="216" text-anchor="middle">{ShowNumber(tick)}</text>')
    for tick in NiceTicks(low, high):
        _, at = place(left, tick)
        lines.append(f'<text x="54" y="{at + 4:.1f}" text-anchor="end">{ShowNumber(tick)}</text>')
    path = " ".join("{:.2f},{:.2f}".format(*place(*point)) for point in points)
    lines.append(f'<polyline points="{path}" fill="none" stroke="var(--chart, #2f6fdb)" stroke-width="2"/>')
    if marked:
        x, y = place(*marked)
        lines.append(f'<circle cx="{x:.2f}" cy="{y:.2f}" r="5" fill="var(--chart, #2f6fdb)"/>')
    lines.append(f'<text x="390" y="234" text-anchor="end">{escape(x_label)}</text>')
    lines.append(f'<text x="4" y="12">{escape(y_label)}</text>')
    return "\n".join([*lines, "</svg>"])


def _range(places):
    low, high = min(places), max(places)
    margin = (abs(low) / 2 or 1) if low == high else 0
    return low - margin, high + margin
