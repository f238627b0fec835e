// Gathers what arrives between two frames, so that a burst of events costs one redraw.

// A hidden page is drawn no frames.
const HIDDEN_DELAY_MS = 250;

/** Return a function that takes one item; `apply` is called with all that came since, in order. */
export function perFrame(apply) {
  let waiting = [];
  const flush = () => {
    const items = waiting;
    waiting = [];
    apply(items);
  };
  return (item) => {
    waiting.push(item);
    if (waiting.length > 1) return;
    if (document.hidden) setTimeout(flush, HIDDEN_DELAY_MS);
    else requestAnimationFrame(flush);
  };
}
