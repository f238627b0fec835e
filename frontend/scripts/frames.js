// Schedules page changes with the next animation frame, so that a burst of events costs one redraw.

// A hidden page gets no frames, and may be hidden just after a frame was requested.
const LONGEST_WAIT_MS = 250;
const SLICE_MS = 12;

/** Call `action` with the next frame, or immediately in a hidden page. */
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

/** The time to pause at, by `performance.now()`, so that the user can scroll and type. */
export function endOfSlice() {
  return document.hidden ? Infinity : performance.now() + SLICE_MS;
}
