// Signature help: while arguments are typed, the signature of the function, the present one marked.

import { syntaxTree } from "@codemirror/language";
import { Prec, StateEffect, StateField } from "@codemirror/state";
import { keymap, showTooltip } from "@codemirror/view";

const hide = StateEffect.define();

/** `signatureOf(name)` returns `{signature, summary}`, or undefined for unknown names. */
export function signatureHelp(signatureOf) {
  const field = StateField.define({
    create: () => null,
    update(shown, transaction) {
      if (transaction.effects.some((effect) => effect.is(hide))) return null;
      // Moving into a call shows nothing; typing does.
      if (!transaction.docChanged && !(shown && transaction.selection)) return shown;
      const found = callAt(transaction.state, signatureOf);
      const isSame = found && shown && ["text", "active", "pos"].every((name) => found[name] === shown[name]);
      return isSame ? shown : found;
    },
    provide: (of) => showTooltip.from(of),
  });
  const escape = (view) => {
    if (view.state.field(field)) view.dispatch({ effects: hide.of(null) });
    return false;
  };
  // Before completion, which takes the key for itself.
  return [field, Prec.highest(keymap.of([{ key: "Escape", run: escape }]))];
}

/** The tooltip for the innermost call around the caret, or null. */
function callAt(state, signatureOf) {
  const { main } = state.selection;
  if (!main.empty) return null;
  for (let node = syntaxTree(state).resolveInner(main.head, -1); node; node = node.parent) {
    if (node.name !== "ArgList" || main.head <= node.from) continue;
    if (node.lastChild?.name === ")" && main.head >= node.to) continue;
    const called = node.parent?.firstChild;
    const name = called?.name === "VariableName" ? state.sliceDoc(called.from, called.to) : "";
    const found = name && signatureOf(name);
    if (!found) return null;
    let active = 0;
    for (let child = node.firstChild; child && child.from < main.head; child = child.nextSibling) {
      if (child.name === ",") active += 1;
    }
    return tooltip(found, active, called.from);
  }
  return null;
}

function tooltip({ signature, summary }, active, pos) {
  const create = () => {
    const dom = document.createElement("div");
    dom.className = "cm-signature";
    dom.setAttribute("role", "status");
    const code = document.createElement("code");
    for (const [index, part] of split(signature).entries()) {
      const span = document.createElement(index === active + 1 ? "b" : "span");
      span.textContent = part;
      code.append(span);
    }
    dom.append(code);
    if (summary) dom.append(Object.assign(document.createElement("p"), { textContent: summary }));
    return { dom };
  };
  return { pos, above: true, text: signature, active, create };
}

/** Split into `name(`, one part for each parameter, and the rest. */
function split(signature) {
  const parts = [""];
  let depth = 0;
  let isOver = false;
  for (const character of signature) {
    const isOpening = "([{".includes(character);
    if (")]}".includes(character)) depth -= 1;
    if (depth === 0 && character === ")" && !isOver) {
      isOver = true;
      parts.push("");
    }
    parts[parts.length - 1] += character;
    if (isOpening) depth += 1;
    const isNext = depth === 1 && (character === "," || (isOpening && parts.length === 1));
    if (isNext && !isOver) parts.push("");
  }
  return parts;
}
