// A line chart. Uses <<NiceTicks>> and <<ShowNumber>>.
const WIDTH = 400;
const HEIGHT = 250;
const RIGHT = 14;
const TOP = 24;
const BOTTOM = 44;

const LETTER = 6; // about the width of one
const LONGEST = 7; // of numbers that stand beside each other

const escaped = (text) => String(text).replace(/[&<>"]/g, (character) => `&#${character.codePointAt(0)};`);
const at = (place) => String(Math.round(place * 100) / 100);

function range(values) {
  const low = Math.min(...values);
  const high = Math.max(...values);
  const margin = low === high ? Math.abs(low) / 2 || 1 : 0;
  return [low - margin, high + margin];
}

function LineChart(points, x_label, y_label, marked = null) {
  if (points.length < 2 || !points.flat().every(Number.isFinite)) {
    throw new ValueError("A line needs two points, whose places are numbers.");
  }
  const all = marked ? [...points, marked] : points;
  const [left, right] = range(all.map(([x]) => x));
  const [low, high] = range(all.map(([, y]) => y));
  const shown = (ticks) => ticks.map((tick) => [tick, ShowNumber(tick)]);
  const longest = (ticks) => Math.max(...ticks.map(([, text]) => text.length));
  const heights = shown(NiceTicks(low, high, 5));
  const many = shown(NiceTicks(left, right, 5));
  const widths = longest(many) > LONGEST ? shown(NiceTicks(left, right, 2)) : many;
  const start = 14 + LETTER * Math.max(longest(heights), 2);
  const x = (value) => at(start + ((value - left) / (right - left)) * (WIDTH - start - RIGHT));
  const y = (value) => at(HEIGHT - BOTTOM - ((value - low) / (high - low)) * (HEIGHT - TOP - BOTTOM));

  const columns = widths.map(
    ([tick, text]) => `<path d="M${x(tick)} ${TOP}V${HEIGHT - BOTTOM}" stroke-opacity=".15"/>
  <text x="${x(tick)}" y="${HEIGHT - BOTTOM + 16}" text-anchor="middle">${text}</text>`,
  );
  const rows = heights.map(
    ([tick, text]) => `<path d="M${start} ${y(tick)}H${WIDTH - RIGHT}" stroke-opacity=".15"/>
  <text x="${start - 6}" y="${y(tick)}" dy=".35em" text-anchor="end">${text}</text>`,
  );
  const line = points.map(([one, other]) => `${x(one)},${y(other)}`).join(" ");
  const dot = marked
    ? `<path d="M${start} ${y(marked[1])}H${x(marked[0])}V${HEIGHT - BOTTOM}" stroke="var(--chart, #2f6fdb)" stroke-dasharray="3 4" fill="none"/>
  <circle cx="${x(marked[0])}" cy="${y(marked[1])}" r="5" fill="var(--chart, #2f6fdb)"/>`
    : "";
  const title = `${escaped(y_label)} for ${escaped(x_label)}`;
  return `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}" font-size="11" xmlns="http://www.w3.org/2000/svg">
<g stroke="currentColor" fill="none" font-family="inherit">
  ${[...columns, ...rows].join("\n  ").replaceAll("<text ", '<text stroke="none" fill="currentColor" ')}
  <path d="M${start} ${TOP}V${HEIGHT - BOTTOM}H${WIDTH - RIGHT}" stroke-opacity=".6"/>
</g>
  <polyline points="${line}" fill="none" stroke="var(--chart, #2f6fdb)" stroke-width="2.5" stroke-linecap="round" stroke-linejoin="round"/>
  ${dot}
  <text x="${WIDTH - RIGHT}" y="${HEIGHT - 8}" text-anchor="end" fill="currentColor">${escaped(x_label)} →</text>
  <text x="4" y="12" fill="currentColor">↑ ${escaped(y_label)}</text>
</svg>`;
}
