// Line-by-line difference of two texts.

const MOST_CELLS = 4_000_000;

/** Return lines beginning with "  ", "- " (only in `before`) or "+ " (only in `after`). */
export function difference(before, after) {
  const a = before.split("\n");
  const b = after.split("\n");
  if (a.length * b.length > MOST_CELLS) return [...a.map((line) => `- ${line}`), ...b.map((line) => `+ ${line}`)];
  // common[i][j]: length of the longest common subsequence of a from i and b from j
  const common = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      common[i][j] = a[i] === b[j] ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
    }
  }
  const lines = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push(`  ${a[i]}`);
      i += 1;
      j += 1;
    } else if (j >= b.length || (i < a.length && common[i + 1][j] >= common[i][j + 1])) {
      lines.push(`- ${a[i]}`);
      i += 1;
    } else {
      lines.push(`+ ${b[j]}`);
      j += 1;
    }
  }
  return lines;
}
