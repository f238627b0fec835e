// Checks a draft while it is typed. All rules are the server's; this only asks, and shows the answer.

import { postDraft } from "./saver.js";
import { gettext, interpolate, ngettext } from "./translation.js";
import { count, element } from "./words.js";

const DELAY_MS = 150;
const SHOWN = 6;

export class DraftCheck {
  /** `onChecked({problems, names, links})` gets each answer about the present text. */
  constructor(form, editor, { onChecked }) {
    Object.assign(this, { form, editor, onChecked });
    this.list = document.querySelector("[data-problems]");
    this.count = document.querySelector("[data-problem-count]");
    this.checked = null;
  }

  /** Check the text soon, and again if it changes meanwhile. */
  schedule(delayMs = DELAY_MS) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.#check(), delayMs);
  }

  async #check() {
    if (this.isBusy || this.checked === this.editor.text) return;
    const code = this.editor.text;
    this.isBusy = true;
    const answer = await postDraft(this.form, this.form.dataset.check, { code }).catch(() => null);
    this.isBusy = false;
    if (this.editor.text !== code) {
      this.schedule(0);
      return;
    }
    if (!answer) return; // offline, or too often: the next change tries again
    this.checked = code;
    this.editor.showProblems(answer.problems);
    this.#list(answer.problems);
    this.onChecked(answer);
  }

  #list(problems) {
    const items = problems.slice(0, SHOWN).map((problem) => {
      const place = interpolate(gettext("Line %(line)s:"), problem) + " ";
      const button = element("button", { type: "button", "data-severity": problem.severity }, element("b", {}, place), problem.message);
      button.addEventListener("click", () => this.editor.focus(problem));
      return element("li", {}, button);
    });
    const more = { count: problems.length - SHOWN };
    if (more.count > 0) items.push(element("li", { class: "muted" }, interpolate(gettext("and %(count)s more"), more)));
    this.list.replaceChildren(...items);
    this.list.hidden = problems.length === 0;
    const text = ngettext("%(count)s problem", "%(count)s problems", problems.length);
    const said = problems.length ? interpolate(text, { count: count(problems.length) }) : gettext("No problems");
    if (this.count.textContent !== said) this.count.textContent = said;
  }
}
