// Lines of the draft where the last run failed. They move with the text.

import { StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView } from "@codemirror/view";

const setMarks = StateEffect.define();

export const failedLines = StateField.define({
  create: () => Decoration.none,
  update(marks, transaction) {
    let moved = marks.map(transaction.changes);
    for (const effect of transaction.effects) if (effect.is(setMarks)) moved = effect.value;
    return moved;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** Mark these lines, given as `[{line, message}]`; lines from 1. */
export function markLines(view, marks) {
  const { doc } = view.state;
  const messages = new Map();
  for (const { line, message } of marks) {
    if (line < 1 || line > doc.lines) continue;
    messages.set(line, [...(messages.get(line) ?? []), message]);
  }
  const lines = [...messages].sort(([a], [b]) => a - b);
  const ranges = lines.map(([line, found]) =>
    Decoration.line({ class: "cm-failed", attributes: { title: found.join("\n") } }).range(doc.line(line).from),
  );
  view.dispatch({ effects: setMarks.of(Decoration.set(ranges)) });
}
