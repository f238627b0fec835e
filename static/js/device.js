// What this device remembers; a browser that forbids it remembers nothing, and nothing else breaks.

export const ANNOUNCE_ERRORS = "announce-errors"; // whether the log's are read out

export const device = {
  get(name) {
    try {
      return localStorage.getItem(name);
    } catch {
      return null;
    }
  },
  /** Whether it was kept: there may be no room, or no permission. */
  set(name, value) {
    try {
      localStorage.setItem(name, value);
      return true;
    } catch {
      return false;
    }
  },
  remove(name) {
    try {
      localStorage.removeItem(name);
    } catch {
      // Nothing was kept.
    }
  },
};
