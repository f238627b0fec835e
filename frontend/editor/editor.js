// The code editor: CodeMirror, with names of functions as links and problems at their place.

import { completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import {
  bracketMatching,
  indentOnInput,
  indentUnit,
  syntaxHighlighting,
  syntaxTree,
} from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { search, searchKeymap } from "@codemirror/search";
import { EditorState, StateEffect } from "@codemirror/state";
import {
  Decoration,
  EditorView,
  ViewPlugin,
  drawSelection,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { tagHighlighter, tags } from "@lezer/highlight";
import { gettext, interpolate } from "../scripts/translation.js";
import { completion } from "./parts/completion.js";
import { LANGUAGES } from "./parts/languages.js";
import { failedLines, markLines } from "./parts/marks.js";
import { signatureHelp } from "./parts/signature.js";

// The same short class names as on the pages that the server highlights.
const colours = ({ highlights }) => syntaxHighlighting(
  tagHighlighter([
    { tag: tags.comment, class: "c" },
    { tag: [tags.keyword, tags.operatorKeyword, tags.self], class: "k" },
    { tag: [tags.string, tags.special(tags.string), tags.escape], class: "s" },
    { tag: [tags.number, tags.bool, tags.null], class: "mi" },
    { tag: [tags.definition(tags.function(tags.variableName)), tags.className], class: "nf" },
    { tag: tags.operator, class: "o" },
    ...highlights,
  ]),
);

const look = EditorView.theme({
  "&": { fontSize: "var(--t-2)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.6", overflow: "auto" },
  ".cm-content": { padding: "12px 0", caretColor: "var(--ink)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": { backgroundColor: "var(--surface)", color: "var(--ink-3)", border: "0" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--accent-soft)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground":
    { backgroundColor: "color-mix(in srgb, var(--accent) 28%, transparent)" },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--hover)", outline: "1px solid var(--line-strong)" },
  ".cm-tooltip": {
    backgroundColor: "var(--raised)",
    color: "var(--ink)",
    border: "1px solid var(--line-strong)",
    borderRadius: "var(--r-2)",
  },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--hover)", color: "var(--ink)" },
  ".cm-failed": { backgroundColor: "var(--fail-soft)" },
  ".cm-signature": { padding: "4px 8px", fontSize: "var(--t-1)", maxInlineSize: "60ch" },
  ".cm-signature b": { color: "var(--accent)" },
  ".cm-tooltip.cm-completionInfo": { padding: "6px 10px" },
  ".cm-completionDetail": { color: "var(--ink-3)", fontStyle: "normal", marginInlineStart: "0" },
  ".cm-panels": { backgroundColor: "var(--sunken)", color: "var(--ink)" },
  ".cm-panels-top": { borderBottom: "1px solid var(--line)" },
  ".cm-panel.cm-search": { padding: "6px 10px", fontFamily: "var(--sans)" },
  ".cm-panel.cm-search input, .cm-panel.cm-search button, .cm-panel.cm-search label": { fontSize: "var(--t-1)" },
  ".cm-searchMatch": { backgroundColor: "var(--accent-soft)", outline: "1px solid var(--accent-line)" },
  ".cm-searchMatch-selected": { backgroundColor: "color-mix(in srgb, var(--accent) 35%, transparent)" },
  ".cm-diagnostic-warning": { borderLeftColor: "var(--error)" },
  ".cm-diagnostic-error": { borderLeftColor: "var(--fail)" },
});

const phrases = EditorState.phrases.of({
  Find: gettext("Find"),
  Replace: gettext("Replace"),
  next: gettext("next"),
  previous: gettext("previous"),
  all: gettext("all"),
  "match case": gettext("match case"),
  regexp: gettext("regexp"),
  "by word": gettext("by word"),
  replace: gettext("replace"),
  "replace all": gettext("replace all"),
  close: gettext("close"),
  "Go to line": gettext("Go to line"),
  go: gettext("go"),
  "current match": gettext("current match"),
  "on line": gettext("on line"),
  "replaced match on line $": gettext("replaced match on line $"),
  "replaced $ matches": gettext("replaced $ matches"),
  Diagnostics: gettext("Diagnostics"),
  "No diagnostics": gettext("No diagnostics"),
  Completions: gettext("Completions"),
  "Selection deleted": gettext("Selection deleted"),
});

const linksChanged = StateEffect.define();

function nameLinks(linkFor, { findMarkers, findUses = () => [] }) {
  const isMarked = (name) => linkFor(name)?.name === name;
  const decorate = (view) =>
    Decoration.set(
      view.visibleRanges.flatMap(({ from, to }) =>
        [...findMarkers(view.state, from, to), ...findUses(view.state, from, to, isMarked)].map((marker) => {
          const status = linkFor(marker.name)?.status ?? "unknown";
          const attributes = {
            "data-status": status === "blocked" ? "broken" : status,
            "data-name": marker.name,
            title: interpolate(
              status === "missing"
                ? gettext("%(name)s does not exist yet. Ctrl-click to define it")
                : gettext("Ctrl-click opens %(name)s"),
              marker,
            ),
          };
          return Decoration.mark({ class: marker.isUse ? "use" : "dep", attributes }).range(marker.from, marker.to);
        }),
      ),
      true,
    );
  return ViewPlugin.fromClass(
    class {
      constructor(view) {
        this.decorations = decorate(view);
        this.tree = syntaxTree(view.state);
      }

      update(update) {
        const tree = syntaxTree(update.state);
        const told = update.transactions.some((one) => one.effects.some((effect) => effect.is(linksChanged)));
        if (update.docChanged || update.viewportChanged || told || tree !== this.tree) {
          this.tree = tree;
          this.decorations = decorate(update.view);
        }
      }
    },
    { decorations: (plugin) => plugin.decorations },
  );
}

/**
 * Type over several lines ourselves. Left to it, Chromium merges them with inline styles, which the
 * page's policy blocks and reports.
 */
const typeOverLines = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { main, ranges } = view.state.selection;
    const { doc } = view.state;
    const severalLines = doc.lineAt(main.from).number !== doc.lineAt(main.to).number;
    if (event.inputType !== "insertText" || event.isComposing || event.data == null) return false;
    if (!severalLines || ranges.length > 1) return false;
    view.dispatch(view.state.replaceSelection(event.data), { userEvent: "input.type", scrollIntoView: true });
    event.preventDefault();
    return true;
  },
});

