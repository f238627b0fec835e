// When the page may be changed: with the next frame, so that a burst of events costs one redraw.

// A page that is hidden is drawn no frames, and one may be asked for just before it is.
const LONGEST_WAIT_MS = 250;
const SLICE_MS = 12;

/** Call `action` with the next frame; in a page that nobody looks at, now. */
export function withNextFrame(action) {
  if (document.hidden) {
    action();
    return;
  }
  let isDone = false;
  const once = () => {
    if (isDone) return;
    isDone = true;
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    action();
  };
  const frame = requestAnimationFrame(once);
  const timer = setTimeout(once, LONGEST_WAIT_MS);
}

/** How long to go on for now, by `performance.now()`: the reader may want to scroll or type. */
export function endOfSlice() {
  return document.hidden ? Infinity : performance.now() + SLICE_MS;
}
