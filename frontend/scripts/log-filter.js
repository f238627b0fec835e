// Filters log lines by kind and text.

const KINDS = {
  all: () => true,
  output: (kind) => kind === "log" || kind === "out",
  errors: (kind) => kind === "err" || kind === "fail" || kind === "late",
};
const SAME_MS = 120; // pause in typing before the filter applies

export class LogFilter {
  /** `panel` has buttons `[data-filter]` and a field; `onChange` is called when the filter changes. */
  constructor(panel, onChange) {
    this.kind = "all";
    this.text = "";
    this.onChange = onChange;
    this.buttons = [...panel.querySelectorAll("[data-filter]")];
    this.field = panel.querySelector("[data-filter-text]");
    for (const button of this.buttons) {
      button.addEventListener("click", () => this.set(button.dataset.filter, this.text));
    }
    let timer = null;
    this.field.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(() => this.set(this.kind, this.field.value), SAME_MS);
    });
    this.field.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !this.field.value) return;
      event.preventDefault();
      this.field.value = "";
      this.set(this.kind, "");
    });
    if (this.field.value) this.set("all", this.field.value); // restored by the browser
  }

  get isOn() {
    return this.kind !== "all" || this.text !== "";
  }

  matches({ kind, where, text }) {
    if (!KINDS[this.kind](kind)) return false;
    return !this.text || `${where} ${text}`.toLowerCase().includes(this.text);
  }

  clear() {
    this.field.value = "";
    this.set("all", "");
  }

  set(kind, text) {
    const wanted = text.trim().toLowerCase();
    if (kind === this.kind && wanted === this.text) return;
    this.kind = kind;
    this.text = wanted;
    for (const button of this.buttons) {
      button.setAttribute("aria-pressed", String(button.dataset.filter === kind));
    }
    this.onChange();
  }
}