/**
 * Turn a problem's place (line and columns from 1, columns in characters) into one in the text: what
 * to underline, and the caret. Past a line's end there is nothing to underline but its last character.
 */
function placeOf(doc, { line, column, end_column: end }) {
  const found = doc.line(Math.min(Math.max(line ?? 1, 1), doc.lines));
  if (column == null) return { from: found.from, to: found.to, caret: found.from };
  const characters = [...found.text];
  const offset = (place) => found.from + characters.slice(0, place - 1).join("").length;
  const caret = offset(Math.max(column, 1));
  const marker = /^(<<[^<>]*>>|\{\{[^{}]*\}\})/.exec(doc.sliceString(caret, found.to));
  const from = caret === found.to ? Math.max(found.from, found.to - 1) : caret;
  const to = marker ? from + marker[0].length : end ? Math.max(offset(end), from) : found.to;
  return { from, to, caret };
}

/**
 * Put an editor into `parent`.
 *
 * `language` is the name of one of `LANGUAGES`. `linkFor(name)` says what a marker leads to, as `{status, url}`; `findFunctions` and `known` are as in
 * `completion`; `own` is the draft's function, with name and signature; `onChange`, `onMove`, `onBlur`,
 * `onRun`, `onSave` and `onFormat` are told what they say.
 */
export function createEditor({ parent, text, label, nonce, language: chosen, linkFor, findFunctions, known, own, ...told }) {
  const language = LANGUAGES[chosen];
  let names = []; // as the last check has found
  const signatures = () => [{ ...own, signature: `${own.name}${own.signature}` }, ...known.helpers, ...names];
  const signatureOf = (name) => signatures().findLast((one) => one.name === name && one.signature);
  const stop = (act) => () => {
    act();
    return true;
  };
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        EditorView.cspNonce.of(nonce),
        phrases,
        lineNumbers(),
        lintGutter(),
        highlightActiveLine(),
        highlightActiveLineGutter(),
        drawSelection(),
        history(),
        indentUnit.of(language.indent),
        indentOnInput(),
        bracketMatching(),
        language.grammar(),
        colours(language),
        look,
        nameLinks(linkFor, language),
        typeOverLines,
        signatureHelp(signatureOf),
        completion({ findFunctions, names: () => names, known, language: chosen }),
        failedLines,
        search({ top: true }),
        keymap.of([
          { key: "Mod-Enter", run: stop(told.onRun) },
          { key: "Mod-s", run: stop(told.onSave), preventDefault: true },
          { key: "Shift-Alt-f", run: stop(told.onFormat) },
          ...completionKeymap,
          ...searchKeymap,
          ...lintKeymap,
          ...historyKeymap,
          indentWithTab,
          ...defaultKeymap,
        ]),
        EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false" }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) told.onChange();
          if (update.docChanged || update.selectionSet) {
            const head = update.state.selection.main.head;
            const line = update.state.doc.lineAt(head);
            told.onMove(line.number, head - line.from + 1);
          }
          if (update.focusChanged && !update.view.hasFocus) told.onBlur();
        }),
        EditorView.domEventHandlers({
          mousedown(event) {
            const link = event.target.closest?.("[data-name]");
            const url = link && (event.ctrlKey || event.metaKey) && linkFor(link.dataset.name)?.url;
            if (!url) return false;
            window.open(url, "_blank", "noopener");
            return true;
          },
        }),
      ],
    }),
  });
  return {
    get text() {
      return view.state.doc.toString();
    },
    /** Replace the text, where it differs, as one step that can be undone; the caret stays. */
    replace(other) {
      const { text } = this;
      if (other === text) return;
      let from = 0;
      while (from < text.length && text[from] === other[from]) from += 1;
      let end = 0;
      const most = Math.min(text.length, other.length) - from;
      while (end < most && text.at(-1 - end) === other.at(-1 - end)) end += 1;
      view.dispatch({ changes: { from, to: text.length - end, insert: other.slice(from, other.length - end) } });
    },
    /** Offer these names, `[{name, kind, signature, summary, provider}]`, and help with their arguments. */
    useNames(found) {
      names = found;
    },
    /** Mark the lines where a run failed, `[{line, message}]`, instead of the last ones. */
    showMarks(marks) {
      markLines(view, marks);
    },
    /** Names now lead elsewhere: ask `linkFor` again. */
    refreshLinks() {
      view.dispatch({ effects: linksChanged.of(null) });
    },
    /** Mark problems `[{line, column, end_column, severity, message}]` in the text and beside it; none clears them. */
    showProblems(problems) {
      const doc = view.state.doc;
      const found = problems.map((problem) => {
        const { from, to } = placeOf(doc, problem);
        return { from, to, severity: problem.severity ?? "error", message: problem.message };
      });
      view.dispatch(setDiagnostics(view.state, found));
    },
    /** Put the cursor at a problem, or just into the text. */
    focus(problem) {
      if (problem) {
        const { caret } = placeOf(view.state.doc, problem);
        view.dispatch({ selection: { anchor: caret }, scrollIntoView: true });
      }
      view.focus();
    },
  };
}
