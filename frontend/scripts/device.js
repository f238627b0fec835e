// Local storage; without permission, nothing is stored and nothing else breaks.

export const ANNOUNCE_ERRORS = "announce-errors"; // whether errors in the log are announced

export const device = {
  get(name) {
    try {
      return localStorage.getItem(name);
    } catch {
      return null;
    }
  },
  /** Store a value; return false without space or permission. */
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
      // Nothing was stored.
    }
  },
};
